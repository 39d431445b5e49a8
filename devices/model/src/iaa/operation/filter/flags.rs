//! What the descriptor of a filter operation asks for.

use pelton_device_iaa::hw::flags::{decompress, filter as bits};
use pelton_device_iaa::hw::{Descriptor, RecordView, Status};

use super::Kind;
use crate::iaa::operation::refused;

/// How source 1 is packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Parser {
    /// Elements of one width side by side.
    Packed {
        /// Bits of an element.
        width: u32,
        /// From the most significant bit of each byte.
        big_endian: bool,
    },
    /// Parquet's hybrid of runs and packed values, which says its width itself.
    Hybrid,
}

/// The flags of a filter operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flags {
    /// How source 1 is packed.
    pub parser: Parser,
    /// Bits of an element of source 2.
    pub second_width: u32,
    /// Source 2 is packed from the most significant bit.
    pub second_big_endian: bool,
    /// Bits of an element or an index of the output; none: as the elements are.
    pub output_width: Option<u32>,
    /// The output is packed from the most significant bit, so that its whole elements are
    /// big-endian.
    pub output_big_endian: bool,
    /// Ones for zeros in a bit vector.
    pub invert: bool,
    /// Low bits of an element that don't count in a set.
    pub drop_low: u32,
    /// High bits of an element that don't count in a set.
    pub drop_high: u32,
    /// A bit vector's bits are widened as elements are, rather than made indexes.
    pub force_array: bool,
    /// Source 1 is compressed.
    pub decompress: bool,
}

/// The two bits of the output's width, moved down.
const OUTPUT_WIDTH_MASK: u32 = 0b11;

/// Bits 28 to 31.
const RESERVED: u32 = 0b1111 << 28;

/// Decompression's flags that a filter can't have: nothing would be left to filter, there is no
/// place for an index, or the bit is reserved.
const NOT_WITH_FILTERS: u16 = decompress::SUPPRESS_OUTPUT | 0b111 << decompress::INDEXING_SHIFT | 0b111 << 13;

impl Flags {
    /// The flags of a descriptor.
    ///
    /// # Errors
    /// The record that says what is wrong. That a field of no use to an operation has to be 0 is an
    /// assumption.
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
        // Only what repeats elements has a source 2 of other elements than bits.
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
