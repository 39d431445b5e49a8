//! Values of fixed width.

use arrow::array::{Array, ArrayRef, ArrowPrimitiveType, AsArray, BooleanArray};
use arrow::buffer::NullBuffer;
use arrow::datatypes::*;

use super::mismatch;
use crate::error::{Error, Result};
use crate::sys::{DAY_MICROS, MAX_OFFSET, Pod, Type, Vector};

pub(super) fn write(
    array: &ArrayRef,
    from: usize,
    rows: usize,
    nulls: Option<&NullBuffer>,
    to: &mut Vector,
) -> Result<()> {
    let range = from..from + rows;
    // Values with the same bits in both.
    macro_rules! copy {
        ($arrow:ty) => {{
            let values = &array.as_primitive::<$arrow>().values()[range];
            to.values(rows).copy_from_slice(values);
            Ok(())
        }};
    }
    // Values that are converted.
    macro_rules! map {
        ($arrow:ty, $f:expr) => {{
            let values = &array.as_primitive::<$arrow>().values()[range];
            each(values, to, $f)
        }};
    }
    // Values that are converted, and may be out of range.
    macro_rules! checked {
        ($arrow:ty, $f:expr) => {
            checked::<$arrow, _>(array, (from, rows), nulls, to, $f)
        };
    }
    let of = to.of().clone();
    match (&of, array.data_type()) {
        (Type::Boolean, DataType::Boolean) => {
            booleans(array.as_boolean(), from, to.values(rows));
            Ok(())
        }
        (Type::TinyInt, DataType::Int8) => copy!(Int8Type),
        (Type::SmallInt, DataType::Int16) => copy!(Int16Type),
        (Type::Integer, DataType::Int32) => copy!(Int32Type),
        (Type::BigInt, DataType::Int64) => copy!(Int64Type),
        (Type::UTinyInt, DataType::UInt8) => copy!(UInt8Type),
        (Type::USmallInt, DataType::UInt16) => copy!(UInt16Type),
        (Type::UInteger, DataType::UInt32) => copy!(UInt32Type),
        (Type::UBigInt, DataType::UInt64) => copy!(UInt64Type),
        (Type::Float, DataType::Float32) => copy!(Float32Type),
        (Type::Float, DataType::Float16) => map!(Float16Type, |v| v.to_f32()),
        (Type::Double, DataType::Float64) => copy!(Float64Type),
        (Type::Double, DataType::Decimal256(_, scale)) => map!(Decimal256Type, |v| nearest(v, *scale)),
        (Type::Date, DataType::Date32) => copy!(Date32Type),
        (Type::Time, DataType::Time32(_)) => checked!(Time32MillisecondType, |v| of_day(i64::from(v) * 1000)),
        (Type::Time, DataType::Time64(_)) => checked!(Time64MicrosecondType, of_day),
        (Type::TimeNs, DataType::Time64(_)) => {
            checked!(Time64NanosecondType, |v: i64| of_day(v.div_euclid(1000)).map(|_| v))
        }
        (Type::TimeTz, DataType::Time32(_)) => {
            checked!(Time32MillisecondType, |v| of_day(i64::from(v) * 1000).map(of_utc))
        }
        (Type::TimeTz, DataType::Time64(TimeUnit::Microsecond)) => {
            checked!(Time64MicrosecondType, |v| of_day(v).map(of_utc))
        }
        (Type::TimeTz, DataType::Time64(_)) => {
            checked!(Time64NanosecondType, |v: i64| of_day(v.div_euclid(1000)).map(of_utc))
        }
        (Type::Timestamp | Type::TimestampTz, DataType::Timestamp(unit, _)) => match unit {
            TimeUnit::Microsecond => copy!(TimestampMicrosecondType),
            TimeUnit::Millisecond => checked!(TimestampMillisecondType, |v: i64| v.checked_mul(1000)),
            // DuckDB 1.5 has no finer type with a time zone.
            TimeUnit::Nanosecond => map!(TimestampNanosecondType, |v: i64| v / 1000),
            TimeUnit::Second => Err(mismatch(array, to)),
        },
        (Type::TimestampNs | Type::TimestampTzNs, DataType::Timestamp(TimeUnit::Nanosecond, _)) => {
            copy!(TimestampNanosecondType)
        }
        (Type::Decimal(..), DataType::Decimal32(..)) => match of.width() {
            2 => checked!(Decimal32Type, |v: i32| i16::try_from(v).ok()),
            _ => copy!(Decimal32Type),
        },
        (Type::Decimal(..), DataType::Decimal64(..)) => match of.width() {
            2 => checked!(Decimal64Type, |v: i64| i16::try_from(v).ok()),
            4 => checked!(Decimal64Type, |v: i64| i32::try_from(v).ok()),
            _ => copy!(Decimal64Type),
        },
        (Type::Decimal(..), DataType::Decimal128(..)) => match of.width() {
            2 => checked!(Decimal128Type, |v: i128| i16::try_from(v).ok()),
            4 => checked!(Decimal128Type, |v: i128| i32::try_from(v).ok()),
            8 => checked!(Decimal128Type, |v: i128| i64::try_from(v).ok()),
            _ => copy!(Decimal128Type),
        },
        (Type::Uuid, DataType::FixedSizeBinary(16)) => {
            let values = array.as_fixed_size_binary();
            let to = to.values::<u128>(rows);
            for (to, row) in to.iter_mut().zip(range) {
                let bytes: [u8; 16] = values.value(row).try_into().unwrap_or_default();
                *to = u128::from_be_bytes(bytes) ^ 1 << 127;
            }
            Ok(())
        }
        (Type::Interval, DataType::FixedSizeBinary(12)) => {
            let values = array.as_fixed_size_binary();
            let to = to.values::<u128>(rows);
            for (to, row) in to.iter_mut().zip(range) {
                *to = interval(values.value(row));
            }
            Ok(())
        }
        _ => Err(mismatch(array, to)),
    }
}

fn each<A: Copy, D: Pod>(from: &[A], to: &mut Vector, f: impl Fn(A) -> D) -> Result<()> {
    let to = to.values(from.len());
    for (to, from) in to.iter_mut().zip(from) {
        *to = f(*from);
    }
    Ok(())
}

/// Converts values. A value under a null may be anything, and is not converted.
fn checked<A: ArrowPrimitiveType, D: Pod + Default>(
    array: &ArrayRef,
    (from, rows): (usize, usize),
    nulls: Option<&NullBuffer>,
    to: &mut Vector,
    f: impl Fn(A::Native) -> Option<D>,
) -> Result<()> {
    let values = &array.as_primitive::<A>().values()[from..from + rows];
    let of = to.of().clone();
    for (row, (to, value)) in to.values(rows).iter_mut().zip(values).enumerate() {
        *to = match f(*value) {
            Some(value) => value,
            None if nulls.is_some_and(|nulls| nulls.is_null(from + row)) => D::default(),
            None => {
                let (what, data_type) = (format!("{value:?}"), array.data_type());
                return Err(Error::Value(format!("the value {what}, {data_type}, does not fit into {of:?}")));
            }
        };
    }
    Ok(())
}

fn booleans(array: &BooleanArray, from: usize, to: &mut [u8]) {
    let bits = array.values().slice(from, to.len());
    let chunks = bits.bit_chunks();
    for (bytes, word) in to.chunks_mut(64).zip(chunks.iter_padded()) {
        for (bit, byte) in bytes.iter_mut().enumerate() {
            *byte = (word >> bit & 1) as u8;
        }
    }
}

/// Returns the number nearest to a decimal. By its digits, as no sum of parts is rounded once only;
/// such columns are rare.
fn nearest(value: i256, scale: i8) -> f64 {
    format!("{value}e{}", -i16::from(scale)).parse().unwrap_or(f64::NAN)
}

/// Returns the microseconds if they are within a day, its end included. DuckDB 1.5
/// crashes when it prints others.
fn of_day(micros: i64) -> Option<i64> {
    (0..=DAY_MICROS).contains(&micros).then_some(micros)
}

/// Returns a TIME WITH TIME ZONE of UTC, from microseconds.
fn of_utc(micros: i64) -> u64 {
    (micros as u64) << 24 | MAX_OFFSET as u64
}

/// Converts an interval. Parquet's months and days are unsigned; DuckDB reads them as signed.
fn interval(bytes: &[u8]) -> u128 {
    let part = |at: usize| bytes[at..at + 4].try_into().map_or(0, u32::from_le_bytes);
    let micros = u64::from(part(8)) * 1000;
    // DuckDB's `interval_t`: months, days, and microseconds of 64 bits.
    u128::from(part(0)) | u128::from(part(4)) << 32 | u128::from(micros) << 64
}
