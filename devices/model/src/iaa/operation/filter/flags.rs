//! Flags of a filter operation.

use pelton_device_iaa::hw::flags::{decompress, filter as bits};
use pelton_device_iaa::hw::{Descriptor, RecordView, Status};

use super::Kind;
use crate::iaa::operation::refused;

/// Layout of source 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Parser {
    /// Consecutive elements of one width.
    Packed {
        /// Width of an element in bits.
        width: u32,
        /// Whether the most significant bit of each byte comes first.
        big_endian: bool,
    },
    /// Parquet's hybrid of runs and packed values, which contains its width.
    Hybrid,
}

/// The flags of a filter operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flags {
    /// Layout of source 1.
    pub parser: Parser,
    /// Width of an element of source 2 in bits.
    pub second_width: u32,
    /// Whether the most significant bit of source 2 comes first.
    pub second_big_endian: bool,
    /// Width of an element or index of the output in bits; none if elements keep their width.
    pub output_width: Option<u32>,
    /// Whether the output is packed from the most significant bit, which makes its elements
    /// big-endian.
    pub output_big_endian: bool,
    /// Whether to invert a bit vector.
    pub invert: bool,
    /// Low bits of an element that a set ignores.
    pub drop_low: u32,
    /// High bits of an element that a set ignores.
    pub drop_high: u32,
    /// Whether bits of a bit vector are widened like elements instead of becoming indexes.
    pub force_array: bool,
    /// Whether source 1 is compressed.
    pub decompress: bool,
}

/// Mask of the output's width, shifted down.
const OUTPUT_WIDTH_MASK: u32 = 0b11;

/// Reserved flags.
const RESERVED: u32 = 0b1111 << 28;

/// Flags of decompression that a filter can't have: for suppressed output, an index, or reserved.
const NOT_WITH_FILTERS: u16 = decompress::SUPPRESS_OUTPUT | 0b111 << decompress::INDEXING_SHIFT | 0b111 << 13;

impl Flags {
    /// Returns the flags of a descriptor.
    ///
    /// # Errors
    /// The record of the rejection. It is an assumption that fields without a use have to be 0.
    pub(super) fn of(descriptor: &Descriptor, kind: Kind) -> Result<Flags, RecordView> {
        let flags = descriptor.filter_flags();
        let (own, has) = (descriptor.own_flags(), |bit| flags & bit != 0);
        let five = |shift| (flags >> shift) & bits::FIVE_BITS;
        let decompress = own & decompress::ENABLE != 0;
        if own & NOT_WITH_FILTERS != 0 || !decompress && own != 0 {
            return Err(refused(Status::InvalidOwnFlags));
        }
        let width = five(bits::SOURCE1_WIDTH_SHIFT) + 1;
        let parser = match flags & bits::PARSER_MASK {
            bits::PARSER_LITTLE_ENDIAN => Parser::Packed { width, big_endian: false },
            bits::PARSER_BIG_ENDIAN => Parser::Packed { width, big_endian: true },
            bits::PARSER_PARQUET_RLE if width == 1 => Parser::Hybrid,
            bits::PARSER_PARQUET_RLE => return Err(refused(Status::InvalidWidth)),
            _ => return Err(refused(Status::InvalidFilterFlags)),
        };
        let flags = Flags {
            parser,
            second_width: five(bits::SOURCE2_WIDTH_SHIFT) + 1,
            second_big_endian: has(bits::SOURCE2_BIG_ENDIAN),
            output_width: match (flags >> bits::OUTPUT_WIDTH_SHIFT) & OUTPUT_WIDTH_MASK {
                0 => None,
                n => Some(4 << n),
            },
            output_big_endian: has(bits::OUTPUT_BIG_ENDIAN),
            invert: has(bits::INVERT_OUTPUT),
            drop_low: five(bits::DROP_LOW_SHIFT),
            drop_high: five(bits::DROP_HIGH_SHIFT),
            force_array: has(bits::FORCE_ARRAY),
            decompress,
        };
        // Only RLE burst has a source 2 of elements wider than bits.
        let second_is_wrong = flags.second_width != 1 && kind != Kind::RleBurst;
        let drops_for_nothing = flags.drop_low + flags.drop_high != 0 && !kind.has_set();
        if has(RESERVED) || second_is_wrong || drops_for_nothing {
            return Err(refused(Status::InvalidFilterFlags));
        }
        if descriptor.elements() == 0 {
            return Err(refused(Status::InvalidElements));
        }
        Ok(flags)
    }
}

#[cfg(test)]
mod tests;
