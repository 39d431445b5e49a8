//! What `emit.rs` writes for distances.

use std::arch::x86_64::*;

use super::set;
use crate::deflate::encoder::block::token_writer::{DISTANCE_LEN, EXTRA, Tables};
use crate::deflate::tables::DISTANCE;

/// Elements of a vector.
const WIDTH: usize = 16;

/// What is written for distances, by symbol.
pub(crate) struct Distances {
    /// A word less the distance that the symbol begins with, less one, above it: with a distance less one above that, the word and the extra bits.
    words: (__m512i, __m512i),
    /// Bits of the word, and from bit 8 of it and the extra ones.
    counts: (__m512i, __m512i),
}

/// Distances less one that symbols begin with.
const BASES: [u32; 32] = {
    let mut bases = [0; 32];
    let mut symbol = 0;
    while symbol < DISTANCE.len() {
        bases[symbol] = DISTANCE[symbol].0 as u32 - 1;
        symbol += 1;
    }
    bases
};

impl Distances {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512cd,avx512dq,bmi1,bmi2,lzcnt,popcnt")]
    pub(crate) fn new(tables: &Tables) -> Self {
        let of = |half: usize| {
            // SAFETY: both tables have 32 elements.
            let (word, base) = unsafe {
                (
                    _mm512_loadu_si512(tables.distances.as_ptr().add(half * WIDTH).cast()),
                    _mm512_loadu_si512(BASES.as_ptr().add(half * WIDTH).cast()),
                )
            };
            let len = _mm512_and_si512(_mm512_srli_epi32::<DISTANCE_LEN>(word), set(0xff));
            let all = _mm512_add_epi32(len, _mm512_srli_epi32::<EXTRA>(word));
            let word = _mm512_sub_epi32(_mm512_and_si512(word, set(0xffff)), _mm512_sllv_epi32(base, len));
            (word, _mm512_or_si512(len, _mm512_slli_epi32::<8>(all)))
        };
        let (low, high) = (of(0), of(1));
        Self { words: (low.0, high.0), counts: (low.1, high.1) }
    }

    /// The words of tokens' distances, with their extra bits, and how many bits these are: none where a token is no match.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512cd,avx512dq,bmi1,bmi2,lzcnt,popcnt")]
    pub(crate) fn of(&self, tokens: __m512i, is_match: __mmask16) -> (__m512i, __m512i) {
        let less = _mm512_maskz_and_epi32(is_match, tokens, set(0x7fff));
        // The extra bits of a distance less one: one fewer than follow its highest bit.
        let extra = _mm512_max_epi32(_mm512_sub_epi32(set(30), _mm512_lzcnt_epi32(less)), set(0));
        let symbol = _mm512_add_epi32(_mm512_add_epi32(extra, extra), _mm512_srlv_epi32(less, extra));
        let word = _mm512_maskz_permutex2var_epi32(is_match, self.words.0, symbol, self.words.1);
        let count = _mm512_maskz_permutex2var_epi32(is_match, self.counts.0, symbol, self.counts.1);
        // A word has fewer than 16 bits.
        let len = _mm512_and_si512(count, set(31));
        (_mm512_add_epi32(word, _mm512_sllv_epi32(less, len)), _mm512_srli_epi32::<8>(count))
    }
}
