//! Texts of the times that DataFusion's constants have as counts.

use arrow::array::temporal_conversions::{
    time32ms_to_time, time32s_to_time, time64ns_to_time, time64us_to_time, timestamp_ms_to_datetime,
    timestamp_ns_to_datetime, timestamp_s_to_datetime, timestamp_us_to_datetime,
};

/// Returns the text of a timestamp, given the name of its type and its count; `None` for a year
/// that has no text.
pub(super) fn timestamp(name: &str, count: i64) -> Option<String> {
    let time = match name {
        "TimestampSecond" => timestamp_s_to_datetime(count),
        "TimestampMillisecond" => timestamp_ms_to_datetime(count),
        "TimestampMicrosecond" => timestamp_us_to_datetime(count),
        "TimestampNanosecond" => timestamp_ns_to_datetime(count),
        _ => None,
    };
    time.map(|time| time.format("%Y-%m-%d %H:%M:%S%.f").to_string())
}

/// Returns the text of a time of day, given the name of its type and its count.
pub(super) fn time(name: &str, count: i64) -> Option<String> {
    let time = match name {
        "Time32Second" => time32s_to_time(i32::try_from(count).ok()?),
        "Time32Millisecond" => time32ms_to_time(i32::try_from(count).ok()?),
        "Time64Microsecond" => time64us_to_time(count),
        "Time64Nanosecond" => time64ns_to_time(count),
        _ => None,
    };
    time.map(|time| time.format("%H:%M:%S%.f").to_string())
}
