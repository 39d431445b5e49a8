//! Reading a hybrid piece by piece.

use std::ops::Range;

use crate::Error;
use crate::hybrid::{Hybrid, Part, run};

/// How far a [`Hybrid`] was read, from its start. It goes with that hybrid only: with another one
/// it gives values or errors as they come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Position {
    /// Where the current run has its header.
    at: usize,
    /// Values before that run.
    before: usize,
    /// Values of the run that were read.
    within: usize,
}

impl Position {
    /// Values that were read or skipped.
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

    /// Moves on by as many values as the current run has, at most `most`, which is at least one:
    /// the run, and which of its values.
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
    /// Moves a position by `count` values, of which packed ones are not looked at.
    ///
    /// # Errors
    /// There are fewer values, or a run is bad. The position is as it was then.
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

    /// The value that all values from a position on have, if that is one run.
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
