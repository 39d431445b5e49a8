//! Where symbols are written to.

/// A stretch of bytes for a block's symbols.
pub(crate) struct Room<'a> {
    pub(crate) bytes: &'a mut [u8],
    /// Matches reach back to here.
    pub(crate) floor: usize,
    /// What is next written.
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

impl Room<'_> {
    /// Writes a match; `None` if it reaches too far back, or there is no room.
    pub(super) fn repeat(&mut self, len: usize, distance: usize) -> Option<()> {
        let end = self.at + len;
        self.last = Match { len, distance };
        if distance == 0 || distance > self.at - self.floor || end > self.bytes.len() {
            return None;
        }
        if distance >= len {
            self.bytes.copy_within(self.at - distance..end - distance, self.at);
        } else {
            for i in self.at..end {
                self.bytes[i] = self.bytes[i - distance];
            }
        }
        self.at = end;
        Some(())
    }
}
