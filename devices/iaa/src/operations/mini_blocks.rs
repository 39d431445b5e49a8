//! Mini-blocks: parts of a stream that can be decompressed alone, with an index of their positions.
//!
//! The stream is one block without matches across the edge of a mini-block. The device makes the
//! index while it decompresses with suppressed output. To decompress a mini-block, the device first
//! reads the codes in the block's header. Then the driver puts the bits of a shared first byte into
//! the input accumulator, and the index's CRC into the state. The resulting CRC has to be that of
//! the next entry.

use super::{Completion, Output, Step};
use crate::error::IaaError;
use crate::hw::aecs::decompress as aecs;
use crate::hw::flags::{decompress as flag, operation};
use crate::hw::{Descriptor, Opcode};
use crate::queue::{Parts, Region, Request, Span};

/// Uncompressed length of a mini-block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MiniBlockSize {
    /// 512 bytes.
    Bytes512 = 1,
    /// 1 KB.
    Kb1 = 2,
    /// 2 KB.
    Kb2 = 3,
    /// 4 KB.
    Kb4 = 4,
    /// 8 KB.
    Kb8 = 5,
    /// 16 KB.
    Kb16 = 6,
    /// 32 KB.
    Kb32 = 7,
}

impl MiniBlockSize {
    /// Returns the length in bytes.
    pub fn bytes(self) -> usize {
        256 << self as usize
    }
}

/// Length of an index entry: a bit offset and the CRC-32 of all preceding data, 32 bits each.
const ENTRY: usize = 8;
/// Number of entries in addition to one for each mini-block: before and after the end of the block.
/// The first entry is after its header.
const MORE: usize = 2;

/// Index of the mini-blocks of a raw stream of one block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MiniBlocks {
    size: MiniBlockSize,
    uncompressed: usize,
    /// Bit offset and CRC.
    entries: Vec<(u32, u32)>,
}

impl MiniBlocks {
    /// Returns the length of the device's index for `uncompressed` bytes.
    pub(crate) fn index_len(size: MiniBlockSize, uncompressed: usize) -> usize {
        (uncompressed.div_ceil(size.bytes()) + MORE) * ENTRY
    }

    /// Returns the index that the device has written for `uncompressed` bytes.
    pub(crate) fn of(
        size: MiniBlockSize,
        uncompressed: usize,
        written: &[u8],
    ) -> Result<MiniBlocks, IaaError> {
        let word = |entry: &[u8; ENTRY]| u64::from_le_bytes(*entry);
        let entries: Vec<(u32, u32)> = written
            .as_chunks()
            .0
            .iter()
            .map(|entry| (word(entry) as u32, (word(entry) >> 32) as u32))
            .collect();
        let is_complete = written.len() == MiniBlocks::index_len(size, uncompressed);
        if !is_complete || !entries.is_sorted_by_key(|(bit, _)| *bit) {
            return Err(IaaError::Inconsistent("an index that is none of one block"));
        }
        Ok(MiniBlocks { size, uncompressed, entries })
    }

    /// Returns the number of mini-blocks.
    pub fn len(&self) -> usize {
        self.entries.len() - MORE
    }

    /// Returns whether there are no mini-blocks.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the uncompressed length of a mini-block.
    pub fn bytes(&self, number: usize) -> usize {
        self.uncompressed.saturating_sub(number * self.size.bytes()).min(self.size.bytes())
    }

    /// Returns the length of every mini-block except the last.
    pub fn size(&self) -> MiniBlockSize {
        self.size
    }
}

/// An operation that writes the index of a raw stream to the output.
pub(crate) struct Indexing {
    pub(crate) size: MiniBlockSize,
}

impl Indexing {
    pub(super) fn begin(&mut self, parts: Parts<'_>) -> Result<Step, IaaError> {
        let own = flag::WHOLE_STREAM | flag::SUPPRESS_OUTPUT | (self.size as u16) << flag::INDEXING_SHIFT;
        Ok(Step::Submit(Request {
            descriptor: Descriptor::new(Opcode::Decompress).with_own_flags(own),
            source1: Some(Span::new(Region::Input, 0..parts.input.len())),
            destination: Some(Span::new(Region::Output, 0..parts.output.len())),
            source2: None,
        }))
    }

    pub(super) fn resume(&mut self, parts: Parts<'_>, completion: Completion) -> Result<Step, IaaError> {
        let record = completion.success()?;
        let (consumed, produced) = (record.consumed() as usize, record.produced() as usize);
        if consumed > parts.input.len() || produced > parts.output.len() {
            return Err(IaaError::Inconsistent("more bytes than it was given"));
        }
        Ok(Step::Done(Output { produced, consumed, checksum: None, record: Some(record) }))
    }
}

/// An operation that decompresses one mini-block of a raw stream.
pub(crate) struct Reading {
    header_end: u32,
    from: (u32, u32),
    to: (u32, u32),
    bytes: usize,
    has_header: bool,
}

impl Reading {
    /// Returns the operation; none if the index has no such mini-block.
    pub(crate) fn new(index: &MiniBlocks, number: usize) -> Option<Reading> {
        (number < index.len()).then_some(())?;
        Some(Reading {
            header_end: index.entries.first()?.0,
            from: *index.entries.get(number)?,
            to: *index.entries.get(number + 1)?,
            bytes: index.bytes(number),
            has_header: false,
        })
    }

    fn request(
        &self,
        flags: u16,
        operation: u32,
        source: std::ops::Range<usize>,
        destination: Span,
    ) -> Request {
        Request {
            descriptor: Descriptor::new(Opcode::Decompress)
                .with_operation_flags(operation | operation::SOURCE2_AECS)
                .with_own_flags(flags),
            source1: Some(Span::new(Region::Input, source)),
            destination: Some(destination),
            source2: Some(Span::new(Region::Scratch, 0..2 * aecs::BYTES)),
        }
    }

    /// Returns the request that reads the header into the second image.
    pub(super) fn begin(&mut self, parts: Parts<'_>) -> Result<Step, IaaError> {
        if parts.output.len() < self.bytes {
            return Err(IaaError::OutputFull);
        }
        if (self.to.0 as usize).div_ceil(8) > parts.input.len() {
            return Err(IaaError::Invalid("the index is not this stream's"));
        }
        // A destination, although reading a header has no output.
        parts.scratch.clear(2 * aecs::BYTES + ENTRY);
        parts.scratch.bytes()[aecs::STATE..][..2].copy_from_slice(&aecs::state::HEADER.to_le_bytes());
        let spill = Span::new(Region::Scratch, 2 * aecs::BYTES..2 * aecs::BYTES + ENTRY);
        let end = (self.header_end as usize).div_ceil(8);
        let flags = flag::ENABLE | flag::SUPPRESS_OUTPUT | ignored(self.header_end);
        Ok(Step::Submit(self.request(flags, operation::WRITE_AECS_ALWAYS, 0..end, spill)))
    }

    pub(super) fn resume(&mut self, parts: Parts<'_>, completion: Completion) -> Result<Step, IaaError> {
        let record = completion.success()?;
        if !self.has_header {
            self.has_header = true;
            let image = &mut parts.scratch.bytes()[aecs::BYTES..];
            let first = self.from.0 as usize / 8;
            let bit = self.from.0 % 8;
            image[aecs::INPUT_ACCUMULATOR] = parts.input[first] >> bit;
            image[aecs::INPUT_BITS] = 8 - bit as u8;
            image[aecs::CRC..][..4].copy_from_slice(&self.from.1.to_le_bytes());
            let source = first + 1..(self.to.0 as usize).div_ceil(8).max(first + 1);
            let flags = flag::ENABLE | flag::FLUSH_OUTPUT | ignored(self.to.0);
            let destination = Span::new(Region::Output, 0..self.bytes);
            let toggled = operation::WRITE_AECS_ALWAYS | operation::AECS_TOGGLE;
            return Ok(Step::Submit(self.request(flags, toggled, source, destination)));
        }
        if record.produced() as usize != self.bytes || record.crc() != self.to.1 {
            return Err(IaaError::Inconsistent("another mini-block than the index says"));
        }
        Ok(Step::Done(Output { produced: self.bytes, consumed: 0, checksum: None, record: Some(record) }))
    }
}

/// Returns the flags that ignore the bits after an end within a byte.
fn ignored(bit: u32) -> u16 {
    ((8 - bit % 8) % 8) as u16 * (1 << flag::IGNORE_END_BITS_SHIFT)
}
