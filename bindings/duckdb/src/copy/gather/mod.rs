//! Gatherers: DuckDB's vectors to Arrow arrays, the reverse of `vector`.

mod fixed;
mod nested;
mod strings;

use arrow::array::{ArrayRef, BooleanBufferBuilder};
use arrow::buffer::NullBuffer;
use arrow::datatypes::ToByteSlice;
use arrow::error::ArrowError;

pub use fixed::{Booleans, Bytes, Made, Nothing, Same};
pub use nested::{Lists, Rows, Structs};
pub use strings::{Bits, Strings, Words};

use crate::sys::Values;

/// Errors are texts, to which the caller adds the column.
type Result<T = (), E = String> = std::result::Result<T, E>;

/// A column's rows, gathered from many vectors.
pub trait Gather: Send {
    /// Copies all rows of a vector.
    ///
    /// # Errors
    /// A value has no place in Parquet's type.
    fn push(&mut self, values: &Values) -> Result;

    /// Returns the rows since the last time.
    ///
    /// # Errors
    /// The gathered parts do not fit together: a bug in Pelton.
    fn finish(&mut self) -> Result<ArrayRef, ArrowError>;
}

/// Validity of the gathered rows; no memory is taken before the first null.
#[derive(Default)]
pub struct Nulls {
    bits: Option<BooleanBufferBuilder>,
    rows: usize,
}

impl Nulls {
    /// Adds the validity of some rows.
    pub fn push(&mut self, values: &Values) {
        let rows = values.len();
        match values.validity().filter(|valid| (0..rows).any(|row| !valid.is_valid(row))) {
            Some(valid) => {
                let bits = self.bits();
                bits.append_packed_range(valid.from..valid.from + rows, valid.words.to_byte_slice());
            }
            None => {
                if let Some(bits) = &mut self.bits {
                    bits.append_n(rows, true);
                }
            }
        }
        self.rows += rows;
    }

    fn bits(&mut self) -> &mut BooleanBufferBuilder {
        self.bits.get_or_insert_with(|| {
            let mut bits = BooleanBufferBuilder::new(self.rows);
            bits.append_n(self.rows, true);
            bits
        })
    }

    /// Returns the nulls of all rows; `None` if there is none.
    pub fn finish(&mut self) -> Option<NullBuffer> {
        self.rows = 0;
        self.bits.take().map(|mut bits| NullBuffer::new(bits.finish()))
    }
}
