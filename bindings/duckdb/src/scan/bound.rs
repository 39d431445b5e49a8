//! Bounds of ranges: what users write, as values of a column's type.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, Float64Array, StringArray};
use arrow::compute::{CastOptions, cast, cast_with_options};
use arrow::datatypes::{DataType, Float64Type, TimeUnit};
use arrow::error::ArrowError;

use crate::sys::Type;

/// Digits behind the point that a TIMESTAMP has.
const MICROSECOND_DIGITS: usize = 6;

/// The smallest and the largest value of a range, each of them an array of one.
pub type Bounds = (Option<ArrayRef>, Option<ArrayRef>);

/// A text as a value of a type; `None` where it is none, or lies between two: rounding it would let
/// other rows pass than SQL does.
pub fn exact(text: &str, of: &DataType, is_double: bool) -> Option<ArrayRef> {
    let options = CastOptions { safe: false, ..CastOptions::default() };
    let text: ArrayRef = Arc::new(StringArray::from(vec![text]));
    let cast = |array: &ArrayRef, to: &DataType| cast_with_options(array, to, &options).ok();
    let value = cast(&text, of)?;
    let finer = match of {
        // what all decimals of DuckDB's fit into, at their finest
        DataType::Decimal128(..) => DataType::Decimal256(76, 38),
        DataType::Date32 => DataType::Timestamp(TimeUnit::Microsecond, None),
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            let has_nanoseconds =
                text.as_string::<i32>().value(0).split_once('.').is_some_and(|(_, fraction)| {
                    let digits = fraction.bytes().take_while(u8::is_ascii_digit);
                    digits.skip(MICROSECOND_DIGITS).any(|digit| digit != b'0')
                });
            return (!has_nanoseconds).then_some(value);
        }
        DataType::Float32 if is_double => DataType::Float64,
        _ => return Some(value),
    };
    (cast(&value, &finer)? == cast(&text, &finer)?).then_some(value)
}

/// Types whose ranges can be written down.
pub fn arrow_type(of: &Type) -> Option<DataType> {
    use TimeUnit::{Microsecond, Nanosecond};
    Some(match of {
        Type::Boolean => DataType::Boolean,
        Type::TinyInt => DataType::Int8,
        Type::SmallInt => DataType::Int16,
        Type::Integer => DataType::Int32,
        Type::BigInt => DataType::Int64,
        Type::UTinyInt => DataType::UInt8,
        Type::USmallInt => DataType::UInt16,
        Type::UInteger => DataType::UInt32,
        Type::UBigInt => DataType::UInt64,
        Type::Float => DataType::Float32,
        Type::Double => DataType::Float64,
        Type::Decimal(width, scale) => DataType::Decimal128(*width, i8::try_from(*scale).ok()?),
        Type::Date => DataType::Date32,
        Type::Timestamp => DataType::Timestamp(Microsecond, None),
        Type::TimestampNs => DataType::Timestamp(Nanosecond, None),
        Type::TimestampTz => DataType::Timestamp(Microsecond, Some("UTC".into())),
        Type::TimestampTzNs => DataType::Timestamp(Nanosecond, Some("UTC".into())),
        Type::Varchar => DataType::Utf8,
        _ => return None,
    })
}

/// Bounds for kernels that compare floats in IEEE 754's total order. There -0.0 is less than 0.0,
/// but SQL has one zero; and NaN is beyond the infinities, but is to be in no range that has a
/// bound.
///
/// # Errors
/// The bounds can't be made the column's type.
pub fn in_total_order((low, high): Bounds) -> Result<Bounds, ArrowError> {
    let of = low.as_ref().or(high.as_ref()).map(|bound| bound.data_type().clone());
    let Some(of) = of.filter(DataType::is_floating) else { return Ok((low, high)) };
    let low = low.as_ref().map_or(Ok(f64::NEG_INFINITY), number)?;
    let high = high.as_ref().map_or(Ok(f64::INFINITY), number)?;
    let (low, high) = match low.is_nan() {
        // SQL has no number beyond NaN
        true => (f64::INFINITY, f64::NEG_INFINITY),
        false => (lower(low), upper(high)),
    };
    let bound = |value: f64| cast(&Float64Array::from(vec![value]), &of);
    Ok((Some(bound(low)?), Some(bound(high)?)))
}

fn number(bound: &ArrayRef) -> Result<f64, ArrowError> {
    Ok(cast(bound, &DataType::Float64)?.as_primitive::<Float64Type>().value(0))
}

fn lower(bound: f64) -> f64 {
    if bound == 0.0 { -0.0 } else { bound }
}

/// All numbers are less than NaN.
fn upper(bound: f64) -> f64 {
    let number = if bound.is_nan() { f64::INFINITY } else { bound };
    if number == 0.0 { 0.0 } else { number }
}
