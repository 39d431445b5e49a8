//! Functions over sliding frames.

mod min_max;
mod picks;
mod sums;

use std::collections::VecDeque;
use std::ops::Range;

use arrow::array::ArrayRef;
use datafusion::error::Result;

pub(super) use min_max::{Texts, extreme};
pub(super) use picks::{Pick, Picks};
pub(super) use sums::{Averages, Counts, Doubles, Sums};

use super::Running;
use crate::plan::rules::aggregates::running_windows::frames::{Frame, Frames, Needed};
use crate::plan::rules::aggregates::running_windows::groups::{Scope, Starts};

/// A function of the rows in a frame. A frame that starts or ends before the one of the row before
/// is rare, and a function may begin anew with it.
pub(super) trait Sliding: Send {
    /// Adds the argument's values in the rows of a batch.
    ///
    /// # Errors
    /// They have another type.
    fn push(&mut self, argument: &ArrayRef) -> Result<()>;

    /// Returns the values over frames, in the order of their rows.
    ///
    /// # Errors
    /// A value is out of the range of its type.
    fn values(&mut self, frames: &[Range<u64>]) -> Result<ArrayRef>;

    /// Drops rows that no later frame needs.
    fn forget(&mut self, needed: Needed);

    /// Returns the bytes that are held.
    fn size(&self) -> usize;
}

/// A function with its frames.
pub(super) struct Slide<S> {
    frames: Frames,
    function: S,
    has_key: bool,
}

impl<S: Sliding> Slide<S> {
    /// Returns a function that has seen no rows.
    pub fn new(frame: Frame, function: S) -> Self {
        Self { has_key: frame.key().is_some(), frames: Frames::new(frame), function }
    }
}

impl<S: Sliding> Running for Slide<S> {
    /// The order key, if the frame has one, is the last argument.
    fn add(&mut self, arguments: &[ArrayRef], starts: &Starts, _: Scope) -> Result<ArrayRef> {
        self.function.push(&arguments[0])?;
        let key = arguments.last().filter(|_| self.has_key);
        let frames = self.frames.add(starts, key)?;
        let values = self.function.values(&frames)?;
        self.function.forget(self.frames.needed());
        Ok(values)
    }

    fn size(&self) -> usize {
        self.frames.size() + self.function.size()
    }
}

/// The values of the last rows.
struct Tail<T> {
    /// Number of the first row that is held.
    base: u64,
    values: VecDeque<T>,
}

impl<T> Default for Tail<T> {
    fn default() -> Self {
        Self { base: 0, values: VecDeque::new() }
    }
}

impl<T> Tail<T> {
    fn extend(&mut self, values: impl IntoIterator<Item = T>) {
        self.values.extend(values);
    }

    /// Returns the value of a row that is held.
    fn row(&self, row: u64) -> &T {
        &self.values[(row - self.base) as usize]
    }

    fn forget(&mut self, first: u64) {
        let count = first.saturating_sub(self.base).min(self.values.len() as u64);
        self.values.drain(..count as usize);
        self.base += count;
    }

    fn size(&self) -> usize {
        self.values.capacity() * size_of::<T>()
    }
}
