//! Filter operations: what is said to the device, and what its record says of the result.
//!
//! A [`Filter`] is one descriptor. Its first input may be a DEFLATE stream, which the device
//! decompresses on the way: then the elements are never in memory.

mod filtering;
mod predicate;

use pelton_codec::Format;

use crate::error::IaaError;
use crate::hw::Opcode;
use crate::hw::aecs::decompress as aecs;
use crate::hw::flags::filter as flag;

pub use filtering::Filtered;
pub(crate) use filtering::Filtering;
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
    /// For each bit of the second input the next element if it is set, and else 0. So many bits as
    /// the filter has elements.
    Expand,
    /// A bit for each element that is in the set whose bits the second input has.
    SetMembership(Dropped),
    /// The set of the elements that occur, as bits.
    FindUnique(Dropped),
    /// Each element of the second input, packed in so many bits from the lowest bit of each byte,
    /// as often as the first says: by a count each of 8 or 16 bits; or by a row of sums of 32 bits,
    /// one more than there are elements, of which each is so much larger than the one before, as
    /// Arrow's offsets are. The filter's elements are those of the first.
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
