//! Parts of streams, made of streams of one block: RFC 1951, section 3.2.3. What is checked is the
//! part as it is handed over, with the end that makes a stream of it.

use super::Compress;
use crate::error::IaaError;

/// BFINAL, the first bit of a block.
const LAST: u8 = 1;
/// LEN and NLEN of a stored block without bytes.
const EMPTY: [u8; 4] = [0, 0, 0xff, 0xff];
/// The last block, of the fixed code, with nothing in it: behind a part, it is there while that is
/// checked.
const LAST_BLOCK: [u8; 2] = [0b011, 0];
/// The most bytes that follow the block: an empty stored one, whose three bits may need a byte of
/// their own, and the last.
pub(super) const END: usize = 1 + EMPTY.len() + LAST_BLOCK.len();
/// BFINAL and BTYPE of a stored block, all of them zero.
const HEADER_BITS: u8 = 3;

impl Compress {
    /// As [`Compress::new`], for a part of a stream. The container has to be the raw one.
    pub(crate) fn for_part(mut self) -> Compress {
        self.is_part = true;
        self
    }

    /// Makes the raw stream that was written a part: its only block is the last no more, and an
    /// empty stored one follows. Stored blocks are not marked as the last in the first place.
    /// Behind it, the last block is written.
    pub(super) fn make_part(&mut self, output: &mut [u8]) -> Result<(), IaaError> {
        let first = output.get_mut(self.start).ok_or(IaaError::OutputFull)?;
        *first &= !LAST;
        // Bits that the block left of its last byte are zero, and so are those of a header.
        let unused = (8 - self.last_bits % 8) % 8;
        let aligned = self.out + usize::from(unused < HEADER_BITS);
        let end = output.get_mut(self.out..aligned + EMPTY.len()).ok_or(IaaError::OutputFull)?;
        end.fill(0);
        end[aligned - self.out..].copy_from_slice(&EMPTY);
        self.out = aligned + EMPTY.len();
        let last = output.get_mut(self.out..self.out + LAST_BLOCK.len()).ok_or(IaaError::OutputFull)?;
        last.copy_from_slice(&LAST_BLOCK);
        Ok(())
    }

    /// Where the stream ends that is checked.
    pub(super) fn checked_end(&self) -> usize {
        self.out + if self.is_part { LAST_BLOCK.len() } else { 0 }
    }
}
