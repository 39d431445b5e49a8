//! Numbers in text: with spaces around them, and integers with fractions and exponents.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, StringArray};
use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes::DataType;
use arrow::error::ArrowError;

/// Reads text as numbers. Arrow reads plain digits; other notations are rewritten first.
///
/// # Errors
/// A text is no number, or none of the type, and the options do not make it NULL.
pub(super) fn cast(
    array: &ArrayRef,
    to: &DataType,
    options: &CastOptions<'_>,
) -> Result<ArrayRef, ArrowError> {
    let safe = CastOptions { safe: true, ..options.clone() };
    let plain = cast_with_options(array, to, &safe)?;
    if plain.null_count() == array.null_count() {
        return Ok(plain);
    }
    let text = cast_with_options(array, &DataType::Utf8, &safe)?;
    let text = text.as_string::<i32>();
    let rewritten: StringArray = text
        .iter()
        .enumerate()
        .map(|(row, text)| match (text, plain.is_null(row)) {
            (Some(text), true) => Some(plainly(text, to)),
            (text, _) => text.map(str::to_owned),
        })
        .collect();
    cast_with_options(&(Arc::new(rewritten) as ArrayRef), to, options)
}

/// Returns a number in the notation that Arrow reads; other text stays unchanged.
fn plainly(text: &str, to: &DataType) -> String {
    let trimmed = text.trim_matches([' ', '\t', '\n', '\r', '\x0b', '\x0c']);
    let plain = match to {
        DataType::Decimal128(_, scale) => rounded(trimmed, i64::from(*scale)),
        to if to.is_integer() => rounded(trimmed, 0),
        _ => None,
    };
    plain.unwrap_or_else(|| trimmed.to_owned())
}

/// Returns a number with a fraction or an exponent, rounded to some decimal places, halves away
/// from zero.
fn rounded(text: &str, places: i64) -> Option<String> {
    /// The digits of the longest useful number.
    const LONGEST: i64 = 38;
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let (number, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, exponent.parse::<i64>().ok()?),
        None => (unsigned, 0),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let is_number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() && fraction.is_empty() || !is_number(whole) || !is_number(fraction) {
        return None;
    }
    let digits = format!("{whole}{fraction}");
    // an integer in units of the last place
    let point = i64::try_from(whole.len()).ok()?.checked_add(exponent)?.checked_add(places)?;
    let leading = i64::try_from(digits.len() - digits.trim_start_matches('0').len()).ok()?;
    if point - leading > LONGEST {
        return None;
    }
    let digit =
        |place: i64| usize::try_from(place).ok().and_then(|place| digits.as_bytes().get(place)).copied();
    let mut value = 0i128;
    for place in leading..point.max(leading) {
        value = value * 10 + i128::from(digit(place).unwrap_or(b'0') - b'0');
    }
    value += i128::from(point >= 0 && digit(point).is_some_and(|digit| digit >= b'5'));
    Some(match places {
        1.. => {
            let width = usize::try_from(places).ok()? + 1;
            let digits = format!("{value:0width$}");
            let (whole, fraction) = digits.split_at(digits.len() + 1 - width);
            format!("{sign}{whole}.{fraction}")
        }
        _ => format!("{sign}{value}"),
    })
}

#[cfg(test)]
mod tests;
