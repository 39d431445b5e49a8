//! How often symbols occur: which counter a token has, in vectors.

use std::arch::x86_64::*;

use crate::deflate::encoder::parser::lazy::Counters;
use crate::deflate::encoder::simd::counted::{COUNTED, Sets, TOKENS};
use crate::deflate::encoder::symbols::{LITERAL, MIN_MATCH, Token};

/// Tokens in a vector.
const WIDTH: usize = 16;
/// Vectors that are worked on at a time.
const VECTORS: usize = TOKENS / WIDTH;

/// As `Counters::count`.
///
/// # Safety
/// The processor has the features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512cd,bmi1,bmi2,lzcnt,popcnt")]
pub(crate) unsafe fn count(tokens: &[Token], counters: &mut Counters) {
    let mut of_tokens = [0_u16; TOKENS];
    // Of matches only, with what a vector writes in vain after the last.
    let mut of_matches = [0_u32; TOKENS + WIDTH];
    let (vectors, rest) = tokens.as_chunks::<WIDTH>();
    for vectors in vectors.chunks(COUNTED / WIDTH) {
        let mut sets = Sets::EMPTY;
        for vectors in vectors.chunks(VECTORS) {
            let mut matches = 0;
            for (number, vector) in vectors.iter().enumerate() {
                // SAFETY: a vector has 16 tokens; `of_tokens` has as many elements for each vector, and `of_matches` for one more than
                // there can be.
                unsafe {
                    let tokens = _mm512_loadu_si512(vector.as_ptr().cast());
                    let (place, symbol, is_match) = places_of(tokens);
                    _mm256_storeu_si256(of_tokens.as_mut_ptr().add(number * WIDTH).cast(), place);
                    let symbols = _mm512_maskz_compress_epi32(is_match, symbol);
                    _mm512_storeu_si512(of_matches.as_mut_ptr().add(matches).cast(), symbols);
                    matches += is_match.count_ones() as usize;
                }
            }
            sets.count(&of_tokens[..vectors.len() * WIDTH], &of_matches[..matches]);
        }
        sets.add_to(counters);
    }
    counters.count(rest);
}

/// The places of tokens' literals or lengths, and the symbols of the distances of those that are matches.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512cd")]
fn places_of(tokens: __m512i) -> (__m256i, __m512i, __mmask16) {
    let set = |value: i32| _mm512_set1_epi32(value);
    let is_literal = _mm512_test_epi32_mask(tokens, set(LITERAL as i32));
    let len_place = _mm512_add_epi32(_mm512_srli_epi32::<16>(tokens), set(256 - MIN_MATCH as i32));
    let place = _mm512_mask_and_epi32(len_place, is_literal, tokens, set(0xff));
    // Of a distance less one: twice its extra bits, which are one fewer than follow its highest bit, and what is above them.
    let less = _mm512_and_si512(tokens, set(0x7fff));
    let extra = _mm512_max_epi32(_mm512_sub_epi32(set(30), _mm512_lzcnt_epi32(less)), set(0));
    let symbol = _mm512_add_epi32(_mm512_add_epi32(extra, extra), _mm512_srlv_epi32(less, extra));
    (_mm512_cvtepi32_epi16(place), symbol, !is_literal)
}
