//! Chunked column: decoded values in several arrays.

use std::collections::VecDeque;

use arrow::array::{Array, ArrayRef, BooleanArray};
use arrow::compute;
use arrow::error::ArrowError;

/// Values of a column in row order, one array for each filtered batch. Arrays are concatenated only
/// for an output batch, since concatenation of a whole scan range would need megabytes of fresh
/// memory for a copy that is used once.
#[derive(Debug, Default)]
pub(crate) struct ChunkedColumn(VecDeque<ArrayRef>);

impl ChunkedColumn {
    /// Adds values at the end.
    pub fn push(&mut self, values: ArrayRef) {
        if !values.is_empty() {
            self.0.push_back(values);
        }
    }

    /// Keeps the values selected by the mask, which has a bit for each value.
    pub fn filter(&mut self, mask: &BooleanArray) -> Result<(), ArrowError> {
        let mut from = 0;
        for piece in std::mem::take(&mut self.0) {
            let part = mask.slice(from, piece.len());
            from += piece.len();
            self.push(compute::filter(&piece, &part)?);
        }
        Ok(())
    }

    /// Takes `rows` values from the front.
    pub fn take(&mut self, rows: usize) -> Result<ArrayRef, ArrowError> {
        let mut taken: Vec<ArrayRef> = Vec::new();
        let mut missing = rows;
        while missing > 0 {
            let Some(piece) = self.0.pop_front() else {
                let what = format!("{rows} values were expected, there are {}", rows - missing);
                return Err(ArrowError::InvalidArgumentError(what));
            };
            if piece.len() > missing {
                self.0.push_front(piece.slice(missing, piece.len() - missing));
                taken.push(piece.slice(0, missing));
                missing = 0;
            } else {
                missing -= piece.len();
                taken.push(piece);
            }
        }
        match taken.as_slice() {
            [one] => Ok(one.clone()),
            several => compute::concat(&several.iter().map(AsRef::as_ref).collect::<Vec<_>>()),
        }
    }
}
