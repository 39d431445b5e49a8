//! Arrow arrays to DuckDB's vectors.
//!
//! [`columns`] maps a file's columns to DuckDB's types, and [`write_column`] copies rows of an
//! array, of the Arrow type that [`pelton_pages::ColumnTypes::Stored`] gives, into a vector of that
//! type.

mod dictionary;
mod fixed;
mod nested;
mod strings;
mod types;

use arrow::array::{Array, ArrayRef};
use arrow::buffer::NullBuffer;
use arrow::compute::cast;
use arrow::datatypes::DataType;

use crate::error::{Error, Result};
use crate::sys::{Type, Vector};

pub use dictionary::{Cache, write_column};
pub use strings::put;
pub use types::columns;

/// Rows `from` and on of an array, `rows` of them, into the first rows of a vector. Where `above`
/// has nulls, over all rows of the array, the vector gets them too: a field of a struct is null in
/// DuckDB where its struct is.
///
/// # Errors
/// A value is beyond the range of DuckDB's type.
fn write(
    array: &ArrayRef,
    from: usize,
    rows: usize,
    above: Option<&NullBuffer>,
    to: &mut Vector,
) -> Result<()> {
    let nulls = match above {
        Some(_) => NullBuffer::union(array.logical_nulls().as_ref(), above),
        // Without a copy of the array's own nulls.
        None => array.logical_nulls(),
    };
    if let Some(nulls) = &nulls {
        write_nulls(nulls, from, rows, to);
    }
    match to.of() {
        Type::Null => Ok(()),
        Type::Varchar | Type::Json | Type::Blob => strings::write(array, from, rows, nulls.as_ref(), to),
        Type::List(_) | Type::Map(..) | Type::Struct(_) => {
            nested::write(array, from, rows, nulls.as_ref(), to)
        }
        _ => fixed::write(array, from, rows, nulls.as_ref(), to),
    }
}

/// As [`write_column`], also for arrays in other forms, such as the bounds of a file's statistics.
/// Keeps no dictionary.
///
/// # Errors
/// A value is beyond the range of DuckDB's type.
pub fn write_flat(array: &ArrayRef, from: usize, rows: usize, to: &mut Vector) -> Result<()> {
    let plain = match array.data_type() {
        DataType::Utf8 | DataType::LargeUtf8 => DataType::Utf8View,
        DataType::Binary | DataType::LargeBinary => DataType::BinaryView,
        DataType::Dictionary(_, values) => values.as_ref().clone(),
        _ => return write(array, from, rows, None, to),
    };
    let plain = cast(&array.slice(from, rows), &plain);
    write_flat(&plain.map_err(|e| Error::Value(e.to_string()))?, 0, rows, to)
}

/// Copies validity bits, which have the same order and meaning in both.
fn write_nulls(nulls: &NullBuffer, from: usize, rows: usize, to: &mut Vector) {
    let bits = nulls.inner().slice(from, rows);
    if bits.count_set_bits() == rows {
        return;
    }
    let chunks = bits.bit_chunks();
    let mask = to.validity(rows);
    let rest = (!rows.is_multiple_of(64)).then(|| chunks.remainder_bits());
    for (word, bits) in mask.iter_mut().zip(chunks.iter().chain(rest)) {
        *word = bits;
    }
}

/// Returns the error for an array that does not have its column's type: a bug in Pelton.
fn mismatch(array: &ArrayRef, to: &Vector) -> Error {
    Error::Value(format!("internal error: {} in a vector of {:?}", array.data_type(), to.of()))
}
