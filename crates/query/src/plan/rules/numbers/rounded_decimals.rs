//! Arguments of `round`, `ceil` and `floor`.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::expr_rewriter::FunctionRewrite;
use datafusion::logical_expr::{Cast, Expr, ExprSchemable, lit};

use super::mixed_numbers::coerced_type;

/// Gives such functions arguments by which a decimal result has one type, with room for its digits.
#[derive(Debug)]
pub(in crate::plan) struct RoundedDecimals;

impl FunctionRewrite for RoundedDecimals {
    fn name(&self) -> &str {
        "rounded_decimals"
    }

    fn rewrite(&self, expr: Expr, schema: &DFSchema, _: &ConfigOptions) -> Result<Transformed<Expr>> {
        let Expr::ScalarFunction(mut call) = expr else { return Ok(Transformed::no(expr)) };
        let changed = match (call.name(), call.args.as_slice()) {
            ("round", [_, places]) => as_places(places),
            ("ceil" | "floor", [value]) => with_room(value, schema),
            _ => None,
        };
        let is_changed = changed.is_some();
        if let (Some(changed), Some(last)) = (changed, call.args.last_mut()) {
            *last = changed;
        }
        Ok(Transformed::new_transformed(Expr::ScalarFunction(call), is_changed))
    }
}

/// A decimal with a digit more in front of the point, as its next whole number may need one. A
/// pushed condition comes here again when its scan is planned.
fn with_room(value: &Expr, schema: &DFSchema) -> Option<Expr> {
    if let Expr::Cast(Cast { expr, field }) = value
        && let Ok(DataType::Decimal128(digits, scale)) = expr.get_type(schema)
        && *field.data_type() == DataType::Decimal128(digits + 1, scale)
    {
        return None;
    }
    match coerced_type(value, schema) {
        Ok(DataType::Decimal128(digits @ ..38, scale @ 1..)) => {
            let wider = DataType::Decimal128(digits + 1, scale);
            Some(Expr::Cast(Cast::new(Box::new(value.clone()), wider)))
        }
        _ => None,
    }
}

/// A literal of the type that `round` has for places behind the point. The type of the result is
/// that of another scale while a conversion of the literal stands there.
fn as_places(places: &Expr) -> Option<Expr> {
    match places {
        Expr::Literal(ScalarValue::Int64(Some(count)), _) => i32::try_from(*count).ok().map(lit),
        _ => None,
    }
}
