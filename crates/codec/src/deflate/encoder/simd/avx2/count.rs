//! How often symbols occur: which counter a token has, in vectors.

use std::arch::x86_64::*;

use super::places::Places;
use super::{WIDTH, places};
use crate::deflate::encoder::parser::lazy::Counters;
use crate::deflate::encoder::simd::counted::{COUNTED, Sets, TOKENS};
use crate::deflate::encoder::symbols::Token;

/// Vectors that are worked on at a time.
const VECTORS: usize = TOKENS / WIDTH;

/// By a bit for each element: the elements whose bit is not set, in their order.
const KEPT: [[u8; WIDTH]; 1 << WIDTH] = {
    let mut kept = [[0; WIDTH]; 1 << WIDTH];
    let mut bits = 0;
    while bits < kept.len() {
        let (mut element, mut to) = (0, 0);
        while element < WIDTH {
            if bits >> element & 1 == 0 {
                kept[bits][to] = element as u8;
                to += 1;
            }
            element += 1;
        }
        bits += 1;
    }
    kept
};

/// As `Counters::count`.
///
/// # Safety
/// The processor has the features.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
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
                // SAFETY: a vector has 8 tokens; `of_tokens` has as many elements for each vector, and `of_matches` for one more than
                // there can be.
                unsafe {
                    let tokens = _mm256_loadu_si256(vector.as_ptr().cast());
                    let Places { place, symbol, is_literal, .. } = places::of(tokens);
                    let packed = _mm256_permute4x64_epi64::<0b10_00>(_mm256_packus_epi32(place, place));
                    let to = of_tokens.as_mut_ptr().add(number * WIDTH);
                    _mm_storeu_si128(to.cast(), _mm256_castsi256_si128(packed));
                    let literals = _mm256_movemask_ps(_mm256_castsi256_ps(is_literal)) as usize;
                    let kept = _mm256_cvtepu8_epi32(_mm_loadl_epi64(KEPT[literals].as_ptr().cast()));
                    let symbols = _mm256_permutevar8x32_epi32(symbol, kept);
                    _mm256_storeu_si256(of_matches.as_mut_ptr().add(matches).cast(), symbols);
                    matches += WIDTH - literals.count_ones() as usize;
                }
            }
            sets.count(&of_tokens[..vectors.len() * WIDTH], &of_matches[..matches]);
        }
        sets.add_to(counters);
    }
    counters.count(rest);
}
