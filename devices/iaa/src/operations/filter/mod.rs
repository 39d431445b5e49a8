//! Filter operations and their descriptors.
//!
//! A [`Filter`] is one descriptor. Its first input may be a DEFLATE stream, which the device
//! decompresses on the way, so the elements are never in memory.

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

/// Layout of packed elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Width in bits (1 to 32), from the least significant bit of each byte.
    LittleEndian(u8),
    /// Width in bits (1 to 32), from the most significant bit of each byte.
    BigEndian(u8),
    /// Parquet's hybrid of runs and packed elements, after a byte with the width.
    ParquetRle,
}

/// Width of the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Width {
    /// Elements with their own width; a bit for each element of a scan or set membership.
    #[default]
    Nominal,
    /// 8 bits: elements, or the indexes of set bits.
    Bits8,
    /// 16 bits.
    Bits16,
    /// 32 bits.
    Bits32,
}

/// Number of bits to drop from each element before its look-up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    /// Lowest bits (0 to 31).
    pub low: u8,
    /// Highest bits (0 to 31).
    pub high: u8,
}

/// A filter operation with its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilterOperation {
    /// A bit for each element: whether it meets a condition.
    Scan(Predicate),
    /// The elements in a range of positions, both ends included.
    Extract {
        /// First position, from 0.
        first: u32,
        /// Last position.
        last: u32,
    },
    /// The elements at the set bits of the second input.
    Select,
    /// The next element for each set bit of the second input, and zero for the others. The filter's
    /// element count is the number of bits.
    Expand,
    /// A bit for each element: whether it is a member of the set in the second input, a bit vector.
    SetMembership(Dropped),
    /// The set of the elements, as a bit vector.
    FindUnique(Dropped),
    /// Each element of the second input, repeated as often as the first input tells. The first
    /// input has counts of 8 or 16 bits, or offsets like Arrow's, one more than there are elements.
    /// The second input is packed from the lowest bit of each byte. The filter's element count is
    /// that of the first input.
    RleBurst {
        /// Width of the second input in bits (1 to 32).
        width: u8,
    },
}

/// A filter operation with its inputs and output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filter {
    /// The operation.
    pub operation: FilterOperation,
    /// Layout of the first input.
    pub layout: Layout,
    /// Number of elements in the first input; for expand, number of bits in the second.
    pub elements: u32,
    /// The container of the first input, if it is compressed.
    pub container: Option<Format>,
    /// Width of the output.
    pub width: Width,
    /// Whether the output is big-endian, in bytes of elements and indexes and in bits of bit
    /// vectors.
    pub big_endian: bool,
    /// Bytes of the decompressed input before the first element.
    pub skip: u16,
    /// Added to each index that is written.
    pub first_index: u32,
}

impl Filter {
    /// Returns an operation on uncompressed elements, with the default output.
    pub fn new(operation: FilterOperation, layout: Layout, elements: u32) -> Filter {
        let (container, width, big_endian, skip, first_index) = (None, Width::Nominal, false, 0, 0);
        Filter { operation, layout, elements, container, width, big_endian, skip, first_index }
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

    /// Returns whether the operation has a second input.
    fn has_second(&self) -> bool {
        !matches!(self.opcode(), Opcode::Scan | Opcode::Extract | Opcode::FindUnique)
    }

    /// Returns the filter flags.
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

    /// Returns the filter's part of the AECS, which is zero for operations without parameters.
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
