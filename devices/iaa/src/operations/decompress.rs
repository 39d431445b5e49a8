//! Decompression of raw, zlib and gzip streams, in one descriptor each or in pieces.

use pelton_codec::{Checksum, Container, checksum};

use super::{Completion, OperationLimits, Output, Step};
use crate::error::IaaError;
use crate::hw::aecs::decompress as aecs;
use crate::hw::{Descriptor, Opcode, RecordView, flags};
use crate::queue::{Parts, Region, Request, Span};

/// Minimum size of a piece: it touches at most two pages of source and two of destination.
const MIN_PIECE: usize = 4096;
/// Length of a destination in the scratch memory. A stream without remaining output still needs
/// one.
const SPILL: usize = 64;
/// Offset of that destination, after the two images.
const SPILL_AT: usize = 2 * aecs::BYTES;

/// A decompression in progress: of one raw stream, or of all members of a gzip block in order.
///
/// A stream that fits in one transfer, like its output, takes one descriptor. Others are cut into
/// pieces. The device keeps its state in the AECS, reading one image and writing the other in
/// turns.
pub(crate) struct Decompress {
    container: Container,
    limits: OperationLimits,
    /// Whether the output has to be filled exactly.
    is_exact: bool,
    /// Maximum length of a piece.
    piece: usize,
    /// Offset of the next piece.
    at: usize,
    /// Offset of its output.
    out: usize,
    /// Offset of the stream's first output byte.
    stream_out: usize,
    /// The image to continue from, within a stream.
    image: Option<usize>,
    /// Length of the current source.
    source: usize,
    capacity: usize,
}

impl Decompress {
    pub(crate) fn new(container: Container, is_exact: bool, limits: OperationLimits) -> Decompress {
        let piece = limits.transfer;
        Decompress {
            container,
            limits,
            is_exact,
            piece,
            at: 0,
            out: 0,
            stream_out: 0,
            image: None,
            source: 0,
            capacity: 0,
        }
    }

    pub(super) fn begin(&mut self, parts: Parts<'_>) -> Result<Step, IaaError> {
        self.stream(parts)
    }

    /// Returns the request for the first piece of the stream with this header.
    fn stream(&mut self, parts: Parts<'_>) -> Result<Step, IaaError> {
        let rest = parts.input.get(self.at..).unwrap_or_default();
        self.at += self.container.header_len(rest).map_err(IaaError::Container)?;
        if self.at >= parts.input.len() {
            let format = self.container.format();
            return Err(IaaError::Container(pelton_codec::Error::Truncated { format }));
        }
        (self.stream_out, self.image) = (self.out, None);
        Ok(Step::Submit(self.request(parts)))
    }

    /// Returns the request for the next piece.
    fn request(&mut self, parts: Parts<'_>) -> Request {
        let (input, capacity) = (parts.input.len() - self.at, parts.output.len() - self.out);
        self.source = input.min(self.piece);
        self.capacity = capacity.min(self.piece);
        let is_last = self.source == input;
        let is_whole = is_last && self.capacity == capacity && self.image.is_none();
        let mut own = flags::decompress::WHOLE_STREAM;
        if !is_last {
            // An incomplete group of 8 output bytes stays in the AECS. The end of the stream may be
            // in a later piece.
            own &= !(flags::decompress::FLUSH_OUTPUT | flags::decompress::CHECK_FOR_EOB);
        }
        let mut operation = 0;
        let mut source2 = None;
        if !is_whole {
            let from = self.image.unwrap_or_else(|| fresh(parts.scratch));
            self.image = Some(from);
            operation |= flags::operation::SOURCE2_AECS | flags::operation::WRITE_AECS_ALWAYS;
            operation |= if from == 1 { flags::operation::AECS_TOGGLE } else { 0 };
            source2 = Some(Span::new(Region::Scratch, 0..2 * aecs::BYTES));
        }
        let destination = if self.capacity > 0 {
            Span::new(Region::Output, self.out..self.out + self.capacity)
        } else {
            if is_whole {
                parts.scratch.clear(SPILL_AT + SPILL);
            }
            Span::new(Region::Scratch, SPILL_AT..SPILL_AT + SPILL)
        };
        Request {
            descriptor: Descriptor::new(Opcode::Decompress)
                .with_operation_flags(operation)
                .with_own_flags(own),
            source1: Some(Span::new(Region::Input, self.at..self.at + self.source)),
            destination: Some(destination),
            source2,
        }
    }

    pub(super) fn resume(&mut self, mut parts: Parts<'_>, completion: Completion) -> Result<Step, IaaError> {
        let (record, is_full) = match completion {
            Completion::Success(record) => (record, false),
            Completion::Overflow(record) => (record, true),
            Completion::Failed(error) => return Err(error),
        };
        let (consumed, produced) = (record.consumed() as usize, record.produced() as usize);
        if self.capacity == 0 && (produced > 0 || is_full) {
            return Err(IaaError::OutputFull);
        }
        if consumed > self.source || produced > self.capacity {
            return Err(IaaError::Inconsistent("more bytes than it was given"));
        }
        let is_last = self.at + self.source == parts.input.len();
        let had_all_capacity = self.out + self.capacity == parts.output.len();
        self.at += consumed;
        self.out += produced;
        let Some(from) = self.image else {
            if consumed == 0 {
                return Err(IaaError::Inconsistent("a stream without bytes"));
            }
            return if is_full { Err(IaaError::OutputFull) } else { self.ended(parts, record) };
        };
        let to = 1 - from;
        self.image = Some(to);
        let has_ended = if is_full { false } else { is_last || is_at_end(parts.scratch.bytes(), to) };
        if has_ended {
            return self.ended(parts, record);
        }
        if is_full && had_all_capacity {
            return Err(IaaError::OutputFull);
        }
        if consumed == 0 && produced == 0 {
            return Err(IaaError::Inconsistent("success without progress"));
        }
        if self.at >= parts.input.len() && !is_full {
            return Err(IaaError::Inconsistent("the end of a stream that did not end"));
        }
        Ok(Step::Submit(self.request(reborrow(&mut parts))))
    }

    /// Checks the trailer after a stream, and goes on with the next member or finishes.
    fn ended(&mut self, parts: Parts<'_>, record: RecordView) -> Result<Step, IaaError> {
        let uncompressed = &parts.output[self.stream_out..self.out];
        let crc = || checksum(Checksum::Crc32, uncompressed) as u32;
        let sum = match self.container.checksum() {
            Some(Checksum::Adler32) => checksum(Checksum::Adler32, uncompressed) as u32,
            _ => record.crc(),
        };
        // A raw stream has no length or checksum, so the only check is the device's CRC of its
        // output.
        let is_unchecked = self.container.checksum().is_none() && !self.is_exact;
        if (self.limits.verify || is_unchecked) && crc() != record.crc() {
            return Err(IaaError::Inconsistent("a checksum that is not that of its output"));
        }
        let end = self.container.check_trailer(parts.input, self.at, sum, uncompressed.len());
        self.at = end.map_err(IaaError::Container)?;
        if self.container.goes_on(&parts.input[self.at..]) {
            return self.stream(parts);
        }
        Ok(Step::Done(Output { produced: self.out, consumed: self.at, checksum: None, record: Some(record) }))
    }

    /// Returns a request for half of the current piece; none if it is too small already.
    pub(super) fn shrink(&mut self, parts: Parts<'_>) -> Option<Request> {
        let smaller = self.piece.min(self.source.max(self.capacity)) / 2;
        if smaller < MIN_PIECE {
            return None;
        }
        self.piece = smaller;
        Some(self.request(parts))
    }
}

/// Makes the first image the start of a stream, and returns its number.
fn fresh(scratch: &mut crate::queue::Scratch) -> usize {
    scratch.clear(SPILL_AT + SPILL);
    scratch.bytes()[aecs::STATE..][..2].copy_from_slice(&aecs::state::HEADER.to_le_bytes());
    0
}

/// Returns whether an image is at the end of a stream.
fn is_at_end(images: &[u8], image: usize) -> bool {
    let at = image * aecs::BYTES + aecs::STATE;
    u16::from_le_bytes([images[at], images[at + 1]]) & aecs::state::ENDED != 0
}

fn reborrow<'a>(parts: &'a mut Parts<'_>) -> Parts<'a> {
    Parts { input: parts.input, output: parts.output, scratch: parts.scratch }
}
