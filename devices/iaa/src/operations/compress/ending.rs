//! How a compression ends: with a check of what was written, without compression, and with the
//! container's trailer.

use pelton_codec::{Checksum, checksum};

use super::{Compress, HISTOGRAM_AT, SCRATCH, stored};
use crate::error::IaaError;
use crate::hw::flags::decompress::{SUPPRESS_OUTPUT, WHOLE_STREAM};
use crate::hw::{AnalyticsError, Descriptor, Opcode, RecordView};
use crate::operations::{Output, Step};
use crate::queue::{Order, Parts, Place, Span};

impl Compress {
    /// Decompresses what was written.
    pub(super) fn check(&mut self) -> Order {
        Order {
            descriptor: Descriptor::new(Opcode::Decompress).with_own_flags(WHOLE_STREAM | SUPPRESS_OUTPUT),
            source1: Some(Span::new(Place::Output, self.start..self.checked_end())),
            destination: Some(Span::new(Place::Scratch, HISTOGRAM_AT..SCRATCH)),
            source2: None,
        }
    }

    /// Whether decompression gave the input back, as far as CRC and size tell.
    pub(super) fn is_right(&self, parts: &Parts<'_>, record: &RecordView) -> bool {
        // Bytes behind the end of the stream would pass otherwise.
        record.consumed() as usize == self.checked_end() - self.start
            && record.crc() == self.crc
            && (!self.terms.verify || comes_back(&parts.output[self.start..self.checked_end()], parts.input))
    }

    pub(super) fn check_in_software(
        &mut self,
        parts: Parts<'_>,
        record: RecordView,
    ) -> Result<Step, IaaError> {
        if !comes_back(&parts.output[self.start..self.checked_end()], parts.input) {
            return Err(IaaError::Data(AnalyticsError::VerifyFailed));
        }
        self.finish(parts, Some(record))
    }

    /// Writes the block without compression: that needs no device.
    pub(super) fn store(&mut self, parts: &mut Parts<'_>) -> Result<Step, IaaError> {
        let header = self.container.header(self.level, 15);
        // A header that says something of a window which nothing needs is left out where it does
        // not fit.
        let plain_header = stored::plain_header(self.container, self.level);
        let needed = stored::len(parts.input.len()) + self.trailer_len();
        let header = if header.len() + needed <= parts.output.len() { header } else { plain_header };
        self.start = header.len();
        if header.len() + needed > parts.output.len() {
            return Err(IaaError::OutputFull);
        }
        parts.output[..header.len()].copy_from_slice(&header);
        self.out = self.start + stored::write(parts.input, !self.is_part, &mut parts.output[self.start..]);
        self.last_bits = 0;
        if self.is_part {
            self.make_part(parts.output)?;
        }
        self.finish(Parts { input: parts.input, output: parts.output, scratch: parts.scratch }, None)
    }

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

/// Whether a raw stream decompresses to this.
fn comes_back(packed: &[u8], plain: &[u8]) -> bool {
    let mut back = vec![0; plain.len()];
    let done = pelton_codec::RawDecoder::new().decompress(packed, &mut back);
    done.is_some_and(|done| (done.consumed, done.produced) == (packed.len(), plain.len())) && back == plain
}
