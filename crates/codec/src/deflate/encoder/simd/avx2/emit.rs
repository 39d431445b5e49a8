//! Writing a block's tokens, eight at a time: their bits are made in vectors, and joined in pairs.

use std::arch::x86_64::*;

use super::places::Places;
use super::{WIDTH, places, set};
use crate::deflate::encoder::bit_writer::BitWriter;
use crate::deflate::encoder::block::token_writer;
use crate::deflate::encoder::block::token_writer::{COUNT, DISTANCE_LEN, Tables};
use crate::deflate::encoder::simd::pairs;
use crate::deflate::encoder::simd::pairs::PAIR;
use crate::deflate::encoder::symbols::Token;

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
        // SAFETY: a vector has 8 tokens. The tables have 512 and 32 elements, and places and symbols are below that.
        let (words, word, Places { less, extra, .. }) = unsafe {
            let places = places::of(_mm256_loadu_si256(vector.as_ptr().cast()));
            let words = _mm256_i32gather_epi32::<4>(tables.codewords.as_ptr().cast(), places.place);
            let word = _mm256_i32gather_epi32::<4>(tables.distances.as_ptr().cast(), places.symbol);
            (words, word, places)
        };
        // A distance less one, as its base less one, is a multiple of a power of two plus what the extra bits say.
        let above = _mm256_andnot_si256(_mm256_sllv_epi32(set(-1), extra), less);
        let word_len = _mm256_and_si256(_mm256_srli_epi32::<{ DISTANCE_LEN as i32 }>(word), set(0xff));
        let distance =
            _mm256_or_si256(_mm256_and_si256(word, set(0xffff)), _mm256_sllv_epi32(above, word_len));
        let len_count = _mm256_srli_epi32::<{ COUNT as i32 }>(words);
        let counts = _mm256_add_epi32(len_count, _mm256_add_epi32(word_len, extra));
        let lens = _mm256_and_si256(words, set((1 << COUNT) - 1));

        // The low and the high halves of 64-bit elements are the first and the second of a pair.
        let first = |of| _mm256_and_si256(of, _mm256_set1_epi64x(0xffff_ffff));
        let second = |of| _mm256_srli_epi64::<32>(of);
        let join = |a, b, count| _mm256_or_si256(a, _mm256_sllv_epi64(b, count));
        let one = join(first(lens), first(distance), first(len_count));
        let two = join(second(lens), second(distance), second(len_count));
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
            (bits, count) = pairs::write(codes, lengths, (bits, count), to);
        }
    }
    to.give(bits, count);
    token_writer::tokens(rest, tables, to);
}
