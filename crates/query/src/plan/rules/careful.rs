//! Functions of DataFusion's that claim too much of their results.

use datafusion::arrow::datatypes::{DataType, TimeUnit};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::expr_rewriter::FunctionRewrite;
use datafusion::logical_expr::{Cast, Expr, ExprSchemable, Operator, binary_expr, lit};

use crate::functions::careful;

/// Puts [`careful`] functions in their place. The planner makes calls of some without looking their
/// names up.
#[derive(Debug)]
pub(in crate::plan) struct CarefulFunctions;

impl FunctionRewrite for CarefulFunctions {
    fn name(&self) -> &str {
        "careful_functions"
    }

    fn rewrite(&self, expr: Expr, schema: &DFSchema, _: &ConfigOptions) -> Result<Transformed<Expr>> {
        let Expr::ScalarFunction(mut call) = expr else { return Ok(Transformed::no(expr)) };
        if let Some(seconds) = epoch(&call, schema) {
            return Ok(Transformed::yes(seconds));
        }
        if call.name() == "round"
            && let Some(places) = call.args.get_mut(1)
        {
            *places = as_places(std::mem::take(places));
        }
        let function = careful(&call.func);
        let is_changed = function.is_some();
        if is_changed && matches!(call.func.name(), "ceil" | "floor") {
            call.args = call.args.into_iter().map(|value| with_room(value, schema)).collect();
        }
        call.func = function.unwrap_or(call.func);
        Ok(Transformed::new_transformed(Expr::ScalarFunction(call), is_changed))
    }
}

/// Gives a decimal a digit more in front of the point, as its next whole number may need one.
fn with_room(value: Expr, schema: &DFSchema) -> Expr {
    match value.get_type(schema) {
        Ok(DataType::Decimal128(digits @ ..38, scale @ 1..)) => {
            Expr::Cast(Cast::new(Box::new(value), DataType::Decimal128(digits + 1, scale)))
        }
        _ => value,
    }
}

/// Gives a literal the type that `round` has for places behind the point. The type of the result is
/// that of another scale while a conversion of the literal stands there.
fn as_places(places: Expr) -> Expr {
    match places {
        Expr::Literal(ScalarValue::Int64(Some(count)), metadata) => match i32::try_from(count) {
            Ok(count) => lit(count),
            Err(_) => Expr::Literal(ScalarValue::Int64(Some(count)), metadata),
        },
        other => other,
    }
}

/// The seconds of a difference of timestamps, of which DataFusion drops the fraction.
fn epoch(call: &ScalarFunction, schema: &DFSchema) -> Option<Expr> {
    let [Expr::Literal(part, _), difference] = call.args.as_slice() else { return None };
    let is_epoch = part.try_as_str().flatten().is_some_and(|part| part.eq_ignore_ascii_case("epoch"));
    let Ok(DataType::Duration(unit)) = difference.get_type(schema) else { return None };
    if call.name() != "date_part" || !is_epoch {
        return None;
    }
    let in_second = match unit {
        TimeUnit::Second => 1e0,
        TimeUnit::Millisecond => 1e3,
        TimeUnit::Microsecond => 1e6,
        TimeUnit::Nanosecond => 1e9,
    };
    let count = Expr::Cast(Cast::new(Box::new(difference.clone()), DataType::Int64));
    let count = Expr::Cast(Cast::new(Box::new(count), DataType::Float64));
    Some(binary_expr(count, Operator::Divide, lit(in_second)))
}
