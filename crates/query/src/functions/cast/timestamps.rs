//! Casts of timestamps to coarser units, and of text to timestamps.

use std::borrow::Cow;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int64Array, StringArray};
use arrow::compute::{CastOptions, cast, cast_with_options};
use arrow::datatypes::{DataType, Int64Type, TimeUnit};
use datafusion::common::Result;

/// Returns whether this module does a cast.
pub(super) fn is_ours(from: &DataType, to: &DataType) -> bool {
    match (from, to) {
        (DataType::Timestamp(from, _), DataType::Timestamp(to, _)) => parts(*from) > parts(*to),
        (from, DataType::Timestamp(..)) => from.is_string(),
        _ => false,
    }
}

/// Rounds timestamps to the nearest value of a coarser unit, and halves away from the epoch.
pub(super) fn round(array: &ArrayRef, to: &DataType, options: &CastOptions) -> Result<ArrayRef> {
    let (DataType::Timestamp(from, zone), DataType::Timestamp(unit, _)) = (array.data_type(), to) else {
        return Ok(cast_with_options(array, to, options)?);
    };
    let ratio = parts(*from) / parts(*unit);
    let values = cast(array, &DataType::Int64)?;
    let rounded: Int64Array = values.as_primitive::<Int64Type>().unary(|value| {
        let rest = value % ratio;
        value / ratio + if 2 * rest.abs() >= ratio { rest.signum() } else { 0 }
    });
    let rounded = cast(&rounded, &DataType::Timestamp(*unit, zone.clone()))?;
    Ok(cast_with_options(&rounded, to, options)?)
}

/// Reads text as timestamps. Seconds are optional. If the type has no zone, the text's offset is
/// ignored, as in PostgreSQL: noon at `+02` is noon.
pub(super) fn parse(array: &ArrayRef, to: &DataType, options: &CastOptions) -> Result<ArrayRef> {
    let DataType::Timestamp(unit, zone) = to else { return Ok(cast_with_options(array, to, options)?) };
    let fine = match is_coarse(*unit) {
        true => DataType::Timestamp(TimeUnit::Microsecond, zone.clone()),
        false => to.clone(),
    };
    let text = cast(array, &DataType::Utf8)?;
    let rows = text.as_string::<i32>().iter();
    let whole: ArrayRef = Arc::new(rows.map(|text| text.map(with_seconds)).collect::<StringArray>());
    let mut parsed = cast_with_options(&whole, &fine, options)?;
    if zone.is_none() {
        let text = whole.as_string::<i32>();
        if text.iter().flatten().any(|text| local(text).len() < text.len()) {
            let rows = text.iter().enumerate();
            let known = rows.map(|(row, text)| text.filter(|_| parsed.is_valid(row)).map(local));
            let known: ArrayRef = Arc::new(known.collect::<StringArray>());
            parsed = cast_with_options(&known, &fine, options)?;
        }
    }
    match fine == *to {
        true => Ok(parsed),
        false => round(&parsed, to, options),
    }
}

/// Appends `:00` to a time of hours and minutes, which Arrow does not read.
pub(crate) fn with_seconds(text: &str) -> Cow<'_, str> {
    let Some(colon) = text.find(':') else { return text.into() };
    let is_time = |byte: u8| byte.is_ascii_digit() || byte == b':';
    let end = text[colon..].bytes().position(|byte| !is_time(byte)).map_or(text.len(), |end| colon + end);
    match end - colon {
        3 if !text[end..].starts_with('.') => format!("{}:00{}", &text[..end], &text[end..]).into(),
        _ => text.into(),
    }
}

/// Returns the text of a timestamp without its zone.
fn local(text: &str) -> &str {
    let trimmed = text.trim();
    let time = trimmed.find(':').unwrap_or(trimmed.len());
    let (date, time) = trimmed.split_at(time);
    let zone = time.find(['+', '-', ' ', 'Z', 'z']).unwrap_or(time.len());
    &trimmed[..date.len() + zone]
}

/// Returns whether a unit is coarser than the one in which text is parsed.
fn is_coarse(unit: TimeUnit) -> bool {
    parts(unit) < parts(TimeUnit::Microsecond)
}

/// Returns how many parts a second has in a unit.
pub(super) fn parts(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}
