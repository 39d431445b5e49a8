//! How often symbols occur: which counter a token has in vectors, and four sets of counters in turn, as an increment waits for
//! the one before it to the same counter.

use std::arch::x86_64::*;

use crate::deflate::coder::parse::{Counters, DISTANCE_PLACES};
use crate::deflate::coder::symbols::{LITERAL, LITERAL_PLACES, MIN_MATCH, Token};

/// Tokens in a vector.
const WIDTH: usize = 16;
/// Sets of counters.
const SETS: usize = 4;

#[repr(align(64))]
struct Places([u16; WIDTH]);
#[repr(align(64))]
struct Symbols([u32; WIDTH]);

/// As `Counters::count`.
///
/// # Safety
/// The processor has the features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512cd,bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn count(tokens: &[Token], counters: &mut Counters) {
    let set = |value: i32| _mm512_set1_epi32(value);
    let mut places = [[0_u32; LITERAL_PLACES]; SETS];
    let mut distances = [[0_u32; DISTANCE_PLACES]; SETS];
    let (mut of_tokens, mut of_matches) = (Places([0; WIDTH]), Symbols([0; WIDTH]));
    let (vectors, rest) = tokens.as_chunks::<WIDTH>();
    for vector in vectors {
        // SAFETY: a vector has 16 tokens, and the arrays as many elements and their alignment.
        let matches = unsafe {
            let tokens = _mm512_loadu_si512(vector.as_ptr().cast());
            let is_literal = _mm512_test_epi32_mask(tokens, set(LITERAL as i32));
            let len_place = _mm512_add_epi32(_mm512_srli_epi32::<16>(tokens), set(256 - MIN_MATCH as i32));
            let place = _mm512_mask_and_epi32(len_place, is_literal, tokens, set(0xff));
            _mm256_store_si256(of_tokens.0.as_mut_ptr().cast(), _mm512_cvtepi32_epi16(place));
            // Of a distance less one: twice its extra bits, which are one fewer than follow its highest bit, and what is above them.
            let less = _mm512_and_si512(tokens, set(0x7fff));
            let extra = _mm512_max_epi32(_mm512_sub_epi32(set(30), _mm512_lzcnt_epi32(less)), set(0));
            let symbol = _mm512_add_epi32(_mm512_add_epi32(extra, extra), _mm512_srlv_epi32(less, extra));
            let symbols = _mm512_maskz_compress_epi32(!is_literal, symbol);
            _mm512_store_si512(of_matches.0.as_mut_ptr().cast(), symbols);
            (!is_literal).count_ones() as usize
        };
        // Volatile, so that elements are not taken from vectors one by one. The places are below their number: that of lengths is
        // at most 258 + 253, and of symbols 29; the remainders are for the compiler, which then needs no checks.
        for (number, place) in of_tokens.0.iter().enumerate() {
            // SAFETY: a reference can be read.
            let place = unsafe { std::ptr::from_ref(place).read_volatile() };
            places[number % SETS][usize::from(place) % LITERAL_PLACES] += 1;
        }
        // In fours; those that are none have symbol 0.
        for symbols in of_matches.0[..matches.next_multiple_of(SETS)].chunks_exact(SETS) {
            for (distances, symbol) in distances.iter_mut().zip(symbols) {
                // SAFETY: as above.
                let symbol = unsafe { std::ptr::from_ref(symbol).read_volatile() };
                distances[symbol as usize % DISTANCE_PLACES] += 1;
            }
        }
        let none = matches.next_multiple_of(SETS) - matches;
        distances[SETS - 1][0] = distances[SETS - 1][0].wrapping_sub(none as u32);
    }
    for (places, distances) in places.iter().zip(&distances) {
        counters.add(places, distances);
    }
    counters.count(rest);
}
