//! Parts of streams, made of streams of one block: RFC 1951, section 3.2.3.

use super::Compress;
use crate::error::IaaError;

/// BFINAL, the first bit of a block.
const LAST: u8 = 1;
/// LEN and NLEN of a stored block without bytes.
const EMPTY: [u8; 4] = [0, 0, 0xff, 0xff];
/// The most bytes that an empty stored block takes: its three bits may need one of their own.
pub(super) const END: usize = 1 + EMPTY.len();
/// BFINAL and BTYPE of a stored block, all of them zero.
const HEADER_BITS: u8 = 3;

impl Compress {
    /// As [`Compress::new`], for a part of a stream. The container has to be the raw one.
    pub(crate) fn for_part(mut self) -> Compress {
        self.is_part = true;
        self
    }

    /// Makes the raw stream that was written a part: its only block is the last no more, and an empty stored one follows. Stored
    /// blocks are not marked as the last in the first place.
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
        Ok(())
    }
}
