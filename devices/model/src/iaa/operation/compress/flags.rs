//! What the descriptor of a compression asks for.

use pelton_device_iaa::hw::flags::compress as bits;
use pelton_device_iaa::hw::{AnalyticsError, Descriptor, RecordView, Status};

use super::parse::Rules;
use crate::iaa::operation::{analytics, refused};

/// What is written behind the last symbol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// Nothing: the block goes on in the next descriptor.
    Nothing,
    /// The end-of-block symbol.
    Symbol,
    /// The end-of-block symbol and an empty stored block, which ends on a byte.
    Stored {
        /// The stored block is the stream's last.
        last: bool,
    },
}

/// The flags of a compression.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flags {
    /// Count symbols, and write no others.
    pub statistics: bool,
    /// Write all bits, and not only whole groups of 8 bytes.
    pub flush: bool,
    /// What is written at the end.
    pub end: End,
    /// The order of bits in the output is that of big-endian 16-bit words.
    pub big_endian_16: bool,
    /// How the input is parsed.
    pub rules: Rules,
}

/// Bits that a device of the first generation has.
const KNOWN: u16 = 0b1_1111_1111;

/// The two bits of the end, moved down.
const END_MASK: u16 = 0b11;

/// The three bits of the mini-block's size, moved down.
const INDEXING_MASK: u16 = 0b111;

/// The smallest mini-block, of size 1.
const LEAST_MINI_BLOCK: usize = 512;

impl Flags {
    /// The flags of a descriptor.
    ///
    /// # Errors
    /// The record that says what is wrong. Dictionaries and headers made by the device are of a
    /// later generation, so their bits are refused.
    pub(super) fn of(descriptor: &Descriptor) -> Result<Flags, RecordView> {
        let own = descriptor.own_flags();
        if own & !KNOWN != 0 {
            return Err(refused(Status::InvalidOwnFlags));
        }
        if descriptor.filter_flags() != 0 || descriptor.elements() != 0 {
            return Err(refused(Status::ReservedField));
        }
        let has = |bit| own & bit != 0;
        let end = match (own >> bits::END_SHIFT) & END_MASK {
            0 => End::Nothing,
            1 => End::Symbol,
            end => End::Stored { last: end == END_MASK },
        };
        let mini_block = match (own >> bits::INDEXING_SHIFT) & INDEXING_MASK {
            0 => None,
            size => Some(LEAST_MINI_BLOCK << (size - 1)),
        };
        let big_endian_16 = has(bits::BIG_ENDIAN_16);
        // Bytes of a stored block can't be in words' bit order: software that wants such words
        // wants no blocks either.
        if big_endian_16 && matches!(end, End::Stored { .. }) {
            return Err(refused(Status::InvalidOwnFlags));
        }
        Ok(Flags {
            statistics: has(bits::STATISTICS),
            flush: has(bits::FLUSH_OUTPUT),
            end,
            big_endian_16,
            rules: Rules { literals_only: has(bits::LITERALS_ONLY), mini_block },
        })
    }
}

/// A code that the AECS does not have.
pub(super) fn no_code() -> RecordView {
    analytics(AnalyticsError::InvalidCompressorCode)
}

#[cfg(test)]
mod tests;
