//! Text of minima and maxima in a chunk's statistics.

use std::fmt::Write;

use arrow::temporal_conversions::{
    date32_to_datetime, time32ms_to_time, time64ns_to_time, time64us_to_time, timestamp_ms_to_datetime,
    timestamp_ns_to_datetime, timestamp_us_to_datetime,
};
use chrono::NaiveDateTime;
use parquet::basic::{ConvertedType, LogicalType, TimeUnit};
use parquet::data_type::AsBytes;
use parquet::file::statistics::Statistics;
use parquet::schema::types::ColumnDescriptor;

/// Returns the text of a chunk's minimum or maximum; `None` if it has none, or none of the column's
/// type.
pub(super) fn text(leaf: &ColumnDescriptor, statistics: &Statistics, maximum: bool) -> Option<String> {
    macro_rules! bound {
        ($statistics:expr) => {
            if maximum { $statistics.max_opt()? } else { $statistics.min_opt()? }
        };
    }
    match statistics {
        Statistics::Boolean(of) => Some(bound!(of).to_string()),
        Statistics::Int32(of) => integer(leaf, i64::from(*bound!(of)), u32::MAX.into()),
        Statistics::Int64(of) => integer(leaf, *bound!(of), u64::MAX),
        Statistics::Int96(_) => None,
        Statistics::Float(of) => Some(format!("{:?}", bound!(of))),
        Statistics::Double(of) => Some(format!("{:?}", bound!(of))),
        Statistics::ByteArray(of) => bytes(leaf, bound!(of).as_bytes()),
        Statistics::FixedLenByteArray(of) => bytes(leaf, bound!(of).as_bytes()),
    }
}

/// Meaning of a column's numbers.
enum Meaning {
    Number,
    Unsigned,
    Decimal(i32),
    Date,
    Time(TimeUnit),
    /// And whether it is in UTC.
    Timestamp(TimeUnit, bool),
}

fn meaning(leaf: &ColumnDescriptor) -> Meaning {
    match leaf.logical_type_ref() {
        Some(LogicalType::Integer(of)) if !of.is_signed => return Meaning::Unsigned,
        Some(LogicalType::Decimal(of)) => return Meaning::Decimal(of.scale),
        Some(LogicalType::Date) => return Meaning::Date,
        Some(LogicalType::Time(of)) => return Meaning::Time(of.unit),
        Some(LogicalType::Timestamp(of)) => return Meaning::Timestamp(of.unit, of.is_adjusted_to_u_t_c),
        _ => {}
    }
    match leaf.converted_type() {
        ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32 | ConvertedType::UINT_64 => {
            Meaning::Unsigned
        }
        ConvertedType::DECIMAL => Meaning::Decimal(leaf.type_scale()),
        ConvertedType::DATE => Meaning::Date,
        ConvertedType::TIME_MILLIS => Meaning::Time(TimeUnit::MILLIS),
        ConvertedType::TIME_MICROS => Meaning::Time(TimeUnit::MICROS),
        ConvertedType::TIMESTAMP_MILLIS => Meaning::Timestamp(TimeUnit::MILLIS, true),
        ConvertedType::TIMESTAMP_MICROS => Meaning::Timestamp(TimeUnit::MICROS, true),
        _ => Meaning::Number,
    }
}

/// Returns the text of an integer, of which `mask` has the bits that are stored.
fn integer(leaf: &ColumnDescriptor, value: i64, mask: u64) -> Option<String> {
    let moment = |at: NaiveDateTime| trimmed(&at.format("%Y-%m-%d %H:%M:%S%.9f").to_string());
    Some(match meaning(leaf) {
        Meaning::Number => value.to_string(),
        Meaning::Unsigned => (value as u64 & mask).to_string(),
        Meaning::Decimal(scale) => decimal(value.into(), scale)?,
        Meaning::Date => date32_to_datetime(value.try_into().ok()?)?.date().to_string(),
        Meaning::Time(unit) => {
            let time = match unit {
                TimeUnit::MILLIS => time32ms_to_time(value.try_into().ok()?)?,
                TimeUnit::MICROS => time64us_to_time(value)?,
                TimeUnit::NANOS => time64ns_to_time(value)?,
            };
            trimmed(&time.format("%H:%M:%S%.9f").to_string())
        }
        Meaning::Timestamp(unit, is_utc) => {
            let at = match unit {
                TimeUnit::MILLIS => timestamp_ms_to_datetime(value)?,
                TimeUnit::MICROS => timestamp_us_to_datetime(value)?,
                TimeUnit::NANOS => timestamp_ns_to_datetime(value)?,
            };
            moment(at) + if is_utc { "+00" } else { "" }
        }
    })
}

/// Removes zeros at the end of a fraction.
fn trimmed(text: &str) -> String {
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn bytes(leaf: &ColumnDescriptor, bytes: &[u8]) -> Option<String> {
    if let Meaning::Decimal(scale) = meaning(leaf) {
        let negative = bytes.first().is_some_and(|first| first & 0x80 != 0);
        let value = bytes
            .iter()
            .fold(if negative { -1 } else { 0 }, |value: i128, &byte| value << 8 | i128::from(byte));
        return (bytes.len() <= size_of::<i128>()).then(|| decimal(value, scale)).flatten();
    }
    let is_text =
        matches!(leaf.logical_type_ref(), Some(LogicalType::String | LogicalType::Enum | LogicalType::Json))
            || matches!(
                leaf.converted_type(),
                ConvertedType::UTF8 | ConvertedType::ENUM | ConvertedType::JSON
            );
    // a bound of a text may be cut within a character
    match std::str::from_utf8(bytes) {
        Ok(text) if is_text => Some(text.to_owned()),
        _ => Some(escaped(bytes)),
    }
}

/// Returns bytes as DuckDB writes a BLOB: what is not printable ASCII in hexadecimal.
fn escaped(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for &byte in bytes {
        match byte {
            b' '..=b'~' if !matches!(byte, b'\\' | b'\'' | b'"') => text.push(byte.into()),
            // writing to a String can't fail
            _ => _ = write!(text, "\\x{byte:02X}"),
        }
    }
    text
}

fn decimal(value: i128, scale: i32) -> Option<String> {
    let scale = usize::try_from(scale).ok().filter(|scale| *scale <= 38)?;
    let digits = format!("{:0>width$}", value.unsigned_abs(), width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    let sign = if value < 0 { "-" } else { "" };
    Some(if scale == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") })
}
