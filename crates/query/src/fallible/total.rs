//! Test for expressions that have a result for all values of their columns.
//!
//! It knows the parts that never fail, where [`can_fail`](super::can_fail) knows those that often
//! do: an expression that it does not know counts as one that fails.

use std::sync::Arc;

use arrow::datatypes::{DataType, Schema};
use datafusion::common::ScalarValue;
use datafusion::logical_expr::Operator;
use datafusion::physical_expr::expressions::{
    BinaryExpr, CaseExpr, CastExpr, Column, InListExpr, IsNotNullExpr, IsNullExpr, LikeExpr, Literal, NotExpr,
};
use datafusion::physical_expr::{PhysicalExpr, ScalarFunctionExpr};

use super::is_not_zero;
use crate::functions::Arithmetic;
use crate::tree::grown;

/// Functions of any arguments.
const FUNCTIONS: [&str; 6] = ["character_length", "coalesce", "date_part", "lower", "octet_length", "upper"];

/// Digits of the widest decimal.
const MAX_DIGITS: u8 = 38;

/// Returns whether an expression over the columns of a schema never fails.
pub(crate) fn never_fails(expression: &Arc<dyn PhysicalExpr>, schema: &Schema) -> bool {
    grown(|| {
        let children = expression.children();
        is_total(expression, schema) && children.into_iter().all(|child| never_fails(child, schema))
    })
}

/// Returns whether the operation of an expression has a result for all arguments.
fn is_total(expression: &Arc<dyn PhysicalExpr>, schema: &Schema) -> bool {
    if let Some(binary) = expression.downcast_ref::<BinaryExpr>() {
        let is_float = || expression.data_type(schema).is_ok_and(|found| found.is_floating());
        return match binary.op() {
            Operator::And | Operator::Or | Operator::Eq | Operator::NotEq => true,
            Operator::Lt | Operator::LtEq | Operator::Gt | Operator::GtEq => true,
            Operator::IsDistinctFrom | Operator::IsNotDistinctFrom => true,
            Operator::Plus | Operator::Minus | Operator::Multiply => is_float(),
            Operator::Divide | Operator::Modulo => binary.right().downcast_ref().is_some_and(is_safe_divisor),
            _ => false,
        };
    }
    if let Some(cast) = expression.downcast_ref::<CastExpr>() {
        return cast.expr().data_type(schema).is_ok_and(|from| holds(cast.cast_type(), &from));
    }
    if let Some(call) = expression.downcast_ref::<ScalarFunctionExpr>() {
        let arithmetic = call.fun().inner().downcast_ref::<Arithmetic>();
        return arithmetic.is_some_and(|arithmetic| has_room(arithmetic, call.args()))
            || FUNCTIONS.contains(&call.name());
    }
    expression.is::<Column>()
        || expression.is::<Literal>()
        || expression.is::<CaseExpr>()
        || expression.is::<InListExpr>()
        || expression.is::<IsNullExpr>()
        || expression.is::<IsNotNullExpr>()
        || expression.is::<LikeExpr>()
        || expression.is::<NotExpr>()
}

/// Returns whether all whole numbers have a quotient and a remainder by a number: not by 0, and not
/// by -1, for which the quotient of the least number overflows.
fn is_safe_divisor(divisor: &Literal) -> bool {
    let value = divisor.value();
    let is_minus_one = ScalarValue::new_negative_one(&value.data_type()).is_ok_and(|one| one == *value);
    value.data_type().is_integer() && is_not_zero(value) && !is_minus_one
}

/// Returns whether every result has the digits of its type. Those of a decimal grow with each
/// operation, up to the widest. A divisor must be a number that is known not to be 0.
fn has_room(arithmetic: &Arithmetic, arguments: &[Arc<dyn PhysicalExpr>]) -> bool {
    let has_results = match (arithmetic.operator(), arguments) {
        (Some(Operator::Plus | Operator::Minus | Operator::Multiply), _) => true,
        (Some(Operator::Divide), [_, divisor]) => {
            divisor.downcast_ref::<Literal>().is_some_and(|divisor| is_not_zero(divisor.value()))
        }
        _ => false,
    };
    has_results && matches!(arithmetic.result(), DataType::Decimal128(digits, _) if *digits < MAX_DIGITS)
}

/// Returns whether a type has all values of another one, if need be rounded.
fn holds(to: &DataType, from: &DataType) -> bool {
    use DataType::{
        Decimal32, Decimal64, Decimal128, Float16, Float32, Float64, Int8, Int16, Int32, Int64, LargeUtf8,
        UInt8, UInt16, UInt64, Utf8, Utf8View,
    };
    let is_number = from.is_integer() || matches!(from, Decimal32(..) | Decimal64(..) | Decimal128(..));
    match (from, to) {
        (from, to) if from == to => true,
        (Utf8 | LargeUtf8 | Utf8View, Utf8 | LargeUtf8 | Utf8View) => true,
        (Float16 | Float32, Float64) => true,
        (_, Float64) => is_number,
        (_, Decimal128(digits, scale)) => {
            let before = i16::from(*digits) - i16::from(*scale);
            match from {
                Decimal32(from, own) | Decimal64(from, own) | Decimal128(from, own) => {
                    own <= scale && i16::from(*from) - i16::from(*own) <= before
                }
                from => whole_digits(from).is_some_and(|digits| digits <= before),
            }
        }
        (Int8 | UInt8, Int16) | (Int8 | Int16 | UInt8 | UInt16, Int32) => true,
        (from, Int64) => from.is_integer() && *from != UInt64,
        _ => false,
    }
}

/// Returns the digits of the greatest value of a type of whole numbers.
fn whole_digits(data_type: &DataType) -> Option<i16> {
    Some(match data_type {
        DataType::Int8 | DataType::UInt8 => 3,
        DataType::Int16 | DataType::UInt16 => 5,
        DataType::Int32 | DataType::UInt32 => 10,
        DataType::Int64 => 19,
        DataType::UInt64 => 20,
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
