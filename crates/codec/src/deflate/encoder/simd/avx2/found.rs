//! What was found for a group of positions, from the bytes that are equal.

use std::arch::x86_64::*;

use super::candidates::{BIAS, biased_log2};
use super::{WIDTH, set};
use crate::deflate::encoder::match_finder::GROUP;

/// What was found for a group, by way, for each position that is searched.
pub(crate) struct Group<const WAYS: usize, const SKIP: usize> {
    pub(crate) candidates: [[u16; GROUP]; WAYS],
    /// Which of the `COMPARED` bytes are equal.
    pub(crate) equal: [[u32; GROUP]; WAYS],
}

impl<const WAYS: usize, const SKIP: usize> Group<WAYS, SKIP> {
    pub(crate) const EMPTY: Self = Self { candidates: [[0; GROUP]; WAYS], equal: [[0; GROUP]; WAYS] };

    /// The candidates of a place that are equal for `COMPARED` bytes.
    pub(crate) fn longest(&self, place: usize) -> impl Iterator<Item = usize> {
        let searched = place / (1 + SKIP);
        let ways = self.equal.iter().zip(&self.candidates);
        ways.filter(move |way| way.0[searched] == u32::MAX).map(move |way| way.1[searched].into())
    }

    /// Sets the matches of a group that starts at a position from the base, and returns which of those that were searched are
    /// of `COMPARED` bytes.
    ///
    /// # Safety
    /// The processor has the features.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(crate) unsafe fn finish(&self, relative: u16, matches: &mut [u32]) -> u32 {
        assert!(matches.len() == GROUP);
        let mut is_long = 0;
        let numbers = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        for vector in 0..GROUP / WIDTH / (1 + SKIP) {
            let first = vector * WIDTH;
            // SAFETY: `first` is 0, or 8 of 16.
            let (best, from) = unsafe { self.best(first) };
            let of = _mm256_add_epi32(numbers, set(first as i32));
            let of = if SKIP == 0 { of } else { _mm256_add_epi32(of, of) };
            let positions = _mm256_add_epi32(set(relative.into()), of);
            let distances = _mm256_sub_epi32(positions, from);
            let is_all = _mm256_cmpeq_epi32(best, set(-1));
            is_long |= (_mm256_movemask_ps(_mm256_castsi256_ps(is_all)) as u32) << first;
            let found = |equal| _mm256_or_si256(_mm256_slli_epi32::<16>(count_ones(equal)), distances);
            let to: *mut __m256i = matches[first..].as_mut_ptr().cast();
            // SAFETY: there are 16 matches; of pairs, all are set at once, otherwise the eight from `first` on.
            unsafe {
                if SKIP == 0 {
                    _mm256_storeu_si256(to, found(best));
                    continue;
                }
                let is_equal = _mm256_cmpeq_epi32(_mm256_and_si256(best, set(1)), set(1));
                let found = found(_mm256_or_si256(best, set(1)));
                let first = _mm256_blendv_epi8(distances, found, is_equal);
                let second = _mm256_sub_epi32(found, set(1 << 16));
                let (low, high) =
                    (_mm256_unpacklo_epi32(first, second), _mm256_unpackhi_epi32(first, second));
                _mm256_storeu_si256(to, _mm256_permute2x128_si256::<0x20>(low, high));
                _mm256_storeu_si256(to.add(1), _mm256_permute2x128_si256::<0x31>(low, high));
            }
        }
        is_long
    }

    /// Of eight positions from `first` on, ones for the bytes up to the first difference with the candidate for which there are most, and
    /// that candidate: of those that have as many, the first. Of pairs, the first byte counts least.
    ///
    /// # Safety
    /// The processor has the features, and groups have eight positions from `first` on.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    unsafe fn best(&self, first: usize) -> (__m256i, __m256i) {
        let ones = |way: usize| {
            // SAFETY: see above.
            let equal = unsafe { _mm256_loadu_si256(self.equal[way].as_ptr().add(first).cast()) };
            let hashed = if SKIP == 0 { equal } else { _mm256_or_si256(equal, set(1)) };
            _mm256_andnot_si256(_mm256_add_epi32(hashed, set(1)), equal)
        };
        let candidate = |way: usize| {
            // SAFETY: see above.
            unsafe { _mm256_cvtepu16_epi32(_mm_loadu_si128(self.candidates[way].as_ptr().add(first).cast())) }
        };
        let (mut best, mut from) = (ones(0), candidate(0));
        for way in 1..WAYS {
            let better = _mm256_max_epu32(best, ones(way));
            let is_same = _mm256_cmpeq_epi32(better, best);
            from = _mm256_blendv_epi8(candidate(way), from, is_same);
            best = better;
        }
        (best, from)
    }
}

/// How many ones there are, if there is no zero below any.
#[inline]
#[target_feature(enable = "avx2")]
fn count_ones(of: __m256i) -> __m256i {
    // Above the half of them there is a power of two, whose logarithm is what that half has. That of 2^31 is taken for negative: its
    // sign goes.
    let power = _mm256_add_epi32(_mm256_srli_epi32::<1>(of), set(1));
    let log2 = _mm256_sub_epi32(_mm256_and_si256(biased_log2(power), set(0xff)), set(BIAS));
    _mm256_add_epi32(log2, _mm256_and_si256(of, set(1)))
}
