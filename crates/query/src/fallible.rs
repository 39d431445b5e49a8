//! Tests for expressions that can fail for some values, such as divisions and casts of text.

mod total;

use std::sync::Arc;

use crate::tree::Tree;
use arrow::datatypes::DataType;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{BinaryExpr, Cast, Expr, ExprSchemable, Operator};
use datafusion::physical_expr::expressions::{BinaryExpr as PhysicalBinary, CastExpr, Literal};
use datafusion::physical_expr::{PhysicalExpr, ScalarFunctionExpr};

pub(crate) use total::never_fails;

/// Functions that are undefined for some numbers, or that parse text.
const FUNCTIONS: [&str; 17] = [
    "acos",
    "acosh",
    "arrow_cast",
    "asin",
    "atanh",
    "cast",
    "chr",
    "divide",
    "factorial",
    "ln",
    "log",
    "log10",
    "log2",
    "power",
    "sqrt",
    "to_date",
    "to_timestamp",
];

/// Returns whether a part of an expression divides, casts text, or calls a partial function such as
/// a logarithm. Sums and products do not count, though they fail on overflow: that is rare in data.
pub(crate) fn can_fail(expression: &Arc<dyn PhysicalExpr>) -> bool {
    let mut found = false;
    let walked = expression.apply(|node| {
        found |= match node.downcast_ref::<PhysicalBinary>() {
            Some(binary) => {
                let divisor = binary.right().downcast_ref::<Literal>().map(Literal::value);
                divides(*binary.op()) && !divisor.is_some_and(is_not_zero)
            }
            None => {
                node.downcast_ref::<ScalarFunctionExpr>().is_some_and(call_can_fail)
                    || node.downcast_ref::<CastExpr>().is_some_and(|cast| reads_text(cast.cast_type()))
            }
        };
        Ok(if found { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    });
    debug_assert!(walked.is_ok(), "the visitor returns no error");
    found
}

fn call_can_fail(call: &ScalarFunctionExpr) -> bool {
    match (call.name(), call.args()) {
        ("divide", [_, divisor]) => {
            !divisor.downcast_ref::<Literal>().is_some_and(|divisor| is_not_zero(divisor.value()))
        }
        (name, _) => is_fallible(name),
    }
}

/// Returns the same for an expression of a logical plan, over the columns of its inputs. Subqueries
/// are not searched.
pub(crate) fn can_fail_logically(expression: &Expr, schema: &DFSchema) -> bool {
    expression
        .exists(|node| {
            Ok(match node {
                Expr::BinaryExpr(BinaryExpr { op, right, .. }) => divides(*op) && !is_safe_divisor(right),
                Expr::ScalarFunction(ScalarFunction { func, args }) => match (func.name(), args.as_slice()) {
                    ("divide", [_, divisor]) => !is_safe_divisor(divisor),
                    ("cast", [value]) => {
                        let types = (value.get_type(schema), node.get_type(schema));
                        !matches!(types, (Ok(from), Ok(to)) if has_all_values(&to, &from))
                    }
                    (name, _) => is_fallible(name),
                },
                Expr::Cast(Cast { expr, field }) => {
                    let is_text = expr.get_type(schema).is_ok_and(|from| from.is_string());
                    is_text && !field.data_type().is_string()
                }
                _ => false,
            })
        })
        .unwrap_or(true)
}

/// Returns whether a divisor is a number other than zero, which may have another whole type.
fn is_safe_divisor(divisor: &Expr) -> bool {
    match divisor {
        Expr::Literal(value, _) => is_not_zero(value),
        Expr::Cast(Cast { expr, .. }) => {
            matches!(expr.as_ref(), Expr::Literal(value, _) if value.data_type().is_integer() && is_not_zero(value))
        }
        _ => false,
    }
}

/// Returns whether a type of numbers has all whole numbers of another one, but for those above the
/// greatest of 64 bits with a sign.
fn has_all_values(to: &DataType, from: &DataType) -> bool {
    from.is_integer() && (matches!(to, DataType::Int64 | DataType::Float64) || to == from)
}

fn divides(op: Operator) -> bool {
    matches!(op, Operator::Divide | Operator::Modulo)
}

fn is_fallible(name: &str) -> bool {
    FUNCTIONS.contains(&name)
}

/// Returns whether casts to a type are likely to be casts of text. Other casts to these types don't
/// fail.
fn reads_text(to: &DataType) -> bool {
    to.is_temporal() || *to == DataType::Boolean
}

fn is_not_zero(value: &ScalarValue) -> bool {
    !value.is_null() && ScalarValue::new_zero(&value.data_type()).is_ok_and(|zero| zero != *value)
}
