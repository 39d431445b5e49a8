//! Compression into raw, zlib and gzip streams of one block.
//!
//! The device finds matches within 4 KB and writes them with the codes that it is given. For codes
//! that fit the data, a first descriptor counts the symbols; the driver then makes codes and a
//! header, and a second descriptor writes. The header goes into the output accumulator, before the
//! first symbol. Input over the maximum transfer is cut into pieces that share the codes; the
//! accumulator carries the bits of an incomplete byte. At the end the device decompresses its own
//! output for the CRC. A part of a stream is made from a complete stream before that.

mod ending;
mod tables;

use pelton_codec::{Checksum, Container, checksum};

use super::{Completion, MiniBlockSize, OperationLimits, Step};
use crate::error::IaaError;
use crate::hw::aecs::compress as aecs;
use crate::hw::{AnalyticsError, Descriptor, Opcode, RecordView, flags};
use crate::queue::{Parts, Region, Request, Span};

pub use tables::CannedTables;

/// Offset of a histogram: after the two images.
const HISTOGRAM_AT: usize = 2 * aecs::BYTES;
const SCRATCH: usize = HISTOGRAM_AT + aecs::HISTOGRAM_BYTES;
/// Minimum size of a piece.
const MIN_PIECE: usize = 4096;
/// log2 of the device's sliding window.
const WINDOW_LOG2: u8 = 12;

/// Source of the Huffman codes.
pub(crate) enum CodeChoice {
    /// The fixed codes of RFC 1951.
    Fixed,
    /// Codes made from the data, which is read twice.
    Dynamic,
    /// Codes from the caller.
    Canned(Box<CannedTables>),
}

/// Stage of a compression.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Count,
    Write,
    Check,
}

/// A compression in progress.
pub(crate) struct Compress {
    container: Container,
    level: i32,
    codes: CodeChoice,
    limits: OperationLimits,
    /// Whether the result is a part of a stream.
    is_part: bool,
    /// Number of valid bits in the last byte that the device wrote; 0 means all.
    last_bits: u8,
    /// Flag bits with the mini-block size.
    mini_blocks: u16,
    stage: Stage,
    piece: usize,
    /// Offset of the next piece.
    at: usize,
    /// Offset of its output.
    out: usize,
    /// Offset of the stream, after the container's header.
    start: usize,
    /// CRC-32 of the input.
    crc: u32,
    counts: tables::Counts,
    /// The image to continue from.
    image: usize,
    /// Length of the current source.
    source: usize,
    /// Length of the current destination.
    capacity: usize,
}

impl Compress {
    pub(crate) fn new(
        container: Container,
        level: i32,
        codes: CodeChoice,
        limits: OperationLimits,
    ) -> Compress {
        let stage = if matches!(codes, CodeChoice::Dynamic) { Stage::Count } else { Stage::Write };
        let counts = tables::Counts::default();
        let piece = limits.transfer;
        let (at, out, start, crc, image, source, capacity) = (0, 0, 0, 0, 0, 0, 0);
        Compress {
            container,
            level,
            codes,
            limits,
            is_part: false,
            last_bits: 0,
            mini_blocks: 0,
            stage,
            piece,
            at,
            out,
            start,
            crc,
            counts,
            image,
            source,
            capacity,
        }
    }

    /// Returns this compression, with matches that stay within mini-blocks of `size`.
    pub(crate) fn within(mut self, size: MiniBlockSize) -> Compress {
        self.mini_blocks = (size as u16) << flags::compress::INDEXING_SHIFT;
        self
    }

    pub(super) fn begin(&mut self, mut parts: Parts<'_>) -> Result<Step, IaaError> {
        self.crc = checksum(Checksum::Crc32, parts.input) as u32;
        let header = self.container.header(self.level, WINDOW_LOG2);
        self.start = header.len();
        if parts.output.len() <= header.len() + self.trailer_len() {
            return self.store(&mut parts);
        }
        parts.output[..header.len()].copy_from_slice(&header);
        self.out = self.start;
        parts.scratch.clear(SCRATCH);
        match self.stage {
            Stage::Count => Ok(Step::Submit(self.count(&parts))),
            _ => self.first_write(parts),
        }
    }

    /// Returns the maximum number of bytes after the block.
    fn trailer_len(&self) -> usize {
        if self.is_part { ending::PART_END } else { self.container.trailer(0, 0).len() }
    }

    /// Returns the request that counts the symbols of the next piece.
    fn count(&mut self, parts: &Parts<'_>) -> Request {
        self.source = (parts.input.len() - self.at).min(self.piece);
        Request {
            descriptor: Descriptor::new(Opcode::Compress)
                .with_own_flags(flags::compress::STATISTICS | self.mini_blocks),
            source1: Some(self.source_span()),
            destination: Some(Span::new(Region::Scratch, HISTOGRAM_AT..SCRATCH)),
            source2: None,
        }
    }

    fn source_span(&self) -> Span {
        Span::new(Region::Input, self.at..self.at + self.source)
    }

    /// Fills the first image with codes and header, and returns the request for the first piece.
    fn first_write(&mut self, parts: Parts<'_>) -> Result<Step, IaaError> {
        let dynamic = (self.stage == Stage::Count).then(|| self.counts.tables()).flatten();
        let fixed;
        let tables = match (&self.codes, &dynamic) {
            (CodeChoice::Canned(tables), _) => &**tables,
            (_, Some(tables)) => tables,
            _ => {
                fixed = CannedTables::fixed();
                &fixed
            }
        };
        tables.write_to(&mut parts.scratch.bytes()[..aecs::BYTES]);
        (self.stage, self.at, self.image) = (Stage::Write, 0, 0);
        Ok(Step::Submit(self.write(&parts)))
    }

    /// Returns the request that writes the next piece.
    fn write(&mut self, parts: &Parts<'_>) -> Request {
        let input = parts.input.len() - self.at;
        self.source = input.min(self.piece);
        let capacity = parts.output.len() - self.trailer_len() - self.out;
        self.capacity = capacity.min(self.limits.transfer);
        let is_last = self.source == input;
        let is_whole = is_last && self.at == 0;
        let mut operation = flags::operation::SOURCE2_AECS;
        if !is_whole {
            operation |= flags::operation::WRITE_AECS_ALWAYS;
            operation |= if self.image == 1 { flags::operation::AECS_TOGGLE } else { 0 };
        }
        let own = if is_last { flags::compress::FLUSH_OUTPUT | flags::compress::END_EOB } else { 0 };
        let images = if is_whole { aecs::BYTES } else { 2 * aecs::BYTES };
        Request {
            descriptor: Descriptor::new(Opcode::Compress)
                .with_operation_flags(operation)
                .with_own_flags(own | self.mini_blocks),
            source1: Some(self.source_span()),
            destination: Some(Span::new(Region::Output, self.out..self.out + self.capacity)),
            source2: Some(Span::new(Region::Scratch, 0..images)),
        }
    }

    pub(super) fn resume(&mut self, mut parts: Parts<'_>, completion: Completion) -> Result<Step, IaaError> {
        match self.stage {
            Stage::Count => {
                completion.success()?;
                self.counts.add(&parts.scratch.bytes()[HISTOGRAM_AT..SCRATCH]);
                self.at += self.source;
                if self.at < parts.input.len() {
                    Ok(Step::Submit(self.count(&parts)))
                } else {
                    self.first_write(parts)
                }
            }
            Stage::Write => match completion {
                Completion::Success(record) => self.written(parts, record),
                // The block would not shrink the input.
                Completion::Overflow(_) | Completion::Failed(IaaError::OutputFull) => self.store(&mut parts),
                Completion::Failed(error) => Err(error),
            },
            Stage::Check => match completion {
                Completion::Success(record) if self.is_right(&parts, &record) => {
                    self.finish(parts, Some(record))
                }
                Completion::Success(_) | Completion::Failed(IaaError::Data(_)) => {
                    Err(IaaError::Data(AnalyticsError::VerifyFailed))
                }
                other => Err(other.success().err().unwrap_or(IaaError::Data(AnalyticsError::VerifyFailed))),
            },
        }
    }

    fn written(&mut self, mut parts: Parts<'_>, record: RecordView) -> Result<Step, IaaError> {
        let produced = record.produced() as usize;
        if produced > self.capacity || record.consumed() as usize > self.source {
            return Err(IaaError::Inconsistent("more bytes than it was given"));
        }
        self.out += produced;
        self.at += self.source;
        self.image = 1 - self.image;
        if self.at < parts.input.len() {
            return Ok(Step::Submit(self.write(&parts)));
        }
        self.last_bits = record.output_bits();
        if record.crc() != self.crc {
            return Err(IaaError::Inconsistent("a checksum that is not that of its input"));
        }
        if self.out - self.start >= ending::stored_len(parts.input.len()) {
            return self.store(&mut parts);
        }
        if self.is_part {
            self.make_part(parts.output)?;
        }
        self.stage = Stage::Check;
        if self.checked_end() - self.start > self.limits.transfer || self.out == self.start {
            return self.check_in_software(parts, record);
        }
        Ok(Step::Submit(self.check()))
    }

    /// Returns a request for half of the current piece; none if it is too small already.
    pub(super) fn shrink(&mut self, parts: Parts<'_>) -> Option<Request> {
        let smaller = self.source / 2;
        if smaller < MIN_PIECE || self.stage == Stage::Check {
            return None;
        }
        self.piece = smaller;
        Some(if self.stage == Stage::Count { self.count(&parts) } else { self.write(&parts) })
    }
}
