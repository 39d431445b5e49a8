//! Comparison of intervals by their length, with days of 24 hours and months of 30 days.

use arrow::datatypes::{DataType, IntervalUnit};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{Column, DFSchema, Result, ScalarValue};
use datafusion::logical_expr::expr::{InList, InSubquery, SetComparison, Sort};
use datafusion::logical_expr::{
    Between, BinaryExpr, Case, Cast, Distinct, Expr, ExprSchemable, LogicalPlan, LogicalPlanBuilder,
    Operator, Subquery, lit, when,
};
use datafusion::optimizer::AnalyzerRule;

use crate::plan::rules::expressions::{has, input_schema, rewrite_expressions};

use crate::error::{Error, wrap};
use crate::functions::interval_length;
use crate::tree::PlanTree;

/// Compares and sorts intervals by their length. DataFusion compares months, then days, then
/// nanoseconds, so that any number of hours is less than a day. Intervals as keys of groups, or in
/// `min` and `max`, are an error.
#[derive(Debug)]
pub(in crate::plan::rules) struct IntervalLengths;

impl AnalyzerRule for IntervalLengths {
    fn name(&self) -> &str {
        "interval_lengths"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        plan.transform_all_up(rewrite).map(|transformed| transformed.data)
    }
}

fn rewrite(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let has_keys = matches!(
        plan,
        LogicalPlan::Sort(_) | LogicalPlan::Join(_) | LogicalPlan::Distinct(_) | LogicalPlan::Aggregate(_)
    );
    if !has_keys && !has(&plan, is_measured)? {
        return Ok(Transformed::no(plan));
    }
    let schema = input_schema(&plan)?;
    let plan = rewrite_expressions(plan, |node| by_length(node, &schema))?;
    match plan.data {
        LogicalPlan::Sort(mut sort) => {
            let is_changed = in_order(&mut sort.expr, &schema) || plan.transformed;
            Ok(Transformed::new_transformed(LogicalPlan::Sort(sort), is_changed))
        }
        LogicalPlan::Join(mut join) => {
            let mut is_changed = plan.transformed;
            for (left, right) in &mut join.on {
                is_changed |= alike(&mut [left, right], &schema);
            }
            Ok(Transformed::new_transformed(LogicalPlan::Join(join), is_changed))
        }
        LogicalPlan::Distinct(Distinct::All(input)) => {
            for column in input.schema().fields() {
                if is_interval(column.data_type()) {
                    return Err(keys("DISTINCT", column.name()));
                }
            }
            let distinct = LogicalPlan::Distinct(Distinct::All(input));
            Ok(Transformed::new_transformed(distinct, plan.transformed))
        }
        LogicalPlan::Distinct(Distinct::On(mut on)) => {
            let mut is_changed = on.sort_expr.as_mut().is_some_and(|keys| in_order(keys, &schema));
            for key in &mut on.on_expr {
                is_changed |= alike(&mut [key], &schema);
            }
            let distinct = LogicalPlan::Distinct(Distinct::On(on));
            Ok(Transformed::new_transformed(distinct, is_changed || plan.transformed))
        }
        LogicalPlan::Aggregate(aggregate) => {
            for key in &aggregate.group_expr {
                if is_interval(&key.get_type(&schema)?) {
                    return Err(keys("GROUP BY", &key.schema_name().to_string()));
                }
            }
            Ok(Transformed::new_transformed(LogicalPlan::Aggregate(aggregate), plan.transformed))
        }
        other => Ok(Transformed::new_transformed(other, plan.transformed)),
    }
}

fn keys(clause: &str, name: &str) -> datafusion::common::DataFusionError {
    wrap(Error::Query(format!(
        "{clause} of the interval {name}: '24 hours' and '1 day' are equal, and not the same; \
         write CAST({name} AS VARCHAR) to tell them apart"
    )))
}

/// Functions that compare their arguments, which this rule leaves to others.
const COMPARING: [&str; 10] = [
    "greatest",
    "least",
    "array_has",
    "array_has_all",
    "array_has_any",
    "array_position",
    "array_positions",
    "array_remove",
    "array_distinct",
    "array_sort",
];

/// Returns whether [`by_length`] may change or refuse an expression.
fn is_measured(part: &Expr) -> bool {
    match part {
        Expr::BinaryExpr(BinaryExpr { op, .. }) => is_comparison(*op),
        Expr::Between(_)
        | Expr::InList(_)
        | Expr::Case(_)
        | Expr::InSubquery(_)
        | Expr::SetComparison(_)
        | Expr::AggregateFunction(_)
        | Expr::WindowFunction(_) => true,
        Expr::ScalarFunction(call) => call.name() == "nullif" || COMPARING.contains(&call.name()),
        _ => false,
    }
}

/// Returns an expression that compares its operands by their length if they are intervals.
fn by_length(expression: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    Ok(match expression {
        Expr::BinaryExpr(BinaryExpr { mut left, op, mut right }) if is_comparison(op) => {
            let is_changed = alike(&mut [&mut left, &mut right], schema);
            Transformed::new_transformed(Expr::BinaryExpr(BinaryExpr { left, op, right }), is_changed)
        }
        Expr::Between(mut between) => {
            let Between { expr, low, high, .. } = &mut between;
            let is_changed = alike(&mut [expr, low, high], schema);
            Transformed::new_transformed(Expr::Between(between), is_changed)
        }
        Expr::InList(mut among) => {
            let InList { expr, list, .. } = &mut among;
            let mut all: Vec<&mut Expr> = vec![expr];
            all.extend(list);
            let is_changed = alike(&mut all, schema);
            Transformed::new_transformed(Expr::InList(among), is_changed)
        }
        Expr::Case(mut case) => {
            let Case { expr, when_then_expr, .. } = &mut case;
            let mut is_changed = false;
            if let Some(subject) = expr {
                let mut all: Vec<&mut Expr> = vec![subject];
                all.extend(when_then_expr.iter_mut().map(|(when, _)| &mut **when));
                is_changed = alike(&mut all, schema);
            }
            Transformed::new_transformed(Expr::Case(case), is_changed)
        }
        Expr::InSubquery(InSubquery { mut expr, subquery, negated }) => {
            let (subquery, is_changed) = in_subquery(&mut expr, subquery, schema)?;
            let changed = Expr::InSubquery(InSubquery::new(expr, subquery, negated));
            Transformed::new_transformed(changed, is_changed)
        }
        Expr::SetComparison(SetComparison { mut expr, subquery, op, quantifier }) => {
            let (subquery, is_changed) = in_subquery(&mut expr, subquery, schema)?;
            let changed = Expr::SetComparison(SetComparison::new(expr, subquery, op, quantifier));
            Transformed::new_transformed(changed, is_changed)
        }
        Expr::ScalarFunction(mut call) => {
            let is_pair = call.name() == "nullif" && call.args.len() == 2;
            if is_pair && is_interval(&call.args[0].get_type(schema)?) {
                let (value, other) = (call.args.remove(0), call.args.remove(0));
                let (mut left, mut right) = (value.clone(), other);
                alike(&mut [&mut left, &mut right], schema);
                let null = lit(ScalarValue::try_from(&value.get_type(schema)?)?);
                return Ok(Transformed::yes(when(left.eq(right), null).otherwise(value)?));
            }
            if COMPARING.contains(&call.name()) {
                refuse(call.name(), &call.args, schema)?;
            }
            Transformed::no(Expr::ScalarFunction(call))
        }
        Expr::AggregateFunction(mut call) => {
            if matches!(call.func.name(), "min" | "max") || call.params.distinct {
                refuse(call.func.name(), &call.params.args, schema)?;
            }
            let is_changed = in_order(&mut call.params.order_by, schema);
            Transformed::new_transformed(Expr::AggregateFunction(call), is_changed)
        }
        Expr::WindowFunction(mut call) => {
            if matches!(call.fun.name(), "min" | "max") || call.params.distinct {
                refuse(call.fun.name(), &call.params.args, schema)?;
            }
            let mut is_changed = in_order(&mut call.params.order_by, schema);
            for key in &mut call.params.partition_by {
                is_changed |= alike(&mut [key], schema);
            }
            Transformed::new_transformed(Expr::WindowFunction(call), is_changed)
        }
        other => Transformed::no(other),
    })
}

fn is_comparison(op: Operator) -> bool {
    use Operator::{Eq, Gt, GtEq, IsDistinctFrom, IsNotDistinctFrom, Lt, LtEq, NotEq};
    matches!(op, Eq | NotEq | Lt | LtEq | Gt | GtEq | IsDistinctFrom | IsNotDistinctFrom)
}

fn is_interval(data_type: &DataType) -> bool {
    match data_type {
        DataType::Interval(_) => true,
        DataType::List(field) | DataType::LargeList(field) => is_interval(field.data_type()),
        DataType::Struct(fields) => fields.iter().any(|field| is_interval(field.data_type())),
        _ => false,
    }
}

/// Replaces expressions by the lengths of their intervals if one of them is an interval. Text and
/// durations are then intervals too.
fn alike(expressions: &mut [&mut Expr], schema: &DFSchema) -> bool {
    let types: Vec<_> = expressions.iter().map(|expression| expression.get_type(schema)).collect();
    let is_one = |found: &Result<DataType>| matches!(found, Ok(DataType::Interval(_)));
    if !types.iter().any(is_one) {
        return false;
    }
    for (expression, found) in expressions.iter_mut().zip(types) {
        let value = std::mem::take(*expression);
        **expression = match found {
            Ok(DataType::Interval(_) | DataType::Duration(_)) => interval_length(value),
            Ok(found) if found.is_string() => {
                let interval = DataType::Interval(IntervalUnit::MonthDayNano);
                interval_length(Expr::Cast(Cast::new(Box::new(value), interval)))
            }
            _ => value,
        };
    }
    true
}

/// Orders by the length of intervals.
fn in_order(keys: &mut [Sort], schema: &DFSchema) -> bool {
    let mut is_changed = false;
    for key in keys {
        is_changed |= alike(&mut [&mut key.expr], schema);
    }
    is_changed
}

/// Replaces an expression and the column of a subquery by their lengths.
fn in_subquery(expression: &mut Expr, subquery: Subquery, schema: &DFSchema) -> Result<(Subquery, bool)> {
    let mut column = Expr::Column(Column::from(subquery.subquery.schema().qualified_field(0)));
    let inner = subquery.subquery.schema().clone();
    let is_interval = |found: Result<DataType>| matches!(found, Ok(DataType::Interval(_)));
    if !is_interval(expression.get_type(schema)) && !is_interval(column.get_type(&inner)) {
        return Ok((subquery, false));
    }
    let name = inner.field(0).name().clone();
    for (side, schema) in [(expression, schema), (&mut column, &inner)] {
        let as_interval =
            Cast::new(Box::new(std::mem::take(side)), DataType::Interval(IntervalUnit::MonthDayNano));
        *side = match &*as_interval.expr {
            value if is_interval(value.get_type(schema)) => interval_length(*as_interval.expr),
            _ => interval_length(Expr::Cast(as_interval)),
        };
    }
    let plan = LogicalPlanBuilder::from(subquery.subquery.clone()).project([column.alias(name)])?.build()?;
    Ok((subquery.with_plan(plan.into()), true))
}

fn refuse(function: &str, arguments: &[Expr], schema: &DFSchema) -> Result<()> {
    for argument in arguments {
        if is_interval(&argument.get_type(schema)?) {
            return Err(wrap(Error::Query(format!(
                "{function} of intervals, of which '24 hours' and '1 day' are equal: compare or sort them, as in \
                 first_value(i ORDER BY i) for the least"
            ))));
        }
    }
    Ok(())
}
