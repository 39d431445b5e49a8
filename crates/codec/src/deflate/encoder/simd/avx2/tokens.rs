//! Writing a block's tokens, eight at a time: their bits are made in vectors, and joined in pairs.

use super::{BIAS, WIDTH, biased_log2, set};
use crate::deflate::encoder::bit_writer::BitWriter;
use crate::deflate::encoder::block::token_writer::{self, COUNT, DISTANCE_LEN, Tables};
use crate::deflate::encoder::simd::tokens::{COUNTED, PAIR, Sets, TOKENS, write_pairs};
use crate::deflate::encoder::symbols::{Counters, DISTANCES, LITERAL, MIN_MATCH, Token};
use std::arch::x86_64::*;

/// As `token_writer::tokens`.
///
/// # Safety
/// The processor has the features.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(crate) unsafe fn emit(tokens: &[Token], tables: &Tables, to: &mut BitWriter<'_>) {
    to.flush();
    let (vectors, rest) = tokens.as_chunks::<WIDTH>();
    let (mut bits, mut count) = to.take();
    for vector in vectors {
        // SAFETY: a vector has 8 tokens. The tables have 512 and 32 elements, and places and
        // symbols are below that.
        let (codewords, codeword, Places { less, extra, .. }) = unsafe {
            let places = places_of(_mm256_loadu_si256(vector.as_ptr().cast()));
            let codewords = _mm256_i32gather_epi32::<4>(tables.codewords.as_ptr().cast(), places.place);
            let codeword = _mm256_i32gather_epi32::<4>(tables.distances.as_ptr().cast(), places.symbol);
            (codewords, codeword, places)
        };
        // A distance less one is its base less one, a multiple of a power of two, plus the extra
        // bits.
        let above = _mm256_andnot_si256(_mm256_sllv_epi32(set(-1), extra), less);
        let codeword_len =
            _mm256_and_si256(_mm256_srli_epi32::<{ DISTANCE_LEN as i32 }>(codeword), set(0xff));
        let distance =
            _mm256_or_si256(_mm256_and_si256(codeword, set(0xffff)), _mm256_sllv_epi32(above, codeword_len));
        let len_count = _mm256_srli_epi32::<{ COUNT as i32 }>(codewords);
        let counts = _mm256_add_epi32(len_count, _mm256_add_epi32(codeword_len, extra));
        let lengths = _mm256_and_si256(codewords, set((1 << COUNT) - 1));

        // The low and the high halves of 64-bit elements are the first and the second of a pair.
        let first = |of| _mm256_and_si256(of, _mm256_set1_epi64x(0xffff_ffff));
        let second = |of| _mm256_srli_epi64::<32>(of);
        let join = |a, b, count| _mm256_or_si256(a, _mm256_sllv_epi64(b, count));
        let one = join(first(lengths), first(distance), first(len_count));
        let two = join(second(lengths), second(distance), second(len_count));
        let joined = join(one, two, first(counts));
        let pair_counts = _mm256_add_epi64(first(counts), second(counts));
        let is_long = _mm256_cmpgt_epi64(pair_counts, _mm256_set1_epi64x(PAIR));
        if _mm256_testz_si256(is_long, is_long) == 0 || to.spare() < 8 * (WIDTH / 2) {
            to.give(bits, count);
            vector.iter().for_each(|&token| token_writer::token(token, tables, to));
            (bits, count) = to.take();
            continue;
        }
        let (mut codes, mut lengths) = ([0_u64; WIDTH / 2], [0_u64; WIDTH / 2]);
        // SAFETY: the arrays have 32 bytes, and as many bytes are spare as 4 pairs of 8 bytes take.
        unsafe {
            _mm256_storeu_si256(codes.as_mut_ptr().cast(), joined);
            _mm256_storeu_si256(lengths.as_mut_ptr().cast(), pair_counts);
            (bits, count) = write_pairs(codes, lengths, (bits, count), to);
        }
    }
    to.give(bits, count);
    token_writer::tokens(rest, tables, to);
}

/// Vectors that are worked on at a time.
const VECTORS: usize = TOKENS / WIDTH;

/// By a mask of elements: the elements outside the mask, in order.
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
    // Symbols of matches only, with the excess elements of the last vector.
    let mut of_matches = [0_u32; TOKENS + WIDTH];
    let (vectors, rest) = tokens.as_chunks::<WIDTH>();
    for vectors in vectors.chunks(COUNTED / WIDTH) {
        let mut sets = Sets::EMPTY;
        for vectors in vectors.chunks(VECTORS) {
            let mut matches = 0;
            for (number, vector) in vectors.iter().enumerate() {
                // SAFETY: a vector has 8 tokens; `of_tokens` has as many elements for each vector,
                // and `of_matches` a vector more than its maximum.
                unsafe {
                    let tokens = _mm256_loadu_si256(vector.as_ptr().cast());
                    let Places { place, symbol, is_literal, .. } = places_of(tokens);
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

/// Symbols and extra bits of eight tokens.
pub(crate) struct Places {
    /// Places of literals and lengths, in the order of `place_of`.
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
pub(crate) fn places_of(tokens: __m256i) -> Places {
    let literal = set(LITERAL as i32);
    let is_literal = _mm256_cmpeq_epi32(_mm256_and_si256(tokens, literal), literal);
    let len_place = _mm256_add_epi32(_mm256_srli_epi32::<16>(tokens), set(256 - MIN_MATCH as i32));
    let byte = _mm256_and_si256(tokens, set(0xff));
    let place = _mm256_and_si256(_mm256_blendv_epi8(len_place, byte, is_literal), set(0x1ff));
    let less = _mm256_andnot_si256(is_literal, _mm256_and_si256(tokens, set(0x7fff)));
    let (extra, symbol) = distance(less);
    // Symbols of literals were 0 until here.
    let symbol = _mm256_add_epi32(symbol, _mm256_and_si256(is_literal, set(DISTANCES as i32)));
    Places { place, less, extra, symbol, is_literal }
}

/// The extra bits of a distance less one, and its symbol.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn distance(less: __m256i) -> (__m256i, __m256i) {
    // There is one extra bit fewer than bits after the highest; the symbol is twice that number,
    // plus the bits above the extra ones.
    let extra = _mm256_max_epi32(_mm256_sub_epi32(biased_log2(less), set(BIAS + 1)), set(0));
    (extra, _mm256_add_epi32(_mm256_add_epi32(extra, extra), _mm256_srlv_epi32(less, extra)))
}
