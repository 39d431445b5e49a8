//! What was found for a group of positions, from the bytes that differ.

use std::arch::x86_64::*;

use crate::deflate::encoder::match_finder::GROUP;

/// The numbers of the positions of a group.
const NUMBERS: [u16; GROUP] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// What was found for a group, by way, for each position that is searched.
pub(crate) struct Group<const WAYS: usize, const SKIP: usize> {
    pub(crate) candidates: [[u16; GROUP]; WAYS],
    /// Which of the `COMPARED` bytes differ.
    pub(crate) differ: [[u32; GROUP]; WAYS],
}

impl<const WAYS: usize, const SKIP: usize> Group<WAYS, SKIP> {
    pub(crate) const EMPTY: Self = Self { candidates: [[0; GROUP]; WAYS], differ: [[0; GROUP]; WAYS] };

    /// The candidates of a place that are equal for `COMPARED` bytes.
    pub(crate) fn longest(&self, place: usize) -> impl Iterator<Item = usize> {
        let searched = place / (1 + SKIP);
        let ways = self.differ.iter().zip(&self.candidates);
        ways.filter(move |way| way.0[searched] == 0).map(move |way| way.1[searched].into())
    }

    /// Sets the matches of a group that starts at a position from the base, and returns which of those that were searched are
    /// of `COMPARED` bytes.
    ///
    /// # Safety
    /// The processor has the features.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vpopcntdq,bmi1,bmi2,lzcnt")]
    pub(crate) unsafe fn finish(&self, relative: u16, matches: &mut [u32]) -> u16 {
        assert!(matches.len() == GROUP);
        // SAFETY: all arrays have GROUP elements; of pairs, the first half is used.
        unsafe {
            let ones = _mm512_set1_epi32(-1);
            let one = _mm512_set1_epi32(1);
            // Ones below the first difference: a longer match is a greater number. Of pairs, the first byte counts least.
            let equal = |way: usize| {
                let differ = _mm512_loadu_si512(self.differ[way].as_ptr().cast());
                let hashed = if SKIP == 0 { differ } else { _mm512_andnot_si512(one, differ) };
                _mm512_andnot_si512(differ, _mm512_add_epi32(hashed, ones))
            };
            let position = |way: usize| _mm256_loadu_si256(self.candidates[way].as_ptr().cast());
            let (mut best, mut from) = (equal(0), position(0));
            for way in 1..WAYS {
                let equal = equal(way);
                let is_better = _mm512_cmpgt_epu32_mask(equal, best);
                best = _mm512_max_epu32(best, equal);
                from = _mm256_mask_mov_epi16(from, is_better, position(way));
            }
            let numbers = _mm256_loadu_si256(NUMBERS.as_ptr().cast());
            let numbers = if SKIP == 0 { numbers } else { _mm256_add_epi16(numbers, numbers) };
            let positions = _mm256_add_epi16(numbers, _mm256_set1_epi16(relative as i16));
            let distances = _mm512_cvtepu16_epi32(_mm256_sub_epi16(positions, from));
            let found =
                |equal| _mm512_or_si512(_mm512_slli_epi32::<16>(_mm512_popcnt_epi32(equal)), distances);
            let is_long = _mm512_cmpeq_epi32_mask(best, ones);
            if SKIP == 0 {
                _mm512_storeu_si512(matches.as_mut_ptr().cast(), found(best));
                return is_long;
            }
            let is_equal = _mm512_test_epi32_mask(best, one);
            let found = found(_mm512_or_si512(best, one));
            let first = _mm512_mask_mov_epi32(distances, is_equal, found);
            let second = _mm512_sub_epi32(found, _mm512_set1_epi32(1 << 16));
            let pairs = _mm512_loadu_si512(PAIRS.as_ptr().cast());
            let pairs = _mm512_permutex2var_epi32(first, pairs, second);
            _mm512_storeu_si512(matches.as_mut_ptr().cast(), pairs);
            is_long & 0xff
        }
    }
}

/// The first elements of two vectors in turns.
const PAIRS: [u32; GROUP] = [0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23];
