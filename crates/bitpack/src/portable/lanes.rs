//! A block of values in lanes.

use super::BLOCK;
use crate::predicate::Within;

/// An unsigned number that holds a value.
pub(super) trait Lane: Copy + Default + Into<u32> {
    /// The low bits.
    fn of(bits: u64) -> Self;
    /// `self - low <= span`.
    fn within(self, low: Self, span: Self) -> bool;
}

macro_rules! lane {
    ($($lane:ty),*) => { $(
        impl Lane for $lane {
            #[inline(always)]
            fn of(bits: u64) -> Self {
                bits as $lane
            }
            #[inline(always)]
            fn within(self, low: Self, span: Self) -> bool {
                self.wrapping_sub(low) <= span
            }
        }
    )* };
}
lane!(u8, u16, u32);

/// Decodes a block of values of `W` bits; eight bytes follow it.
///
/// Eight values are `W` bytes, so the start of each is known at compile time: a value is a load, a
/// shift and a mask.
#[inline(always)]
pub(super) fn unpack_block<const W: usize, const BIG: bool, L: Lane>(bytes: &[u8], to: &mut [L; BLOCK]) {
    let mask = (1 << W) - 1;
    for (group, to) in to.as_chunks_mut::<8>().0.iter_mut().enumerate() {
        let bytes = &bytes[group * W..][..W + 8];
        for (i, to) in to.iter_mut().enumerate() {
            let mut word = [0; 8];
            word.copy_from_slice(&bytes[i * W / 8..][..8]);
            let value = if BIG {
                u64::from_be_bytes(word) >> (64 - W - i * W % 8)
            } else {
                u64::from_le_bytes(word) >> (i * W % 8)
            };
            *to = L::of(value & mask);
        }
    }
}

/// Returns a bit for each value: whether it passes.
#[inline(always)]
pub(super) fn scan_block<L: Lane>(values: &[L; BLOCK], within: Within) -> u64 {
    let (low, span) = (L::of(within.low.into()), L::of(within.span.into()));
    let mut passes = [0; BLOCK];
    for (passes, value) in passes.iter_mut().zip(values) {
        *passes = u8::from(value.within(low, span));
    }
    let mut bits = [0; BLOCK / 8];
    for (bits, passes) in bits.iter_mut().zip(passes.as_chunks().0) {
        // The product moves the lowest bit of each byte to its own bit of the uppermost byte; no
        // two parts of it meet, so there is no carry.
        *bits = (u64::from_le_bytes(*passes).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8;
    }
    u64::from_le_bytes(bits) ^ within.flip()
}
