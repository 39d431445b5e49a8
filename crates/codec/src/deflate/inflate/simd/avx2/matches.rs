//! Lengths, distances and the literals before them, eight matches at a time.

use std::arch::x86_64::*;

use super::numbers::{Numbers, READ};
use crate::deflate::inflate::batch::entry::{CONSUMED, SYMBOL_SHIFT};
use crate::deflate::inflate::batch::tokens::Sequences;
use crate::deflate::inflate::simd::barrier::vector_barrier;

/// A number is its symbol's *top* bits, then its *extra* bits, plus the base of its kind. Both by half the symbol's number,
/// whose last bit is still to be added to the top ones.
struct Kind {
    extra: [u8; 16],
    top: [u8; 16],
    base: u32,
}

/// Symbol 28, for length 258, has all of a byte for its top bits.
const LENGTHS: Kind = Kind {
    extra: [0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 0, 0],
    top: [0, 2, 4, 6, 4, 6, 4, 6, 4, 6, 4, 6, 4, 6, 255, 0],
    base: 3,
};

const DISTANCES: Kind = Kind {
    extra: [0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 0],
    top: [0, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 0],
    base: 1,
};

impl Kind {
    /// The numbers of eight tokens.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn of(&self, entries: __m256i, bit_buffers: __m256i) -> __m256i {
        let set = |value: u32| _mm256_set1_epi32(value as i32);
        // SAFETY: it has 16 bytes.
        let table =
            |of: &[u8; 16]| unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(of.as_ptr().cast())) };
        let symbols = _mm256_srli_epi32::<{ SYMBOL_SHIFT as i32 }>(entries);
        let halves = _mm256_and_si256(_mm256_srli_epi32::<{ SYMBOL_SHIFT as i32 + 1 }>(entries), set(15));
        let extra = _mm256_shuffle_epi8(table(&self.extra), halves);
        let top = _mm256_shuffle_epi8(table(&self.top), halves);
        let top = _mm256_add_epi32(top, _mm256_and_si256(symbols, set(1)));
        // What has been consumed ends with the extra bits: what follows is shifted out, then what is before them.
        let consumed = _mm256_and_si256(entries, set(u32::from(CONSUMED)));
        let bits = _mm256_sllv_epi32(bit_buffers, _mm256_sub_epi32(set(32), consumed));
        // Known to be a shift, it would be followed by a choice of what to do with 32.
        let bits = vector_barrier(_mm256_srlv_epi32(bits, _mm256_sub_epi32(set(32), extra)));
        let top = _mm256_add_epi32(_mm256_sllv_epi32(top, extra), set(self.base));
        _mm256_add_epi32(top, bits)
    }
}

/// Sets the lists of matches and of the literals before each.
///
/// # Safety
/// `count` numbers, `TOKENS` and one at most, and `READ` more have been written.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) unsafe fn matches(numbers: &Numbers, count: usize, to: &mut Sequences) {
    // Before match i are 2i lengths and distances; in the order of `Numbers::pairs`.
    let mut twice = _mm256_setr_epi32(0, 2, 8, 10, 4, 6, 12, 14);
    for first in (0..count).step_by(READ) {
        // SAFETY: as `first` is less than `count`, READ numbers from it on have been written.
        let ([lens, distances], [after_lens, after_distances]) = unsafe { numbers.pairs(first) };
        let matches = _mm256_or_si256(
            LENGTHS.of(lens, after_lens),
            _mm256_slli_epi32::<16>(DISTANCES.of(distances, after_distances)),
        );
        let matches = _mm256_permute4x64_epi64::<0b11_01_10_00>(matches);
        let before = _mm256_sub_epi32(_mm256_srli_epi32::<16>(lens), twice);
        let before = _mm256_packus_epi32(before, before);
        let before =
            _mm_unpacklo_epi32(_mm256_castsi256_si128(before), _mm256_extracti128_si256::<1>(before));
        twice = _mm256_add_epi32(twice, _mm256_set1_epi32(READ as i32));
        // SAFETY: `first` is at most TOKENS, and both lists have room for more than READ more elements.
        unsafe {
            _mm256_storeu_si256(to.matches.as_mut_ptr().add(first).cast(), matches);
            _mm_storeu_si128(to.before.as_mut_ptr().add(first / 2).cast(), before);
        }
    }
}
