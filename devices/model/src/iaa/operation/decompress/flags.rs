//! Flags of a decompression.

use pelton_device_iaa::hw::Descriptor;
use pelton_device_iaa::hw::flags::decompress as own;

use super::state::State;

/// The flags of a descriptor.
#[derive(Clone, Copy)]
pub(super) struct Flags(u16);

impl Flags {
    pub(super) fn of(descriptor: &Descriptor) -> Flags {
        Flags(descriptor.own_flags())
    }

    pub(super) fn has(self, flag: u16) -> bool {
        self.0 & flag != 0
    }

    /// Returns whether a DECOMPRESS may have these flags: none that are reserved or of later
    /// devices, and no output next to an index, which is an assumption.
    pub(super) fn are_valid(self) -> bool {
        let reserved = 0b111 << 13;
        self.has(own::ENABLE)
            && !self.has(reserved)
            && (self.mini_block() == 0 || self.has(own::SUPPRESS_OUTPUT))
    }

    pub(super) fn ignored_bits(self) -> u32 {
        u32::from(self.0 >> own::IGNORE_END_BITS_SHIFT) & 0b111
    }

    /// Returns the encoded mini-block size, 0 for no index.
    pub(super) fn mini_block(self) -> u16 {
        (self.0 >> own::INDEXING_SHIFT) & 0b111
    }

    /// Returns whether to stop after this end-of-block symbol.
    pub(super) fn stops(self, is_final: bool) -> bool {
        self.has(own::STOP_ON_EOB) && self.selects(is_final)
    }

    /// Returns whether the flags select this end-of-block symbol.
    pub(super) fn selects(self, is_final: bool) -> bool {
        is_final || !self.has(own::SELECT_FINAL_EOB)
    }

    /// Returns the number of bytes to decompress for a capacity. Without a flush up to 7 bytes stay
    /// in the AECS, for which no capacity is needed.
    pub(super) fn limit(self, capacity: usize, state: &State) -> usize {
        let waiting = state.output.len();
        let capacity = if self.has(own::FLUSH_OUTPUT) { capacity } else { capacity / 8 * 8 + 7 };
        capacity.saturating_sub(waiting) + state.drop
    }
}
