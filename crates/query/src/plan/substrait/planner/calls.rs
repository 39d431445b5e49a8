//! Calls of functions for each row.

use datafusion::common::{DFSchema, Result, plan_err};
use datafusion::execution::FunctionRegistry;
use datafusion::logical_expr::expr::ScalarFunction as Call;
use datafusion::logical_expr::{BinaryExpr, Case, Cast, Expr, Operator, lit};
use datafusion_substrait::logical_plan::consumer::{
    SubstraitConsumer, from_scalar_function, from_substrait_func_args, from_substrait_type, name_to_op,
    substrait_fun_name,
};
use substrait::proto::FunctionArgument;
use substrait::proto::expression::ScalarFunction;
use substrait::proto::function_argument::ArgType;
use substrait::proto::r#type::Kind;

use super::context::Consumer;
use super::signatures;
use crate::error::wrap;
use crate::plan::substrait::functions::{Form, Place, option, time_field};

/// Plans a call.
///
/// # Errors
/// The arguments are not those of the function.
pub(super) async fn plan(consumer: &Consumer<'_>, call: &ScalarFunction, schema: &DFSchema) -> Result<Expr> {
    let anchor = call.function_reference;
    let Some(form) = consumer.functions.form(consumer.state, anchor, Place::Row) else {
        return plan_err!("function {anchor} of the plan is not supported");
    };
    if form == Form::Extract {
        return extract(consumer, &call.arguments, schema).await;
    }
    let name = consumer.functions.names.functions.get(&anchor).map(|name| substrait_fun_name(name));
    let operator = name.and_then(name_to_op);
    if form == Form::Named && operator.is_none() {
        let call = from_scalar_function(consumer, call, schema).await?;
        if let Expr::ScalarFunction(call) = &call {
            signatures::check(&call.func, &call.args, schema)?;
        }
        return Ok(call);
    }
    let arguments = from_substrait_func_args(consumer, &call.arguments, schema).await?;
    match (form, operator) {
        // before functions of the session with the same name
        (Form::Named, Some(operator @ (Operator::Plus | Operator::Minus))) => {
            of_declared_time(consumer, call, chain(operator, arguments)?)
        }
        (Form::Named, Some(operator)) => chain(operator, arguments),
        (Form::Concat, _) => {
            let passes_over_null = option(&call.options, "null_handling")
                .is_some_and(|handling| handling.eq_ignore_ascii_case("IGNORE_NULLS"));
            match passes_over_null {
                true => function(consumer, "concat", arguments, schema),
                false => chain(Operator::StringConcat, arguments),
            }
        }
        (Form::Split, _) => {
            let (Some(text), Some(separator)) = (arguments.first().cloned(), arguments.get(1).cloned())
            else {
                return plan_err!("string_split takes a text and a separator");
            };
            let whole = function(consumer, "make_array", vec![text], schema)?;
            let parts = function(consumer, "string_to_array", arguments, schema)?;
            let is_missing = Expr::IsNull(Box::new(separator));
            Ok(Expr::Case(Case::new(
                None,
                vec![(Box::new(is_missing), Box::new(whole))],
                Some(Box::new(parts)),
            )))
        }
        (Form::IsInfinite, _) => {
            let size = function(consumer, "abs", arguments, schema)?;
            Ok(size.eq(lit(f64::INFINITY)))
        }
        (Form::IsFinite, _) => {
            let is_nan = function(consumer, "isnan", arguments.clone(), schema)?;
            let size = function(consumer, "abs", arguments, schema)?;
            Ok(Expr::Not(Box::new(is_nan)).and(size.not_eq(lit(f64::INFINITY))))
        }
        _ => plan_err!("function {anchor} of the plan is no function of rows"),
    }
}

/// Plans `extract`, whose first argument is the name of a field.
async fn extract(consumer: &Consumer<'_>, arguments: &[FunctionArgument], schema: &DFSchema) -> Result<Expr> {
    let [field, time] = arguments else {
        return plan_err!("extract with a time zone or an index is not supported: give a field and a time");
    };
    let (Some(ArgType::Enum(field)), Some(ArgType::Value(time))) = (&field.arg_type, &time.arg_type) else {
        return plan_err!("extract takes a field and a time");
    };
    let field = time_field(field).map_err(wrap)?;
    let time = consumer.consume_expression(time, schema).await?;
    function(consumer, "date_part", vec![lit(field), time], schema)
}

/// Gives a sum the type of timestamps, if the plan has it. A date and an interval make a timestamp
/// there, and a date here.
fn of_declared_time(consumer: &Consumer<'_>, call: &ScalarFunction, sum: Expr) -> Result<Expr> {
    match call.output_type.as_ref() {
        Some(declared) if matches!(declared.kind, Some(Kind::PrecisionTimestamp(_))) => {
            let declared = from_substrait_type(consumer, declared, &[], &mut 0)?;
            Ok(Expr::Cast(Cast::new(Box::new(sum), declared)))
        }
        _ => Ok(sum),
    }
}

/// Calls a function of the session.
///
/// # Errors
/// It does not take the arguments.
fn function(consumer: &Consumer<'_>, name: &str, arguments: Vec<Expr>, schema: &DFSchema) -> Result<Expr> {
    let function = consumer.state.udf(name)?;
    signatures::check(&function, &arguments, schema)?;
    Ok(Expr::ScalarFunction(Call::new_udf(function, arguments)))
}

/// Joins values by an operator, in a balanced tree.
///
/// # Errors
/// There is no value.
pub(super) fn chain(operator: Operator, mut values: Vec<Expr>) -> Result<Expr> {
    if values.is_empty() {
        return plan_err!("{operator} of the plan has no arguments");
    }
    let is_associative = matches!(
        operator,
        Operator::And | Operator::Or | Operator::StringConcat | Operator::Plus | Operator::Multiply
    );
    if values.len() < 2 && !matches!(operator, Operator::And | Operator::Or | Operator::StringConcat)
        || values.len() > 2 && !is_associative
    {
        return plan_err!("{operator} of the plan has {} arguments, not two", values.len());
    }
    while values.len() > 1 {
        let mut halves = Vec::with_capacity(values.len().div_ceil(2));
        let mut values_left = values.into_iter();
        while let Some(left) = values_left.next() {
            halves.push(match values_left.next() {
                Some(right) => Expr::BinaryExpr(BinaryExpr::new(Box::new(left), operator, Box::new(right))),
                None => left,
            });
        }
        values = halves;
    }
    Ok(values.swap_remove(0))
}
