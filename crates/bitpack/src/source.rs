//! Sources of values: packed values, or a hybrid of runs and packed values.

use crate::hybrid::{Hybrid, Parts};
use crate::packed::Packed;

/// Source of the values of an operation.
#[derive(Debug, Clone, Copy)]
pub enum Source<'a> {
    /// Packed values.
    Packed(Packed<'a>),
    /// Parquet's hybrid of runs and packed values.
    Hybrid(Hybrid<'a>),
}

impl<'a> Source<'a> {
    /// Returns the number of values.
    pub fn len(&self) -> usize {
        match self {
            Source::Packed(packed) => packed.len(),
            Source::Hybrid(hybrid) => hybrid.len(),
        }
    }

    /// Returns whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the bits of a value.
    pub fn width(&self) -> u32 {
        match self {
            Source::Packed(packed) => packed.width(),
            Source::Hybrid(hybrid) => hybrid.width(),
        }
    }

    /// Returns the runs and stretches of packed values, in order.
    pub(crate) fn parts(&self) -> Parts<'a> {
        match self {
            Source::Packed(packed) => Parts::packed(*packed),
            Source::Hybrid(hybrid) => Parts::hybrid(*hybrid),
        }
    }
}

impl<'a> From<Packed<'a>> for Source<'a> {
    fn from(packed: Packed<'a>) -> Self {
        Source::Packed(packed)
    }
}

impl<'a> From<Hybrid<'a>> for Source<'a> {
    fn from(hybrid: Hybrid<'a>) -> Self {
        Source::Hybrid(hybrid)
    }
}
