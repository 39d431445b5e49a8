//! Flags of a compression.

use pelton_device_iaa::hw::flags::compress as bits;
use pelton_device_iaa::hw::{AnalyticsError, Descriptor, RecordView, Status};

use super::parse::Rules;
use crate::iaa::operation::{analytics, refused};

/// Ending to write after the last symbol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// No ending: the block continues in the next descriptor.
    Nothing,
    /// The end-of-block symbol.
    Symbol,
    /// The end-of-block symbol and an empty stored block, which ends at a byte.
    Stored {
        /// Whether the stored block is final.
        last: bool,
    },
}

/// The flags of a compression.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flags {
    /// Whether to count symbols only.
    pub statistics: bool,
    /// Whether to write all bits, including an incomplete group of 8 bytes.
    pub flush: bool,
    /// The ending.
    pub end: End,
    /// Whether the output has the bit order of big-endian 16-bit words.
    pub big_endian_16: bool,
    /// Rules of the parse.
    pub rules: Rules,
}

/// Flags of the first generation of the device.
const KNOWN: u16 = 0b1_1111_1111;

/// Mask of the ending, shifted down.
const END_MASK: u16 = 0b11;

/// Mask of the mini-block size, shifted down.
const INDEXING_MASK: u16 = 0b111;

/// The smallest mini-block size in bytes.
const MIN_MINI_BLOCK: usize = 512;

impl Flags {
    /// Returns the flags of a descriptor.
    ///
    /// # Errors
    /// The record of the rejection. Flags of later generations, such as dictionaries and headers
    /// made by the device, are rejected.
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
            size => Some(MIN_MINI_BLOCK << (size - 1)),
        };
        let big_endian_16 = has(bits::BIG_ENDIAN_16);
        // A stored block has no bit order of words; software without block headers does not want
        // stored blocks.
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

/// Returns the record for a symbol without a code in the AECS.
pub(super) fn no_code() -> RecordView {
    analytics(AnalyticsError::InvalidCompressorCode)
}

#[cfg(test)]
mod tests;
