//! End of a compression: verification, the fallback to stored blocks, and the trailer.

use pelton_codec::{Checksum, Container, Format, checksum};

use super::{Compress, HISTOGRAM_AT, SCRATCH};
use crate::error::IaaError;
use crate::hw::flags::decompress::{SUPPRESS_OUTPUT, WHOLE_STREAM};
use crate::hw::{AnalyticsError, Descriptor, Opcode, RecordView};
use crate::operations::{Output, Step};
use crate::queue::{Parts, Region, Request, Span};

/// BFINAL, the first bit of a block (RFC 1951, section 3.2.3).
const FINAL_BIT: u8 = 1;
/// LEN and NLEN of an empty stored block.
const EMPTY_STORED: [u8; 4] = [0, 0, 0xff, 0xff];
/// An empty final block with the fixed codes. It makes a stream of a part while the part is
/// verified.
const FINAL_BLOCK: [u8; 2] = [0b011, 0];
/// Maximum length of the bytes after a part's last block: an empty stored block, possibly with a
/// byte for its header bits, and [`FINAL_BLOCK`].
pub(super) const PART_END: usize = 1 + EMPTY_STORED.len() + FINAL_BLOCK.len();
/// BFINAL and BTYPE of a stored block; all are zero.
const BLOCK_HEADER_BITS: u8 = 3;
/// Maximum length of a stored block, from the size of its LEN (RFC 1951, section 3.2.4).
const MAX_STORED: usize = 65_535;
/// Length of a stored block's header: its bits padded to a byte, LEN and NLEN.
const STORED_HEADER: usize = 5;

impl Compress {
    /// Returns this compression, changed to write a part of a stream. The container has to be the
    /// raw one.
    pub(crate) fn for_part(mut self) -> Compress {
        self.is_part = true;
        self
    }

    /// Turns the raw stream in `output` into a part: clears BFINAL of its only block and appends an
    /// empty stored block. A part of stored blocks has no BFINAL to clear. Writes [`FINAL_BLOCK`]
    /// after it.
    pub(super) fn make_part(&mut self, output: &mut [u8]) -> Result<(), IaaError> {
        let first = output.get_mut(self.start).ok_or(IaaError::OutputFull)?;
        *first &= !FINAL_BIT;
        // The unused bits of the block's last byte are zero, as are those of a stored header.
        let unused = (8 - self.last_bits % 8) % 8;
        let aligned = self.out + usize::from(unused < BLOCK_HEADER_BITS);
        let end = output.get_mut(self.out..aligned + EMPTY_STORED.len()).ok_or(IaaError::OutputFull)?;
        end.fill(0);
        end[aligned - self.out..].copy_from_slice(&EMPTY_STORED);
        self.out = aligned + EMPTY_STORED.len();
        let last = output.get_mut(self.out..self.out + FINAL_BLOCK.len()).ok_or(IaaError::OutputFull)?;
        last.copy_from_slice(&FINAL_BLOCK);
        Ok(())
    }

    /// Returns the end of the stream to verify.
    pub(super) fn checked_end(&self) -> usize {
        self.out + if self.is_part { FINAL_BLOCK.len() } else { 0 }
    }

    /// Returns the request that decompresses the output for its CRC alone.
    pub(super) fn check(&mut self) -> Request {
        Request {
            descriptor: Descriptor::new(Opcode::Decompress).with_own_flags(WHOLE_STREAM | SUPPRESS_OUTPUT),
            source1: Some(Span::new(Region::Output, self.start..self.checked_end())),
            destination: Some(Span::new(Region::Scratch, HISTOGRAM_AT..SCRATCH)),
            source2: None,
        }
    }

    /// Returns whether decompression gave the input back, as far as CRC and size tell.
    pub(super) fn is_right(&self, parts: &Parts<'_>, record: &RecordView) -> bool {
        // Without the size, bytes after the end of the stream would go unnoticed.
        record.consumed() as usize == self.checked_end() - self.start
            && record.crc() == self.crc
            && (!self.limits.verify
                || decompresses_to(&parts.output[self.start..self.checked_end()], parts.input))
    }

    /// Verifies the output on the CPU and finishes.
    pub(super) fn check_in_software(
        &mut self,
        parts: Parts<'_>,
        record: RecordView,
    ) -> Result<Step, IaaError> {
        if !decompresses_to(&parts.output[self.start..self.checked_end()], parts.input) {
            return Err(IaaError::Data(AnalyticsError::VerifyFailed));
        }
        self.finish(parts, Some(record))
    }

    /// Writes stored blocks, without the device, and finishes.
    pub(super) fn store(&mut self, parts: &mut Parts<'_>) -> Result<Step, IaaError> {
        let header = self.container.header(self.level, 15);
        // Stored blocks don't need the window mark of a header, so a header that is too long for
        // the output is replaced by one without it.
        let short_header = short_header(self.container, self.level);
        let needed = stored_len(parts.input.len()) + self.trailer_len();
        let header = if header.len() + needed <= parts.output.len() { header } else { short_header };
        self.start = header.len();
        if header.len() + needed > parts.output.len() {
            return Err(IaaError::OutputFull);
        }
        parts.output[..header.len()].copy_from_slice(&header);
        self.out = self.start + write_stored(parts.input, !self.is_part, &mut parts.output[self.start..]);
        self.last_bits = 0;
        if self.is_part {
            self.make_part(parts.output)?;
        }
        self.finish(Parts { input: parts.input, output: parts.output, scratch: parts.scratch }, None)
    }

    /// Appends the container's trailer and returns the result.
    pub(super) fn finish(&mut self, parts: Parts<'_>, record: Option<RecordView>) -> Result<Step, IaaError> {
        let sum = match self.container.checksum() {
            Some(Checksum::Adler32) => checksum(Checksum::Adler32, parts.input) as u32,
            _ => self.crc,
        };
        let trailer = self.container.trailer(sum, parts.input.len());
        let end = self.out + trailer.len();
        parts.output.get_mut(self.out..end).ok_or(IaaError::OutputFull)?.copy_from_slice(&trailer);
        Ok(Step::Done(Output { produced: end, consumed: parts.input.len(), checksum: None, record }))
    }
}

/// Returns whether a raw stream decompresses to `uncompressed`.
fn decompresses_to(compressed: &[u8], uncompressed: &[u8]) -> bool {
    let mut back = vec![0; uncompressed.len()];
    let done = pelton_codec::RawDecoder::new().decompress(compressed, &mut back);
    done.is_some_and(|done| (done.consumed, done.produced) == (compressed.len(), uncompressed.len()))
        && back == uncompressed
}

/// Returns the length of `uncompressed` bytes in stored blocks.
pub(super) fn stored_len(uncompressed: usize) -> usize {
    uncompressed + STORED_HEADER * uncompressed.div_ceil(MAX_STORED).max(1)
}

/// Writes stored blocks into `out`, which has room for them, and returns their length. The last one
/// is final if `is_last` is set.
fn write_stored(uncompressed: &[u8], is_last: bool, out: &mut [u8]) -> usize {
    let mut at = 0;
    let count = uncompressed.len().div_ceil(MAX_STORED).max(1);
    for index in 0..count {
        let part = &uncompressed[index * MAX_STORED..uncompressed.len().min((index + 1) * MAX_STORED)];
        let len = part.len() as u16;
        out[at] = u8::from(is_last && index + 1 == count);
        out[at + 1..at + 3].copy_from_slice(&len.to_le_bytes());
        out[at + 3..at + 5].copy_from_slice(&(!len).to_le_bytes());
        out[at + STORED_HEADER..at + STORED_HEADER + part.len()].copy_from_slice(part);
        at += STORED_HEADER + part.len();
    }
    at
}

/// Returns the container's shortest header.
fn short_header(container: Container, level: i32) -> Vec<u8> {
    match container.format() {
        // ID1, ID2, CM, no flags, no time, no XFL, unknown OS (RFC 1952, section 2.3).
        Format::Gzip => vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255],
        _ => container.header(level, 15),
    }
}
