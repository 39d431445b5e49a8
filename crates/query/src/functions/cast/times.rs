//! Text of dates, timestamps, times of day and intervals in the notation of PostgreSQL and DuckDB.

use std::fmt::{self, Write};
use std::sync::Arc;

use arrow::array::timezone::Tz;
use arrow::array::{Array, ArrayRef, AsArray, StringArray};
use arrow::compute::{CastOptions, cast, cast_with_options, max};
use arrow::datatypes::{DataType, Date32Type, Int64Type, IntervalMonthDayNanoType, IntervalUnit, TimeUnit};
use arrow::error::ArrowError;
use chrono::{DateTime, Datelike, NaiveDateTime, Timelike};
use datafusion::common::Result;

use super::timestamps::parts;
use crate::functions::times::zone_offsets;

const NANOSECONDS: i64 = 1_000_000_000;

/// 9999-12-31, the last day that Arrow writes without a sign.
const LAST_DAY: i32 = 2_932_896;

/// Returns whether this module writes values of a type as text.
pub(super) fn is_ours(from: &DataType) -> bool {
    matches!(
        from,
        DataType::Date32
            | DataType::Timestamp(..)
            | DataType::Time32(_)
            | DataType::Time64(_)
            | DataType::Duration(_)
            | DataType::Interval(IntervalUnit::MonthDayNano)
    )
}

/// Writes values as text of a type.
///
/// # Errors
/// A timestamp is beyond the years of the calendar, or the zone is unknown.
pub(super) fn write(array: &ArrayRef, to: &DataType, options: &CastOptions<'_>) -> Result<ArrayRef> {
    let text = match array.data_type() {
        DataType::Date32 if max(array.as_primitive::<Date32Type>()) > Some(LAST_DAY) => dates(array)?,
        DataType::Timestamp(unit, zone) => {
            let zone = zone.as_deref().map(str::parse::<Tz>).transpose()?;
            timestamps(array, *unit, zone)?
        }
        &DataType::Time32(unit) => times(&cast(array, &DataType::Int32)?, unit)?,
        &DataType::Time64(unit) => times(array, unit)?,
        &DataType::Duration(unit) => {
            let ratio = NANOSECONDS / parts(unit);
            texts(array, |value| {
                const DAY: i128 = 86_400 * NANOSECONDS as i128;
                let value = i128::from(value) * i128::from(ratio);
                Some(interval(0, value / DAY, value % DAY))
            })?
        }
        DataType::Interval(IntervalUnit::MonthDayNano) => {
            let intervals = array.as_primitive::<IntervalMonthDayNanoType>().iter();
            let parts =
                |value: <IntervalMonthDayNanoType as arrow::datatypes::ArrowPrimitiveType>::Native| {
                    interval(value.months, value.days.into(), value.nanoseconds.into())
                };
            intervals.map(|value| value.map(parts)).collect()
        }
        _ => return Ok(cast_with_options(array, to, options)?),
    };
    let text: ArrayRef = Arc::new(text);
    Ok(cast_with_options(&text, to, options)?)
}

/// Returns the text of each value; a value without one is an error.
fn texts(array: &ArrayRef, text: impl Fn(i64) -> Option<String>) -> Result<StringArray> {
    let values = cast(array, &DataType::Int64)?;
    let one = |value: Option<i64>| match value {
        None => Ok(None),
        Some(value) => text(value).map(Some).ok_or_else(|| {
            let found = array.data_type();
            ArrowError::CastError(format!("{value} is beyond the years of the calendar, as {found}"))
        }),
    };
    Ok(values.as_primitive::<Int64Type>().iter().map(one).collect::<Result<_, _>>()?)
}

/// Writes dates, also with years of five digits or more.
fn dates(array: &ArrayRef) -> Result<StringArray> {
    let text = cast(array, &DataType::Utf8)?;
    let unsigned = |text: &str| text.trim_start_matches('+').to_owned();
    Ok(text.as_string::<i32>().iter().map(|text| text.map(unsigned)).collect())
}

fn timestamps(array: &ArrayRef, unit: TimeUnit, zone: Option<Tz>) -> Result<StringArray> {
    let (parts, ratio) = (parts(unit), NANOSECONDS / parts(unit));
    texts(array, |value| {
        let nanoseconds = u32::try_from(value.rem_euclid(parts) * ratio).ok()?;
        let utc = DateTime::from_timestamp(value.div_euclid(parts), nanoseconds)?.naive_utc();
        let mut text = String::with_capacity(32);
        match zone {
            None => moment(&mut text, utc).ok()?,
            Some(zone) => {
                let offset = zone_offsets::at_instant(zone, utc);
                moment(&mut text, utc.checked_add_offset(offset)?).ok()?;
                zone_offset(&mut text, offset.local_minus_utc()).ok()?;
            }
        }
        Some(text)
    })
}

/// Writes a date and a time of day.
fn moment(text: &mut String, at: NaiveDateTime) -> fmt::Result {
    // negative years have a sign and four digits
    let width = if at.year() < 0 { 5 } else { 4 };
    write!(text, "{:0width$}-{:02}-{:02} ", at.year(), at.month(), at.day())?;
    let seconds = i64::from(at.num_seconds_from_midnight());
    time_of_day(text, (seconds * NANOSECONDS + i64::from(at.nanosecond())).into())
}

/// Writes the hours of a UTC offset, and its minutes and seconds unless they are zero.
fn zone_offset(text: &mut String, seconds: i32) -> fmt::Result {
    let sign = if seconds < 0 { '-' } else { '+' };
    let seconds = seconds.abs();
    write!(text, "{sign}{:02}", seconds / 3_600)?;
    if seconds % 3_600 != 0 {
        write!(text, ":{:02}", seconds / 60 % 60)?;
    }
    if seconds % 60 != 0 {
        write!(text, ":{:02}", seconds % 60)?;
    }
    Ok(())
}

fn times(array: &ArrayRef, unit: TimeUnit) -> Result<StringArray> {
    let ratio = i128::from(NANOSECONDS / parts(unit));
    texts(array, |value| {
        let mut text = String::with_capacity(16);
        time_of_day(&mut text, i128::from(value) * ratio).ok()?;
        Some(text)
    })
}

/// Writes nanoseconds as hours, minutes and seconds, without trailing zeros.
fn time_of_day(text: &mut String, nanoseconds: i128) -> fmt::Result {
    let second = i128::from(NANOSECONDS);
    let seconds = nanoseconds / second;
    write!(text, "{:02}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60)?;
    let fraction = nanoseconds % second;
    if fraction != 0 {
        let digits = format!("{fraction:09}");
        write!(text, ".{}", digits.trim_end_matches('0'))?;
    }
    Ok(())
}

/// Returns an interval's text: the parts other than zero, or a time of day of zeros if there are
/// none.
fn interval(months: i32, days: i128, nanoseconds: i128) -> String {
    let mut text = String::new();
    for (count, unit) in [((months / 12).into(), "year"), ((months % 12).into(), "month"), (days, "day")] {
        if count != 0 {
            let plural = if i128::abs(count) == 1 { "" } else { "s" };
            let space = if text.is_empty() { "" } else { " " };
            text += &format!("{space}{count} {unit}{plural}");
        }
    }
    if nanoseconds != 0 || text.is_empty() {
        let space = if text.is_empty() { "" } else { " " };
        let sign = if nanoseconds < 0 { "-" } else { "" };
        text += space;
        text += sign;
        // writing to a String never fails
        _ = time_of_day(&mut text, nanoseconds.abs());
    }
    text
}

#[cfg(test)]
mod tests;
