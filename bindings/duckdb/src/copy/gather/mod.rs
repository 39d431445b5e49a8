//! DuckDB's vectors gathered as Arrow arrays: the way that `vector` goes, back.

mod fixed;
mod nested;
mod nulls;
mod strings;

use arrow::array::ArrayRef;
use arrow::error::ArrowError;

pub use fixed::{Booleans, Bytes, Made, Nothing, Same};
pub use nested::{Lists, Rows, Structs};
pub use strings::{Bits, Strings, Words};

use crate::sys::Values;

/// What goes wrong is said in words; the caller knows the column.
type Result<T = (), E = String> = std::result::Result<T, E>;

/// A column's rows, gathered from many vectors.
pub trait Gather: Send {
    /// Copies all rows of a vector.
    ///
    /// # Errors
    /// A value has no place in Parquet's type.
    fn push(&mut self, values: &Values) -> Result;

    /// The rows since the last time.
    ///
    /// # Errors
    /// They don't hold together: a mistake of ours.
    fn finish(&mut self) -> Result<ArrayRef, ArrowError>;
}
