//! Compression into raw, zlib and gzip streams of one block.
//!
//! The device looks for matches within 4 KB and writes them with the codes that it is given. With
//! codes made for the data, it first counts the symbols (one descriptor), then the driver makes
//! codes and a header, then it writes (another one). The header is put into the output accumulator,
//! in front of the first symbol. Input over the size of a transfer is cut into pieces, which share
//! the codes; the accumulator carries the bits of a byte that is not complete. In the end the
//! device decompresses what it wrote, for nobody but its CRC. A part of a stream is made of a whole
//! one before that (`part.rs`).

mod ending;
mod part;
mod stored;
mod tables;

use pelton_codec::{Checksum, Container, checksum};

use super::{Landed, MiniBlockSize, Step, Terms};
use crate::error::IaaError;
use crate::hw::aecs::compress as aecs;
use crate::hw::{AnalyticsError, Descriptor, Opcode, RecordView, flags};
use crate::queue::{Order, Parts, Place, Span};

pub use tables::Tables;

/// Where a histogram is written: behind the two images.
const HISTOGRAM_AT: usize = 2 * aecs::BYTES;
const SCRATCH: usize = HISTOGRAM_AT + aecs::HISTOGRAM_BYTES;
/// A piece is never made smaller than this.
const LEAST_PIECE: usize = 4096;
/// log2 of how far the device's matches reach back.
const WINDOW_LOG2: u8 = 12;

/// Which codes to write with.
pub(crate) enum Coding {
    /// RFC 1951's fixed ones.
    Fixed,
    /// Those that suit the data best, for which it is read twice.
    Dynamic,
    /// The caller's.
    Canned(Box<Tables>),
}

/// What the device is at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Count,
    Write,
    Check,
}

/// A block on its way.
pub(crate) struct Compress {
    container: Container,
    level: i32,
    codes: Coding,
    terms: Terms,
    /// Whether it is to be a part of a stream.
    is_part: bool,
    /// Bits of the last byte that the device wrote; 0 is all 8.
    last_bits: u8,
    /// The bits of the flags that say how large mini-blocks are.
    mini_blocks: u16,
    stage: Stage,
    piece: usize,
    /// Where the next piece starts.
    at: usize,
    /// Where its output goes.
    out: usize,
    /// Where the stream starts, behind the container's header.
    start: usize,
    /// CRC-32 of the input.
    crc: u32,
    counts: tables::Counts,
    /// The image to go on from.
    image: usize,
    /// The source and destination that the device has now.
    source: usize,
    room: usize,
}

impl Compress {
    pub(crate) fn new(container: Container, level: i32, codes: Coding, terms: Terms) -> Compress {
        let stage = if matches!(codes, Coding::Dynamic) { Stage::Count } else { Stage::Write };
        let counts = tables::Counts::default();
        let piece = terms.transfer;
        let (at, out, start, crc, image, source, room) = (0, 0, 0, 0, 0, 0, 0);
        Compress {
            container,
            level,
            codes,
            terms,
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
            room,
        }
    }

    /// Matches that stay within mini-blocks of this size.
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
            Stage::Count => Ok(Step::Fly(self.count(&parts))),
            _ => self.first_write(parts),
        }
    }

    /// Bytes that may follow the block.
    fn trailer_len(&self) -> usize {
        if self.is_part { part::END } else { self.container.trailer(0, 0).len() }
    }

    /// Counts the symbols of the next piece.
    fn count(&mut self, parts: &Parts<'_>) -> Order {
        self.source = (parts.input.len() - self.at).min(self.piece);
        Order {
            descriptor: Descriptor::new(Opcode::Compress)
                .with_own_flags(flags::compress::STATISTICS | self.mini_blocks),
            source1: Some(self.source_span()),
            destination: Some(Span::new(Place::Scratch, HISTOGRAM_AT..SCRATCH)),
            source2: None,
        }
    }

    fn source_span(&self) -> Span {
        Span::new(Place::Input, self.at..self.at + self.source)
    }

    /// Fills the first image with codes and header, and writes the first piece.
    fn first_write(&mut self, parts: Parts<'_>) -> Result<Step, IaaError> {
        let dynamic = (self.stage == Stage::Count).then(|| self.counts.tables()).flatten();
        let fixed;
        let tables = match (&self.codes, &dynamic) {
            (Coding::Canned(tables), _) => &**tables,
            (_, Some(tables)) => tables,
            _ => {
                fixed = Tables::fixed();
                &fixed
            }
        };
        tables.write_to(&mut parts.scratch.bytes()[..aecs::BYTES]);
        (self.stage, self.at, self.image) = (Stage::Write, 0, 0);
        Ok(Step::Fly(self.write(&parts)))
    }

    /// Writes the next piece.
    fn write(&mut self, parts: &Parts<'_>) -> Order {
        let input = parts.input.len() - self.at;
        self.source = input.min(self.piece);
        let room = parts.output.len() - self.trailer_len() - self.out;
        self.room = room.min(self.terms.transfer);
        let is_last = self.source == input;
        let is_whole = is_last && self.at == 0;
        let mut operation = flags::operation::SOURCE2_AECS;
        if !is_whole {
            operation |= flags::operation::WRITE_AECS_ALWAYS;
            operation |= if self.image == 1 { flags::operation::AECS_TOGGLE } else { 0 };
        }
        let own = if is_last { flags::compress::FLUSH_OUTPUT | flags::compress::END_EOB } else { 0 };
        let images = if is_whole { aecs::BYTES } else { 2 * aecs::BYTES };
        Order {
            descriptor: Descriptor::new(Opcode::Compress)
                .with_operation_flags(operation)
                .with_own_flags(own | self.mini_blocks),
            source1: Some(self.source_span()),
            destination: Some(Span::new(Place::Output, self.out..self.out + self.room)),
            source2: Some(Span::new(Place::Scratch, 0..images)),
        }
    }

    pub(super) fn resume(&mut self, mut parts: Parts<'_>, landed: Landed) -> Result<Step, IaaError> {
        match self.stage {
            Stage::Count => {
                landed.success()?;
                self.counts.add(&parts.scratch.bytes()[HISTOGRAM_AT..SCRATCH]);
                self.at += self.source;
                if self.at < parts.input.len() {
                    Ok(Step::Fly(self.count(&parts)))
                } else {
                    self.first_write(parts)
                }
            }
            Stage::Write => match landed {
                Landed::Success(record) => self.written(parts, record),
                // It grows: it is stored.
                Landed::Overflow(_) | Landed::Failed(IaaError::OutputFull) => self.store(&mut parts),
                Landed::Failed(error) => Err(error),
            },
            Stage::Check => match landed {
                Landed::Success(record) if self.is_right(&parts, &record) => self.finish(parts, Some(record)),
                Landed::Success(_) | Landed::Failed(IaaError::Data(_)) => {
                    Err(IaaError::Data(AnalyticsError::VerifyFailed))
                }
                other => Err(other.success().err().unwrap_or(IaaError::Data(AnalyticsError::VerifyFailed))),
            },
        }
    }

    fn written(&mut self, mut parts: Parts<'_>, record: RecordView) -> Result<Step, IaaError> {
        let produced = record.produced() as usize;
        if produced > self.room || record.consumed() as usize > self.source {
            return Err(IaaError::Lied("more bytes than it was given"));
        }
        self.out += produced;
        self.at += self.source;
        self.image = 1 - self.image;
        if self.at < parts.input.len() {
            return Ok(Step::Fly(self.write(&parts)));
        }
        self.last_bits = record.output_bits();
        if record.crc() != self.crc {
            return Err(IaaError::Lied("a checksum that is not that of its input"));
        }
        if self.out - self.start >= stored::len(parts.input.len()) {
            return self.store(&mut parts);
        }
        if self.is_part {
            self.make_part(parts.output)?;
        }
        self.stage = Stage::Check;
        if self.checked_end() - self.start > self.terms.transfer || self.out == self.start {
            return self.check_in_software(parts, record);
        }
        Ok(Step::Fly(self.check()))
    }

    /// The same piece in two.
    pub(super) fn shrink(&mut self, parts: Parts<'_>) -> Option<Order> {
        let smaller = self.source / 2;
        if smaller < LEAST_PIECE || self.stage == Stage::Check {
            return None;
        }
        self.piece = smaller;
        Some(if self.stage == Stage::Count { self.count(&parts) } else { self.write(&parts) })
    }
}
