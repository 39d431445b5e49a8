//! Tokens as the symbols that they are written with.

use std::arch::x86_64::*;

use super::candidates::{BIAS, biased_log2};
use super::set;
use crate::deflate::encoder::symbols::{DISTANCES, LITERAL, MIN_MATCH};

/// What eight tokens are written with.
pub(crate) struct Places {
    /// Where literals and lengths stand in `place_of`'s order.
    pub(crate) place: __m256i,
    /// Distances less one; 0 for literals.
    pub(crate) less: __m256i,
    /// Extra bits of distances.
    pub(crate) extra: __m256i,
    /// Symbols of distances, and `DISTANCES` for literals.
    pub(crate) symbol: __m256i,
    pub(crate) is_literal: __m256i,
}

/// The places and symbols of tokens.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn of(tokens: __m256i) -> Places {
    let literal = set(LITERAL as i32);
    let is_literal = _mm256_cmpeq_epi32(_mm256_and_si256(tokens, literal), literal);
    let len_place = _mm256_add_epi32(_mm256_srli_epi32::<16>(tokens), set(256 - MIN_MATCH as i32));
    let byte = _mm256_and_si256(tokens, set(0xff));
    let place = _mm256_and_si256(_mm256_blendv_epi8(len_place, byte, is_literal), set(0x1ff));
    let less = _mm256_andnot_si256(is_literal, _mm256_and_si256(tokens, set(0x7fff)));
    let (extra, symbol) = distance(less);
    // That of a literal was 0 until here.
    let symbol = _mm256_add_epi32(symbol, _mm256_and_si256(is_literal, set(DISTANCES as i32)));
    Places { place, less, extra, symbol, is_literal }
}

/// The extra bits of a distance less one, and its symbol.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn distance(less: __m256i) -> (__m256i, __m256i) {
    // Extra bits are one fewer than follow the highest bit; the symbol is twice as many, and what is above them.
    let extra = _mm256_max_epi32(_mm256_sub_epi32(biased_log2(less), set(BIAS + 1)), set(0));
    (extra, _mm256_add_epi32(_mm256_add_epi32(extra, extra), _mm256_srlv_epi32(less, extra)))
}
