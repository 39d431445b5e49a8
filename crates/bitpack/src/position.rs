//! Position in a hybrid that is read piece by piece.

use std::ops::Range;

use crate::Error;
use crate::hybrid::{Hybrid, Part, run};

/// Position in a [`Hybrid`]. It is valid for that hybrid only: with another one it gives arbitrary
/// values or errors.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Position {
    /// Byte of the header of the current run.
    at: usize,
    /// Values before that run.
    before: usize,
    /// Values of the run that were read.
    within: usize,
}

impl Position {
    /// Returns the number of values that were read or skipped.
    pub fn values(&self) -> usize {
        self.before + self.within
    }

    /// Checks that there are `count` values more, as far as the hybrid says how many it has.
    pub(crate) fn check(&self, hybrid: &Hybrid<'_>, count: usize) -> Result<(), Error> {
        let (start, len) = (self.values(), hybrid.len());
        if start > len || count > len - start {
            return Err(Error::Rows { rows: start..start.saturating_add(count), len });
        }
        Ok(())
    }

    /// Moves past the rest of the current run, at most `most` values, which is at least one.
    /// Returns the run and the range of its values.
    pub(crate) fn advance<'a>(
        &mut self,
        hybrid: &Hybrid<'a>,
        most: usize,
    ) -> Result<(Part<'a>, Range<usize>), Error> {
        let (part, next) = run(hybrid, self.at, self.before)?;
        let (len, first) = (part.len(), self.within.min(part.len()));
        let last = len.min(first.saturating_add(most));
        *self = match last == len {
            true => Self { at: next, before: self.before + len, within: 0 },
            false => Self { within: last, ..*self },
        };
        Ok((part, first..last))
    }
}

impl Hybrid<'_> {
    /// Moves a position by `count` values, without reading packed ones.
    ///
    /// # Errors
    /// There are fewer values, or a run is bad. The position is then unchanged.
    pub fn skip(&self, position: &mut Position, count: usize) -> Result<(), Error> {
        position.check(self, count)?;
        let end = position.values() + count;
        let mut at = *position;
        while at.values() < end {
            at.advance(self, end - at.values())?;
        }
        *position = at;
        Ok(())
    }

    /// Returns the value of all values from a position on, if they are one run.
    ///
    /// # Errors
    /// The current run is bad.
    pub fn constant(&self, position: &Position) -> Result<Option<u32>, Error> {
        let mut at = *position;
        let left = self.len().saturating_sub(at.values());
        if left == 0 {
            return Ok(None);
        }
        match at.advance(self, left)? {
            (Part::Run { value, .. }, rows) if rows.len() == left => Ok(Some(value)),
            _ => Ok(None),
        }
    }
}
