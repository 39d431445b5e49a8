//! Bytes in text: characters, and bytes as `\\x00`.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BinaryArray};
use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes::DataType;
use datafusion::common::Result;

use crate::error::{Error, wrap};

/// Returns whether a cast is one of text to bytes.
pub(super) fn is_ours(from: &DataType, to: &DataType) -> bool {
    from.is_string() && matches!(to, DataType::Binary | DataType::LargeBinary | DataType::BinaryView)
}

/// Reads text as bytes.
///
/// # Errors
/// A backslash begins no byte, and the options do not make such text NULL.
pub(super) fn parse(array: &ArrayRef, to: &DataType, options: &CastOptions<'_>) -> Result<ArrayRef> {
    let text = cast_with_options(array, &DataType::Utf8, options)?;
    let text = text.as_string::<i32>();
    let mut read = Vec::with_capacity(text.len());
    for text in text {
        let bytes = text.map(|text| bytes(text).ok_or(text));
        read.push(match bytes.transpose() {
            Ok(bytes) => bytes,
            Err(_) if options.safe => None,
            Err(text) => {
                return Err(wrap(Error::Execution(format!(
                    "'{text}' can't be cast to BYTEA: write a byte as \\x00, and a backslash as \\x5C"
                ))));
            }
        });
    }
    let read: ArrayRef = Arc::new(read.iter().map(Option::as_deref).collect::<BinaryArray>());
    Ok(cast_with_options(&read, to, options)?)
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
