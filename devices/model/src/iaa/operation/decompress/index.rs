//! The index of mini-blocks: where in the stream one can begin to decompress, and the CRC of all
//! that comes before.
//!
//! An entry is 8 bytes: the bit offset in the low half, the CRC in the high half. There is one
//! behind each header, which is where the first mini-block begins, one at each further mini-block,
//! and before and behind each end-of-block symbol. Software puts one in front, for the first
//! header: B blocks with M mini-blocks have M + 2B + 1 (Intel's library documents this count). A
//! stored block has no end-of-block symbol; it gets both entries all the same, an assumption.

use super::Error;

/// An index in the making.
pub(super) struct Index<'a> {
    entries: &'a mut [u8],
    used: usize,
    /// Bytes of a mini-block.
    pub(super) size: usize,
}

impl<'a> Index<'a> {
    /// An index that goes to `entries`; `code` is the size of a mini-block as flags have it, 1
    /// to 7.
    pub(super) fn new(entries: &'a mut [u8], code: u16) -> Index<'a> {
        Index { entries, used: 0, size: 256 << code }
    }

    /// Add an entry. What does not fit can't be gone on with, as the state has no place for
    /// entries.
    pub(super) fn add(&mut self, offset: u32, crc: u32) -> Result<(), Error> {
        let entry = u64::from(crc) << 32 | u64::from(offset);
        let to = self.entries.get_mut(self.used..self.used + 8).ok_or(Error::UnrecoverableOverflow)?;
        to.copy_from_slice(&entry.to_le_bytes());
        self.used += 8;
        Ok(())
    }

    /// Bytes that were written.
    pub(super) fn len(&self) -> usize {
        self.used
    }
}
