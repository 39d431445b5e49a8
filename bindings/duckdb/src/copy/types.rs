//! DuckDB's types as Parquet's and Arrow's, mapped as DuckDB's own writer maps them.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::datatypes::*;
use libduckdb_sys::*;
use pelton_pages::PARQUET_TYPE;

use super::gather::{
    Bits, Booleans, Bytes, Gather, Lists, Made, Nothing, Rows, Same, Strings, Structs, Words,
};
use crate::sys::{DAY_MICROS, Kind, MAX_OFFSET, Pod};

/// Microseconds in a millisecond, and in a second.
const MILLIS: i64 = 1_000;
const SECONDS: i64 = 1_000_000;

/// Gatherer of a column, or of a part of one.
type Gathered = Box<dyn Gather>;

/// Returns the field of a column, and the gatherer of its values.
///
/// # Errors
/// Parquet has no such type; the text suggests a cast.
pub fn column(name: &str, of: &Kind) -> Result<(Field, Gathered), String> {
    match of {
        Kind::Simple(id, alias) => simple(name, *id, alias.as_deref()),
        Kind::Decimal(width, scale) => Ok(decimal(name, *width, *scale as i8)),
        Kind::Enum(words) => Ok((named(field(name, DataType::BinaryView), "STRING"), word_numbers(words))),
        Kind::List(item) => list(name, item, Rows::Lists),
        Kind::Array(item, size) => list(name, item, Rows::Arrays(*size)),
        Kind::Map(key, value) => {
            let (key, keys) = column("key", key)?;
            let (value, values) = column("value", value)?;
            let pair = [key.with_nullable(false), value].map(Arc::new);
            let entries = DataType::Struct(pair.iter().cloned().collect());
            let of = DataType::Map(Arc::new(Field::new("key_value", entries, false)), false);
            let pairs = Structs::new(&pair, vec![keys, values]);
            let maps = Lists::new(&of, Rows::Lists, Box::new(pairs));
            Ok((field(name, of), Box::new(maps)))
        }
        Kind::Struct(parts) => {
            let parts = parts.iter().map(|(name, of)| column(name, of)).collect::<Result<Vec<_>, _>>()?;
            let (fields, parts): (Vec<_>, Vec<_>) =
                parts.into_iter().map(|(field, part)| (Arc::new(field), part)).unzip();
            let of = DataType::Struct(fields.iter().cloned().collect());
            Ok((field(name, of), Box::new(Structs::new(&fields, parts))))
        }
    }
}

fn field(name: &str, of: DataType) -> Field {
    Field::new(name, of, true)
}

/// Marks a field with a Parquet type that Arrow lacks.
fn named(field: Field, parquet: &str) -> Field {
    field.with_metadata(HashMap::from([(PARQUET_TYPE.to_owned(), parquet.to_owned())]))
}

fn list(name: &str, item: &Kind, rows: Rows) -> Result<(Field, Gathered), String> {
    let (item, elements) = column("element", item)?;
    let of = DataType::List(Arc::new(item));
    let lists = Lists::new(&of, rows, elements);
    Ok((field(name, of), Box::new(lists)))
}

/// Returns a decimal of the width that DuckDB's `DecimalType` has for its digits.
fn decimal(name: &str, width: u8, scale: i8) -> (Field, Gathered) {
    let of = match width {
        ..=9 => DataType::Decimal32(width, scale),
        10..=18 => DataType::Decimal64(width, scale),
        _ => DataType::Decimal128(width, scale),
    };
    let values: Gathered = match width {
        ..=4 => Box::new(Made::<i16, Decimal32Type>::new(&of, |value| Ok(value.into()))),
        5..=9 => Box::new(Same::<Decimal32Type>::new(&of)),
        10..=18 => Box::new(Same::<Decimal64Type>::new(&of)),
        _ => Box::new(Made::<[u8; 16], Decimal128Type>::new(&of, |value| Ok(i128::from_le_bytes(value)))),
    };
    (field(name, of), values)
}

/// Returns the gatherer of an ENUM's numbers, which have the width that DuckDB's `EnumTypeInfo` has
/// for the number of words.
fn word_numbers(words: &[String]) -> Gathered {
    match words.len() {
        ..=0xff => Box::new(Words::<u8>::new(words, usize::from)),
        0x100..=0xffff => Box::new(Words::<u16>::new(words, usize::from)),
        _ => Box::new(Words::<u32>::new(words, |number| number as usize)),
    }
}

fn simple(name: &str, id: DUCKDB_TYPE, alias: Option<&str>) -> Result<(Field, Gathered), String> {
    fn same<T: ArrowPrimitiveType>(of: DataType) -> (DataType, Gathered)
    where
        T::Native: Pod,
    {
        let gathered = Box::new(Same::<T>::new(&of));
        (of, gathered)
    }
    fn micros(make: fn(i64) -> Result<i64, String>) -> (DataType, Gathered) {
        let of = DataType::Timestamp(TimeUnit::Microsecond, None);
        let gathered = Box::new(Made::<i64, TimestampMicrosecondType>::new(&of, make));
        (of, gathered)
    }
    let utc = || Some("UTC".into());
    let (of, gathered) = match id {
        DUCKDB_TYPE_DUCKDB_TYPE_BOOLEAN => (DataType::Boolean, Box::<Booleans>::default() as Gathered),
        DUCKDB_TYPE_DUCKDB_TYPE_TINYINT => same::<Int8Type>(DataType::Int8),
        DUCKDB_TYPE_DUCKDB_TYPE_SMALLINT => same::<Int16Type>(DataType::Int16),
        DUCKDB_TYPE_DUCKDB_TYPE_INTEGER => same::<Int32Type>(DataType::Int32),
        DUCKDB_TYPE_DUCKDB_TYPE_BIGINT => same::<Int64Type>(DataType::Int64),
        DUCKDB_TYPE_DUCKDB_TYPE_UTINYINT => same::<UInt8Type>(DataType::UInt8),
        DUCKDB_TYPE_DUCKDB_TYPE_USMALLINT => same::<UInt16Type>(DataType::UInt16),
        DUCKDB_TYPE_DUCKDB_TYPE_UINTEGER => same::<UInt32Type>(DataType::UInt32),
        DUCKDB_TYPE_DUCKDB_TYPE_UBIGINT => same::<UInt64Type>(DataType::UInt64),
        DUCKDB_TYPE_DUCKDB_TYPE_FLOAT => same::<Float32Type>(DataType::Float32),
        DUCKDB_TYPE_DUCKDB_TYPE_DOUBLE => same::<Float64Type>(DataType::Float64),
        DUCKDB_TYPE_DUCKDB_TYPE_HUGEINT => doubles(|value| Ok(i128::from_le_bytes(value) as f64)),
        DUCKDB_TYPE_DUCKDB_TYPE_UHUGEINT => doubles(|value| Ok(u128::from_le_bytes(value) as f64)),
        DUCKDB_TYPE_DUCKDB_TYPE_DATE => same::<Date32Type>(DataType::Date32),
        DUCKDB_TYPE_DUCKDB_TYPE_TIME => {
            same::<Time64MicrosecondType>(DataType::Time64(TimeUnit::Microsecond))
        }
        DUCKDB_TYPE_DUCKDB_TYPE_TIME_NS => {
            same::<Time64NanosecondType>(DataType::Time64(TimeUnit::Nanosecond))
        }
        DUCKDB_TYPE_DUCKDB_TYPE_TIME_TZ => {
            let of = DataType::Time64(TimeUnit::Microsecond);
            let gathered = Made::<u64, Time64MicrosecondType>::new(&of, |value| Ok(utc_time(value)));
            // parquet-rs looks for this key of a time in UTC.
            let adjusted = HashMap::from([("adjusted_to_utc".to_owned(), String::new())]);
            return Ok((field(name, of).with_metadata(adjusted), Box::new(gathered)));
        }
        DUCKDB_TYPE_DUCKDB_TYPE_TIMESTAMP => {
            same::<TimestampMicrosecondType>(DataType::Timestamp(TimeUnit::Microsecond, None))
        }
        DUCKDB_TYPE_DUCKDB_TYPE_TIMESTAMP_S => micros(|value| times(value, SECONDS)),
        DUCKDB_TYPE_DUCKDB_TYPE_TIMESTAMP_MS => {
            same::<TimestampMillisecondType>(DataType::Timestamp(TimeUnit::Millisecond, None))
        }
        DUCKDB_TYPE_DUCKDB_TYPE_TIMESTAMP_NS => {
            same::<TimestampNanosecondType>(DataType::Timestamp(TimeUnit::Nanosecond, None))
        }
        DUCKDB_TYPE_DUCKDB_TYPE_TIMESTAMP_TZ => {
            same::<TimestampMicrosecondType>(DataType::Timestamp(TimeUnit::Microsecond, utc()))
        }
        DUCKDB_TYPE_DUCKDB_TYPE_TIMESTAMP_TZ_NS => {
            same::<TimestampNanosecondType>(DataType::Timestamp(TimeUnit::Nanosecond, utc()))
        }
        DUCKDB_TYPE_DUCKDB_TYPE_SQLNULL => (DataType::Null, Box::<Nothing>::default() as Gathered),
        DUCKDB_TYPE_DUCKDB_TYPE_BLOB => (DataType::BinaryView, Box::<Strings>::default() as Gathered),
        DUCKDB_TYPE_DUCKDB_TYPE_VARCHAR => {
            let parquet = if alias == Some("JSON") { "JSON" } else { "STRING" };
            return Ok((named(field(name, DataType::BinaryView), parquet), Box::<Strings>::default()));
        }
        DUCKDB_TYPE_DUCKDB_TYPE_BIT => {
            return Ok((named(field(name, DataType::BinaryView), "STRING"), Box::<Bits>::default()));
        }
        DUCKDB_TYPE_DUCKDB_TYPE_UUID => {
            let gathered = Bytes::<16>::new(|value| Ok(uuid(value)));
            return Ok((named(field(name, DataType::FixedSizeBinary(16)), "UUID"), Box::new(gathered)));
        }
        DUCKDB_TYPE_DUCKDB_TYPE_INTERVAL => {
            let gathered = Bytes::<12>::new(interval);
            return Ok((named(field(name, DataType::FixedSizeBinary(12)), "INTERVAL"), Box::new(gathered)));
        }
        DUCKDB_TYPE_DUCKDB_TYPE_UNION => {
            return Err(refused(name, "UNION", "cast it to VARCHAR, or to a STRUCT"));
        }
        DUCKDB_TYPE_DUCKDB_TYPE_BIGNUM => {
            return Err(refused(name, "BIGNUM", "cast it to VARCHAR or to DOUBLE"));
        }
        _ => {
            let of = alias.map_or_else(|| format!("of DuckDB's type number {id}"), str::to_owned);
            return Err(refused(name, &of, "cast it to VARCHAR or to BLOB"));
        }
    };
    Ok((field(name, of), gathered))
}

fn refused(name: &str, of: &str, instead: &str) -> String {
    format!("column {name} is {of}, which Parquet has no type for; {instead}")
}

/// Converts HUGEINT to DOUBLE, as DuckDB's writer does: Parquet's integers are too narrow.
fn doubles(make: fn([u8; 16]) -> Result<f64, String>) -> (DataType, Gathered) {
    (DataType::Float64, Box::new(Made::<[u8; 16], Float64Type>::new(&DataType::Float64, make)))
}

/// Scales a time. DuckDB's infinities are the outermost values of each unit, and stay unchanged.
fn times(value: i64, factor: i64) -> Result<i64, String> {
    if value == i64::MAX || value == -i64::MAX {
        return Ok(value);
    }
    value
        .checked_mul(factor)
        .ok_or_else(|| "a TIMESTAMP_S that microseconds do not reach; cast it to TIMESTAMP".into())
}

/// Returns the time of a TIME WITH TIME ZONE in UTC.
fn utc_time(value: u64) -> i64 {
    let (micros, offset) = ((value >> 24) as i64, MAX_OFFSET - (value & 0xff_ffff) as i64);
    (micros - offset * SECONDS).rem_euclid(DAY_MICROS)
}

/// Undoes DuckDB's flip of the uppermost bit, which makes UUIDs sort as signed numbers.
fn uuid(value: [u8; 16]) -> [u8; 16] {
    (u128::from_le_bytes(value) ^ 1 << 127).to_be_bytes()
}

/// Returns months, days and milliseconds, as unsigned numbers of 32 bits (parquet-format,
/// "INTERVAL"). DuckDB's microseconds are truncated, as in its own writer.
fn interval(value: [u8; 16]) -> Result<[u8; 12], String> {
    let [months, days] =
        [0, 4].map(|at| i32::from_le_bytes([value[at], value[at + 1], value[at + 2], value[at + 3]]));
    let [.., a, b, c, d, e, f, g, h] = value;
    let millis = i64::from_le_bytes([a, b, c, d, e, f, g, h]) / MILLIS;
    let parts = (u32::try_from(months), u32::try_from(days), u32::try_from(millis));
    let (Ok(months), Ok(days), Ok(millis)) = parts else {
        return Err(format!(
            "an interval of {months} months, {days} days and {millis} milliseconds: Parquet's have three numbers from 0 to \
             4,294,967,295; cast it to VARCHAR"
        ));
    };
    let mut bytes = [0; 12];
    for (to, part) in bytes.chunks_exact_mut(4).zip([months, days, millis]) {
        to.copy_from_slice(&part.to_le_bytes());
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests;
