//! Filter operations: what is said to the device, and what its record says of the result.
//!
//! A [`Filter`] is one descriptor. Its first input may be a DEFLATE stream, which the device decompresses on the way: then
//! the elements are never in memory.

mod predicate;

use pelton_codec::{Container, Format};

use super::{Landed, Output, Step};
use crate::error::IaaError;
use crate::hw::aecs::decompress as aecs;
use crate::hw::flags::filter as flag;
use crate::hw::{Descriptor, Opcode, RecordView, flags};
use crate::queue::{Order, Parts, Place, Span};

pub use predicate::Predicate;

/// How elements are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// So many bits each (1 to 32), from the least significant bit of each byte.
    LittleEndian(u8),
    /// So many bits each (1 to 32), from the most significant bit of each byte.
    BigEndian(u8),
    /// Parquet's hybrid of runs and packed elements, behind a byte with the width.
    ParquetRle,
}

/// What an operation writes for each element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Width {
    /// Elements as wide as they are; of scans and set membership, a bit for each element.
    #[default]
    Nominal,
    /// 8 bits: elements, or the indexes of bits that are set.
    Bits8,
    /// 16 bits.
    Bits16,
    /// 32 bits.
    Bits32,
}

/// Bits of each element that are left out before it is looked up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    /// How many of the lowest (0 to 31).
    pub low: u8,
    /// How many of the highest (0 to 31).
    pub high: u8,
}

/// The operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilterOperation {
    /// A bit for each element that meets a condition.
    Scan(Predicate),
    /// The elements from one position to another, both inclusive, from 0.
    Extract {
        /// The first.
        first: u32,
        /// The last.
        last: u32,
    },
    /// The elements whose bit is set in the second input.
    Select,
    /// For each bit of the second input the next element if it is set, and else 0. So many bits as the filter has elements.
    Expand,
    /// A bit for each element that is in the set whose bits the second input has.
    SetMembership(Dropped),
    /// The set of the elements that occur, as bits.
    FindUnique(Dropped),
    /// Each element of the second input, packed in so many bits from the lowest bit of each byte, as often as the first
    /// says: by a count each of 8 or 16 bits; or by a row of sums of 32 bits, one more than there are elements, of which
    /// each is so much larger than the one before, as Arrow's offsets are. The filter's elements are those of the first.
    RleBurst {
        /// Bits of an element of the second input (1 to 32).
        width: u8,
    },
}

/// A filter operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filter {
    /// What to do.
    pub operation: FilterOperation,
    /// How the first input is packed.
    pub layout: Layout,
    /// How many elements the first input has; of expand, how many bits the second has.
    pub elements: u32,
    /// The container of the first input, if it is compressed.
    pub packed: Option<Format>,
    /// What is written.
    pub width: Width,
    /// Write elements and indexes with their highest byte, and bits with the highest, first.
    pub big_endian: bool,
    /// Bytes of the decompressed input before the first element.
    pub skip: u16,
    /// Added to each index that is written.
    pub first_index: u32,
}

impl Filter {
    /// An operation on elements that are not compressed, with output as it comes.
    pub fn new(operation: FilterOperation, layout: Layout, elements: u32) -> Filter {
        let (packed, width, big_endian, skip, first_index) = (None, Width::Nominal, false, 0, 0);
        Filter { operation, layout, elements, packed, width, big_endian, skip, first_index }
    }

    fn opcode(&self) -> Opcode {
        match self.operation {
            FilterOperation::Scan(_) => Opcode::Scan,
            FilterOperation::Extract { .. } => Opcode::Extract,
            FilterOperation::Select => Opcode::Select,
            FilterOperation::Expand => Opcode::Expand,
            FilterOperation::SetMembership(_) => Opcode::SetMembership,
            FilterOperation::FindUnique(_) => Opcode::FindUnique,
            FilterOperation::RleBurst { .. } => Opcode::RleBurst,
        }
    }

    /// Whether the second input is used.
    fn has_second(&self) -> bool {
        !matches!(self.opcode(), Opcode::Scan | Opcode::Extract | Opcode::FindUnique)
    }

    /// The filter flags.
    fn flags(&self) -> Result<u32, IaaError> {
        let width = |bits: u8| match bits {
            1..=32 => Ok(u32::from(bits) - 1),
            _ => Err(IaaError::Invalid("an element has 1 to 32 bits")),
        };
        let parser = match self.layout {
            Layout::LittleEndian(bits) => {
                flag::PARSER_LITTLE_ENDIAN | width(bits)? << flag::SOURCE1_WIDTH_SHIFT
            }
            Layout::BigEndian(bits) => flag::PARSER_BIG_ENDIAN | width(bits)? << flag::SOURCE1_WIDTH_SHIFT,
            Layout::ParquetRle => flag::PARSER_PARQUET_RLE,
        };
        let mut flags = parser | (self.width as u32) << flag::OUTPUT_WIDTH_SHIFT;
        if self.big_endian {
            flags |= flag::OUTPUT_BIG_ENDIAN;
        }
        match self.operation {
            FilterOperation::Scan(predicate) if predicate.range().is_inverted => flags |= flag::INVERT_OUTPUT,
            FilterOperation::SetMembership(dropped) | FilterOperation::FindUnique(dropped) => {
                if dropped.low > 31 || dropped.high > 31 {
                    return Err(IaaError::Invalid("0 to 31 bits of an element are left out at an end"));
                }
                flags |= u32::from(dropped.low) << flag::DROP_LOW_SHIFT;
                flags |= u32::from(dropped.high) << flag::DROP_HIGH_SHIFT;
            }
            FilterOperation::RleBurst { width: second } => {
                flags |= width(second)? << flag::SOURCE2_WIDTH_SHIFT;
            }
            _ => {}
        }
        Ok(flags)
    }

    /// The filter's part of the AECS; all zero where the operation has no parameters.
    fn image(&self) -> [u8; aecs::FILTER_BYTES] {
        let (low, high) = match self.operation {
            FilterOperation::Scan(predicate) => (predicate.range().low, predicate.range().high),
            FilterOperation::Extract { first, last } => (first, last),
            _ => (0, 0),
        };
        let mut image = [0; aecs::FILTER_BYTES];
        for (at, value) in
            [(aecs::FILTER_LOW, low), (aecs::FILTER_HIGH, high), (aecs::OUTPUT_MODIFIER, self.first_index)]
        {
            image[at..at + 4].copy_from_slice(&value.to_le_bytes());
        }
        image[aecs::DROP_INITIAL_BYTES..][..2].copy_from_slice(&self.skip.to_le_bytes());
        image
    }
}

/// What a filter made, beside the bytes in the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filtered {
    /// Bytes of the output.
    pub produced: usize,
    /// Bits of the last of them that mean something: 1 to 8.
    pub last_bits: u8,
    /// Bytes of the first input that were used, with its container.
    pub consumed: usize,
    /// The smallest element of the output, or the first index.
    pub min_or_first: u32,
    /// The largest element of the output, or the last index.
    pub max_or_last: u32,
    /// The sum of the output's elements modulo 2^32, or how many bits are set.
    pub sum_or_count: u32,
    /// CRC-32 of the elements' bytes, as they were decompressed.
    pub crc: u32,
}

impl Filtered {
    pub(crate) fn of(output: &Output) -> Option<Filtered> {
        let record = output.record?;
        Some(Filtered {
            produced: output.produced,
            last_bits: if record.output_bits() == 0 { 8 } else { record.output_bits() },
            consumed: output.consumed,
            min_or_first: record.min_or_first(),
            max_or_last: record.max_or_last(),
            sum_or_count: record.sum_or_count(),
            crc: record.crc(),
        })
    }
}

/// A filter on its way.
pub(crate) struct Filtering {
    filter: Filter,
    second: usize,
    /// Where the stream starts, behind the container's header.
    start: usize,
}

impl Filtering {
    /// A filter whose second input has so many bytes.
    pub(crate) fn new(filter: Filter, second: usize) -> Filtering {
        Filtering { filter, second, start: 0 }
    }

    pub(super) fn begin(&mut self, parts: Parts<'_>) -> Result<Step, IaaError> {
        let filter = &self.filter;
        let mut own = 0;
        if let Some(format) = filter.packed {
            let container =
                Container::of(format).ok_or(IaaError::Invalid("the device decompresses DEFLATE only"))?;
            self.start = container.header_len(parts.input).map_err(IaaError::Container)?;
            own = flags::decompress::WHOLE_STREAM;
        }
        let (operation, source2) = if filter.has_second() {
            (flags::operation::SOURCE2_FILTER, Span::new(Place::Second, 0..self.second))
        } else {
            parts.scratch.clear(aecs::FILTER_BYTES);
            parts.scratch.bytes().copy_from_slice(&filter.image());
            (flags::operation::SOURCE2_AECS, Span::new(Place::Scratch, 0..aecs::FILTER_BYTES))
        };
        if filter.has_second() && (filter.skip, filter.first_index) != (0, 0) {
            return Err(IaaError::Invalid("an operation with a second input has no parameters beside it"));
        }
        Ok(Step::Fly(Order {
            descriptor: Descriptor::new(filter.opcode())
                .with_operation_flags(operation)
                .with_own_flags(own)
                .with_filter_flags(filter.flags()?)
                .with_elements(filter.elements),
            source1: Some(Span::new(Place::Input, self.start..parts.input.len())),
            destination: Some(Span::new(Place::Output, 0..parts.output.len())),
            source2: Some(source2),
        }))
    }

    pub(super) fn resume(&mut self, parts: Parts<'_>, landed: Landed) -> Result<Step, IaaError> {
        let record = landed.success()?;
        let (consumed, produced) = (record.consumed() as usize, record.produced() as usize);
        if consumed > parts.input.len() - self.start
            || produced > parts.output.len()
            || record.output_bits() > 8
        {
            return Err(IaaError::Lied("more bytes than it was given"));
        }
        let consumed = self.check_container(&parts, &record, self.start + consumed)?;
        Ok(Step::Done(Output { produced, consumed, checksum: None, record: Some(record) }))
    }

    /// The elements are in nobody's memory: what the device says of their checksum is all that can be held against the
    /// container. zlib's is another one, which it does not compute.
    fn check_container(&self, parts: &Parts<'_>, record: &RecordView, end: usize) -> Result<usize, IaaError> {
        let Some(container) =
            self.filter.packed.filter(|format| *format == Format::Gzip).and_then(Container::of)
        else {
            return Ok(end);
        };
        let trailer: Option<&[u8; 8]> = parts.input.get(end..).and_then(<[u8]>::first_chunk);
        let len =
            trailer.map_or(0, |trailer| u32::from_le_bytes([trailer[4], trailer[5], trailer[6], trailer[7]]));
        container.check_trailer(parts.input, end, record.crc(), len as usize).map_err(IaaError::Container)
    }
}
