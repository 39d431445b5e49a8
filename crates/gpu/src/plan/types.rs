//! Types of values: constants, and the casts between types.

use arrow::datatypes::DataType;
use datafusion::common::ScalarValue;

use crate::ir::{Expr, Kind, Literal, Scalar};

/// Result with the reason why the GPU does not do something.
pub(super) type Result<T> = std::result::Result<T, String>;

/// Returns whether a cast makes integers of other numbers. The CPU engine rounds in such casts of
/// the query, and truncates in its own.
pub(super) fn rounds(from: &DataType, to: &DataType) -> bool {
    to.is_integer() && (from.is_floating() || matches!(from, DataType::Decimal128(_, 1..)))
}

/// Casts a value to another type.
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

/// Checks that a value has a type; a NULL takes it.
///
/// # Errors
/// It has another type.
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

/// Returns a constant without its type; `None` is null.
///
/// # Errors
/// The GPU has no constants of this type.
pub(crate) fn literal(value: &ScalarValue) -> Result<Option<Literal>> {
    use ScalarValue as S;
    macro_rules! integer {
        ($value:expr) => {
            $value.map(|x| Literal::Integer(x.into()))
        };
    }
    Ok(match value {
        S::Null => None,
        S::Boolean(x) => x.map(Literal::Bool),
        S::Int8(x) => integer!(x),
        S::Int16(x) => integer!(x),
        S::Int32(x) | S::Date32(x) | S::Time32Second(x) | S::Time32Millisecond(x) => integer!(x),
        S::Int64(x)
        | S::Date64(x)
        | S::Time64Microsecond(x)
        | S::Time64Nanosecond(x)
        | S::TimestampSecond(x, _)
        | S::TimestampMillisecond(x, _)
        | S::TimestampMicrosecond(x, _)
        | S::TimestampNanosecond(x, _) => integer!(x),
        S::UInt8(x) => integer!(x),
        S::UInt16(x) => integer!(x),
        S::UInt32(x) => integer!(x),
        S::UInt64(x) => integer!(x),
        S::Decimal128(x, _, _) => x.map(Literal::Integer),
        S::Float32(x) => x.map(|x| Literal::Float(x.into())),
        S::Float64(x) => x.map(Literal::Float),
        S::Utf8(x) | S::LargeUtf8(x) | S::Utf8View(x) => {
            x.as_ref().map(|x| Literal::Text(x.clone().into_bytes()))
        }
        S::Binary(x) | S::LargeBinary(x) | S::BinaryView(x) => x.as_ref().map(|x| Literal::Text(x.clone())),
        S::Dictionary(_, value) => literal(value)?,
        other => return Err(format!("constants of type {} are not supported", other.data_type())),
    })
}
