//! Decimal literals, in the scale of the other side of a comparison.

use arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use datafusion::common::tree_node::Transformed;
use datafusion::logical_expr::expr::InList;
use datafusion::logical_expr::{BinaryExpr, Cast, Expr, Operator, lit};

/// Returns a decimal literal as a float: the one nearest to it.
fn as_float(value: &ScalarValue, to: &DataType) -> Option<ScalarValue> {
    let ScalarValue::Decimal128(value, _, scale) = value else { return None };
    // a number in exponent notation is parsed with a single rounding
    let text = value.map(|value| format!("{value}e{}", -i16::from(*scale)));
    Some(match to {
        DataType::Float64 => ScalarValue::Float64(text.map(|text| text.parse()).transpose().ok()?),
        DataType::Float32 => ScalarValue::Float32(text.map(|text| text.parse()).transpose().ok()?),
        _ => return None,
    })
}

/// Returns an expression as another type; constants become constants.
pub(super) fn cast(expression: Expr, to: &DataType) -> Expr {
    if let Expr::Literal(value @ ScalarValue::Decimal128(..), _) = &expression
        && let Some(value) = as_float(value, to)
    {
        return lit(value);
    }
    Expr::Cast(Cast::new(Box::new(expression), to.clone()))
}

/// Position of a literal among the values of a type.
enum Position {
    /// It is one of them.
    At(ScalarValue),
    /// It lies between this one and the next.
    Above(ScalarValue),
    /// It is greater than all of them.
    Beyond,
    /// It is less than all of them.
    Before,
}

/// Returns the position of a decimal literal among integers or decimals; `None` for other types and
/// literals.
fn position(value: &ScalarValue, among: &DataType) -> Option<Position> {
    let &ScalarValue::Decimal128(Some(value), _, literal_scale) = value else { return None };
    let (scale, least, greatest) = match among {
        DataType::Int8 => (0, i8::MIN.into(), i8::MAX.into()),
        DataType::Int16 => (0, i16::MIN.into(), i16::MAX.into()),
        DataType::Int32 => (0, i32::MIN.into(), i32::MAX.into()),
        DataType::Int64 => (0, i64::MIN.into(), i64::MAX.into()),
        DataType::UInt8 => (0, 0, u8::MAX.into()),
        DataType::UInt16 => (0, 0, u16::MAX.into()),
        DataType::UInt32 => (0, 0, u32::MAX.into()),
        DataType::UInt64 => (0, 0, u64::MAX.into()),
        &DataType::Decimal128(precision, scale) => {
            let greatest = 10i128.checked_pow(precision.into())? - 1;
            (scale, -greatest, greatest)
        }
        _ => return None,
    };
    let shift = i16::from(scale) - i16::from(literal_scale);
    let power = 10i128.checked_pow(shift.unsigned_abs().into());
    let (floor, is_exact) = match (shift, power) {
        (0.., Some(power)) => (value.checked_mul(power), true),
        (0.., None) => (None, true),
        (_, Some(power)) => (Some(value.div_euclid(power)), value.rem_euclid(power) == 0),
        (_, None) => (Some(if value < 0 { -1 } else { 0 }), value == 0),
    };
    Some(match floor {
        None if value < 0 => Position::Before,
        None => Position::Beyond,
        Some(floor) if floor > greatest || (floor == greatest && !is_exact) => Position::Beyond,
        Some(floor) if floor < least => Position::Before,
        Some(floor) if is_exact => Position::At(of_type(floor, among)?),
        Some(floor) => Position::Above(of_type(floor, among)?),
    })
}

fn of_type(value: i128, data_type: &DataType) -> Option<ScalarValue> {
    Some(match data_type {
        DataType::Int8 => ScalarValue::Int8(value.try_into().ok()),
        DataType::Int16 => ScalarValue::Int16(value.try_into().ok()),
        DataType::Int32 => ScalarValue::Int32(value.try_into().ok()),
        DataType::Int64 => ScalarValue::Int64(value.try_into().ok()),
        DataType::UInt8 => ScalarValue::UInt8(value.try_into().ok()),
        DataType::UInt16 => ScalarValue::UInt16(value.try_into().ok()),
        DataType::UInt32 => ScalarValue::UInt32(value.try_into().ok()),
        DataType::UInt64 => ScalarValue::UInt64(value.try_into().ok()),
        &DataType::Decimal128(precision, scale) => ScalarValue::Decimal128(Some(value), precision, scale),
        _ => return None,
    })
}

/// Returns `expression op value` for a decimal literal in the expression's type; `None` if nothing
/// changes.
pub(super) fn comparison(
    expression: &Expr,
    data_type: &DataType,
    op: Operator,
    value: &ScalarValue,
) -> Option<Expr> {
    if matches!(expression, Expr::Literal(..)) || expression.is_volatile() {
        return None;
    }
    let with = |op, value| {
        let (left, right) = (Box::new(expression.clone()), Box::new(lit(value)));
        Some(Expr::BinaryExpr(BinaryExpr::new(left, op, right)))
    };
    match (position(value, data_type)?, op) {
        (Position::At(exact), _) => with(op, exact),
        (Position::Above(floor), Operator::Lt | Operator::LtEq) => with(Operator::LtEq, floor),
        (Position::Above(floor), Operator::Gt | Operator::GtEq) => with(Operator::Gt, floor),
        (_, Operator::IsDistinctFrom) => Some(lit(true)),
        (_, Operator::IsNotDistinctFrom) => Some(lit(false)),
        (_, Operator::Eq) | (Position::Before, Operator::Lt | Operator::LtEq) => {
            Some(constant(expression, false))
        }
        (Position::Beyond, Operator::Gt | Operator::GtEq) => Some(constant(expression, false)),
        (_, Operator::NotEq) | (Position::Before, Operator::Gt | Operator::GtEq) => {
            Some(constant(expression, true))
        }
        (Position::Beyond, Operator::Lt | Operator::LtEq) => Some(constant(expression, true)),
        _ => None,
    }
}

/// Returns a boolean where the expression has a value, and NULL where it is NULL.
fn constant(expression: &Expr, value: bool) -> Expr {
    let unknown = lit(ScalarValue::Boolean(None));
    match value {
        true => expression.clone().is_not_null().or(unknown),
        false => expression.clone().is_null().and(unknown),
    }
}

/// The ends of BETWEEN.
#[derive(Clone, Copy)]
pub(super) enum Side {
    Low,
    High,
}

/// Brings a literal bound of BETWEEN to the scale of the values between; returns whether it did.
pub(super) fn bound(bound: &mut Expr, data_type: &DataType, side: Side) -> bool {
    let Expr::Literal(value, _) = bound else { return false };
    let new = match (position(value, data_type), side) {
        (Some(Position::At(exact)), _) => Some(exact),
        (Some(Position::Above(floor)), Side::High) => Some(floor),
        (Some(Position::Above(floor)), Side::Low) => next(&floor),
        _ => None,
    };
    let is_changed = new.is_some();
    if let Some(new) = new {
        *bound = lit(new);
    }
    is_changed
}

/// Returns the value after one that is not the greatest of its type.
fn next(value: &ScalarValue) -> Option<ScalarValue> {
    let whole = match value {
        &ScalarValue::Decimal128(Some(value), ..) => value,
        ScalarValue::UInt64(Some(value)) => i128::from(*value),
        other => match other.cast_to(&DataType::Int64).ok()? {
            ScalarValue::Int64(Some(value)) => i128::from(value),
            _ => return None,
        },
    };
    of_type(whole + 1, &value.data_type())
}

/// Returns IN with its decimal literals in the scale of the value, without literals that no value
/// equals.
pub(super) fn list(list: InList, data_type: &DataType) -> Transformed<Expr> {
    let is_plain = !matches!(*list.expr, Expr::Literal(..)) && !list.expr.is_volatile();
    let mut is_changed = false;
    let mut kept = Vec::with_capacity(list.list.len());
    for item in &list.list {
        let found = match item {
            Expr::Literal(value, _) if is_plain => position(value, data_type),
            _ => None,
        };
        is_changed |= found.is_some();
        match found {
            Some(Position::At(exact)) => kept.push(lit(exact)),
            Some(_) => {}
            None => kept.push(item.clone()),
        }
    }
    if !is_changed {
        return Transformed::no(Expr::InList(list));
    }
    Transformed::yes(match kept.is_empty() {
        true => constant(&list.expr, list.negated),
        false => Expr::InList(InList::new(list.expr, kept, list.negated)),
    })
}
