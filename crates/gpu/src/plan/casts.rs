//! Which casts there are.

use arrow::datatypes::DataType;

use super::expression::Result;
use crate::ir::{Expr, Kind, Scalar};

/// Whether a cast makes whole numbers of others, for which the CPU engine rounds in casts that were
/// written, and cuts off in those that it makes itself.
pub(super) fn rounds(from: &DataType, to: &DataType) -> bool {
    to.is_integer() && (from.is_floating() || matches!(from, DataType::Decimal128(_, 1..)))
}

/// A value as another type.
///
/// # Errors
/// The GPU has no such cast.
pub(super) fn cast(value: Expr, to: &DataType) -> Result<Expr> {
    use DataType as T;
    if value.data_type == *to {
        return Ok(value);
    }
    let scalar = Scalar::of(to)?;
    if matches!(value.kind, Kind::Null) {
        return Ok(Expr { kind: Kind::Null, data_type: to.clone(), scalar, nullable: true });
    }
    let is_text = |t: &T| matches!(t, T::Utf8 | T::LargeUtf8 | T::Utf8View);
    let is_number = |t: &T| t.is_integer() || t.is_floating() || matches!(t, T::Decimal128(..));
    let from = &value.data_type;
    let possible = (is_text(from) && is_text(to))
        || (is_number(from) && is_number(to) && !matches!((from, to), (T::Float32 | T::Float64, T::Float32)))
        || matches!((from, to), (T::Int32, T::Date32) | (T::Date32, T::Int32) | (T::Float64, T::Float32));
    if !possible {
        return Err(format!("CAST from {from} to {to} is not supported"));
    }
    if is_text(to) {
        return Ok(Expr { data_type: to.clone(), ..value });
    }
    let nullable = value.nullable;
    Ok(Expr { kind: Kind::Cast(Box::new(value)), data_type: to.clone(), scalar, nullable })
}

/// A value that has a type already, or is a NULL that takes it.
///
/// # Errors
/// It has another.
pub(super) fn same_type(value: Expr, to: &DataType) -> Result<Expr> {
    let scalar = Scalar::of(to)?;
    if value.data_type == *to
        || matches!(value.kind, Kind::Null)
        || (value.scalar == Scalar::Str && scalar == Scalar::Str)
    {
        return Ok(Expr { data_type: to.clone(), scalar, ..value });
    }
    Err(format!("a value of type {} where {to} is expected", value.data_type))
}
