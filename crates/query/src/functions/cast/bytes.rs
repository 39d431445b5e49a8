//! Bytes in text: characters, and bytes as `\\x00`.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BinaryArray};
use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes::DataType;
use arrow::error::ArrowError;

/// Returns whether a cast is one of text to bytes, or of numbers, which have none in SQL.
pub(super) fn is_ours(from: &DataType, to: &DataType) -> bool {
    (from.is_string() || from.is_numeric())
        && matches!(to, DataType::Binary | DataType::LargeBinary | DataType::BinaryView)
}

/// Reads text as bytes.
///
/// # Errors
/// The values are numbers, or a backslash begins no byte and the options do not make such text
/// NULL.
pub(super) fn parse(
    array: &ArrayRef,
    to: &DataType,
    options: &CastOptions<'_>,
) -> Result<ArrayRef, ArrowError> {
    if array.data_type().is_numeric() {
        return Err(ArrowError::CastError("numbers have no bytes".to_owned()));
    }
    let text = cast_with_options(array, &DataType::Utf8, options)?;
    let text = text.as_string::<i32>();
    let mut read = Vec::with_capacity(text.len());
    for text in text {
        let bytes = text.map(|text| bytes(text).ok_or(text));
        read.push(match bytes.transpose() {
            Ok(bytes) => bytes,
            Err(_) if options.safe => None,
            Err(text) => return Err(ArrowError::CastError(format!("{text} has a backslash without a byte"))),
        });
    }
    let read: ArrayRef = Arc::new(read.iter().map(Option::as_deref).collect::<BinaryArray>());
    cast_with_options(&read, to, options)
}

fn bytes(text: &str) -> Option<Vec<u8>> {
    let mut parts = text.split('\\');
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        let digits = part.strip_prefix('x').and_then(|part| part.get(..2))?;
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        bytes.extend_from_slice(&part.as_bytes()[1 + digits.len()..]);
    }
    Some(bytes)
}
