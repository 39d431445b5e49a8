//! Destination of symbols, and matches within it.

use crate::deflate::inflate::batch::portable::repeat;

/// A stretch of bytes for a block's symbols.
pub(crate) struct OutputRegion<'a> {
    pub(crate) bytes: &'a mut [u8],
    /// Matches reach back to here.
    pub(crate) floor: usize,
    /// Position of the next byte.
    pub(crate) at: usize,
    /// A symbol is decoded if it is written at this place or before.
    pub(crate) until: usize,
    /// The last symbol, if that was a match.
    pub(crate) last: Match,
}

/// A match; with no length, none.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Match {
    pub(crate) len: usize,
    pub(crate) distance: usize,
}

impl OutputRegion<'_> {
    /// Writes a match; `None` if it reaches too far back, or there is no room.
    pub(super) fn repeat(&mut self, len: usize, distance: usize) -> Option<()> {
        self.last = Match { len, distance };
        self.at = repeat(len, distance, self.bytes, self.floor, self.at)?;
        Some(())
    }
}
