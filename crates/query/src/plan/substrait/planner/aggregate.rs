//! Aggregates: groups, sets of groups, and measures.

use datafusion::common::{DFSchema, Result, plan_err};
use datafusion::execution::FunctionRegistry;
use datafusion::logical_expr::{Aggregate, Expr, GroupingSet, LogicalPlan, LogicalPlanBuilder, expr, lit};
use datafusion_substrait::logical_plan::consumer::{
    SubstraitConsumer, from_substrait_func_args, from_substrait_rex_vec, from_substrait_sorts,
    substrait_fun_name,
};
use substrait::proto::aggregate_function::AggregationInvocation;
use substrait::proto::aggregate_rel::{Grouping, Measure};
use substrait::proto::function_argument::ArgType;
use substrait::proto::{AggregateFunction, AggregateRel, FunctionArgument};

use super::context::Consumer;
use super::names::{columns, unique};
use super::signatures;
use crate::functions::{SINGLE_VALUE, single_value};
use crate::plan::substrait::functions::{Form, Place, option};

/// Plans an aggregate.
///
/// # Errors
/// A group refers to an expression that is not there, or a function does not take its arguments.
pub(super) async fn plan(consumer: &Consumer<'_>, rel: &AggregateRel) -> Result<LogicalPlan> {
    let Some(input) = &rel.input else { return plan_err!("an aggregate of the plan has no input") };
    let input = consumer.consume_rel(input).await?;
    let schema = input.schema().clone();
    let shared = from_substrait_rex_vec(consumer, &rel.grouping_expressions, &schema).await?;
    in_declared_order(rel)?;
    let mut sets = Vec::with_capacity(rel.groupings.len());
    for grouping in &rel.groupings {
        sets.push(group(consumer, grouping, &shared, &schema).await?);
    }
    let mut measures = Vec::with_capacity(rel.measures.len());
    for one in &rel.measures {
        measures.push(measure(consumer, one, &schema).await?);
    }
    if sets.len() > 1 {
        return in_sets(consumer, input, sets, measures);
    }
    let groups = sets.pop().unwrap_or_default();
    if groups.is_empty() && measures.is_empty() {
        return plan_err!("an aggregate of the plan has no groups and no measures");
    }
    let number = groups.len();
    let mut named = unique(groups.into_iter().chain(measures).collect());
    let measures = named.split_off(number);
    LogicalPlanBuilder::from(input).aggregate(named, measures)?.build()
}

/// Checks that groups come first in the order in which their expressions are declared, and that
/// each is in a group. Producers disagree on the columns otherwise.
fn in_declared_order(rel: &AggregateRel) -> Result<()> {
    let mut next = 0;
    for reference in rel.groupings.iter().flat_map(|grouping| &grouping.expression_references) {
        match *reference {
            at if at > next => {
                return plan_err!(
                    "an aggregate of the plan has its groups in another order than their expressions"
                );
            }
            at if at == next => next += 1,
            _ => {}
        }
    }
    match next as usize == rel.grouping_expressions.len() {
        true => Ok(()),
        false => plan_err!("an aggregate of the plan has an expression that is in no group"),
    }
}

/// Aggregates over several sets of groups. The standard's columns are the groups in the order in
/// which they come first, and the measures; the number of the set, which comes last, is left out.
/// DataFusion's columns have a number of its own between both.
fn in_sets(
    consumer: &Consumer<'_>,
    input: LogicalPlan,
    sets: Vec<Vec<Expr>>,
    measures: Vec<Expr>,
) -> Result<LogicalPlan> {
    let sets = Expr::GroupingSet(GroupingSet::GroupingSets(sets));
    let plan = LogicalPlanBuilder::from(input).aggregate(vec![sets], unique(measures))?.build()?;
    if consumer.is_of_datafusion {
        return Ok(plan);
    }
    let fields = plan.schema().fields();
    let number = fields.iter().position(|field| field.name() == Aggregate::INTERNAL_GROUPING_ID);
    let columns_of_standard: Vec<i32> =
        (0..fields.len()).filter(|at| Some(*at) != number).map(|at| at as i32).collect();
    columns(plan, columns_of_standard.into_iter())
}

#[expect(deprecated, reason = "plans of older versions have the expressions in each group")]
async fn group(
    consumer: &Consumer<'_>,
    grouping: &Grouping,
    shared: &[Expr],
    schema: &DFSchema,
) -> Result<Vec<Expr>> {
    if !grouping.grouping_expressions.is_empty() {
        return from_substrait_rex_vec(consumer, &grouping.grouping_expressions, schema).await;
    }
    let mut groups = Vec::with_capacity(grouping.expression_references.len());
    for reference in &grouping.expression_references {
        match shared.get(*reference as usize) {
            Some(expression) => groups.push(expression.clone()),
            None => return plan_err!("group {reference} of the plan is beyond its {} groups", shared.len()),
        }
    }
    Ok(groups)
}

async fn measure(consumer: &Consumer<'_>, measure: &Measure, schema: &DFSchema) -> Result<Expr> {
    let filter = match &measure.filter {
        Some(filter) => Some(Box::new(consumer.consume_expression(filter, schema).await?)),
        None => None,
    };
    match &measure.measure {
        Some(measure) => call(consumer, measure, filter, schema).await,
        None => plan_err!("a measure of the plan has no function"),
    }
}

/// Plans a call of an aggregate function.
///
/// # Errors
/// The arguments are not those of the function.
pub(in crate::plan::substrait) async fn call(
    consumer: &Consumer<'_>,
    call: &AggregateFunction,
    filter: Option<Box<Expr>>,
    schema: &DFSchema,
) -> Result<Expr> {
    let anchor = call.function_reference;
    let is_value = |argument: &&FunctionArgument| matches!(argument.arg_type, Some(ArgType::Value(_)));
    let values: Vec<FunctionArgument> = call.arguments.iter().filter(is_value).cloned().collect();
    let name = match consumer.functions.form(consumer.state, anchor, Place::Aggregate) {
        Some(Form::Spread(of_sample, of_population)) => {
            let argument = call.arguments.iter().find_map(|argument| match &argument.arg_type {
                Some(ArgType::Enum(distribution)) => Some(distribution.as_str()),
                _ => None,
            });
            match argument.or_else(|| option(&call.options, "distribution")) {
                Some(distribution) if distribution.eq_ignore_ascii_case("POPULATION") => of_population,
                Some(distribution) if !distribution.eq_ignore_ascii_case("SAMPLE") => {
                    return plan_err!("the distribution {distribution} of the plan is unknown");
                }
                _ => of_sample,
            }
        }
        Some(_) if values.len() == call.arguments.len() => {
            consumer.functions.names.functions.get(&anchor).map_or("", |name| substrait_fun_name(name))
        }
        _ => return plan_err!("function {anchor} of the plan is no aggregate with such arguments"),
    };
    let mut arguments = from_substrait_func_args(consumer, &values, schema).await?;
    if name == SINGLE_VALUE {
        return match (arguments.pop(), arguments.is_empty()) {
            (Some(value), true) => Ok(single_value(value)),
            _ => plan_err!("{SINGLE_VALUE} of the plan takes one argument"),
        };
    }
    let function = consumer.state.udaf(name)?;
    if function.name() == "count" && arguments.is_empty() {
        arguments.push(lit(1_i64));
    }
    signatures::check(&function, &arguments, schema)?;
    let sorts = from_substrait_sorts(consumer, &call.sorts, schema).await?;
    let is_distinct = call.invocation == AggregationInvocation::Distinct as i32;
    let call = expr::AggregateFunction::new_udf(function, arguments, is_distinct, filter, sorts, None);
    Ok(Expr::AggregateFunction(call))
}
