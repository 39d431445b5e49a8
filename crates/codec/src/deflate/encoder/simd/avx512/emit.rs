//! Writing a block's tokens, sixteen at a time: their bits are made in vectors, joined in pairs, and these are mostly put to their
//! places in vectors too.

use std::arch::x86_64::*;

use super::distances::Distances;
use super::pairs_at_once::SHORT;
use super::{pairs_at_once, set};
use crate::deflate::encoder::bit_writer::BitWriter;
use crate::deflate::encoder::block::token_writer;
use crate::deflate::encoder::block::token_writer::{COUNT, Tables};
use crate::deflate::encoder::simd::pairs;
use crate::deflate::encoder::simd::pairs::PAIR;
use crate::deflate::encoder::symbols::{LITERAL, MIN_MATCH, Token};

/// Tokens in a vector.
const WIDTH: usize = 16;

/// As `token_writer::tokens`.
///
/// # Safety
/// The processor has the features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512cd,avx512dq,bmi1,bmi2,lzcnt,popcnt")]
pub(crate) unsafe fn emit(tokens: &[Token], tables: &Tables, to: &mut BitWriter<'_>) {
    to.flush();
    let (vectors, rest) = tokens.as_chunks::<WIDTH>();
    let distances = Distances::new(tables);
    let (mut bits, mut count) = to.take();
    let pairs_of = |vector: &[Token; WIDTH]| Pairs::of(vector, tables, &distances);
    let mut next = vectors.first().map(pairs_of);
    for (number, vector) in vectors.iter().enumerate() {
        // One vector ahead: what is loaded after words are written waits for their places.
        let pairs = std::mem::replace(&mut next, vectors.get(number + 1).map(pairs_of));
        let Some(Pairs { bits: joined, counts }) = pairs else { break };
        let above = _mm512_sub_epi64(counts, _mm512_set1_epi64(SHORT));
        let are_usual = _mm512_cmple_epu64_mask(above, _mm512_set1_epi64(PAIR - SHORT)) == u8::MAX;
        if are_usual && to.spare() >= 8 * WIDTH {
            // SAFETY: the processor has the features, and the room and the counts were just checked.
            (bits, count) = unsafe { pairs_at_once::write(joined, counts, bits, count, to) };
            continue;
        }
        if _mm512_cmpgt_epi64_mask(counts, _mm512_set1_epi64(PAIR)) != 0 || to.spare() < 8 * WIDTH {
            to.give(bits, count);
            vector.iter().for_each(|&token| token_writer::token(token, tables, to));
            (bits, count) = to.take();
            continue;
        }
        let (mut codes, mut lengths) = ([0_u64; WIDTH / 2], [0_u64; WIDTH / 2]);
        // SAFETY: the arrays have 64 bytes, as many bytes are spare as 8 pairs of 8 bytes take, and none has more than `PAIR` bits.
        unsafe {
            _mm512_storeu_si512(codes.as_mut_ptr().cast(), joined);
            _mm512_storeu_si512(lengths.as_mut_ptr().cast(), counts);
            (bits, count) = pairs::write(codes, lengths, (bits, count), to);
        }
    }
    to.give(bits, count);
    token_writer::tokens(rest, tables, to);
}

/// What is written for eight pairs of tokens.
#[derive(Clone, Copy)]
struct Pairs {
    bits: __m512i,
    /// How many bits each has.
    counts: __m512i,
}

impl Pairs {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512cd,avx512dq,bmi1,bmi2,lzcnt,popcnt")]
    fn of(tokens: &[Token; WIDTH], tables: &Tables, distances: &Distances) -> Self {
        // SAFETY: there are 16 tokens.
        let tokens = unsafe { _mm512_loadu_si512(tokens.as_ptr().cast()) };
        let is_literal = _mm512_test_epi32_mask(tokens, set(LITERAL as i32));
        let len_place = _mm512_add_epi32(_mm512_srli_epi32::<16>(tokens), set(256 - MIN_MATCH as i32));
        let place = _mm512_mask_and_epi32(len_place, is_literal, tokens, set(0xff));
        let place = _mm512_and_si512(place, set(0x1ff));
        // SAFETY: the table has 512 elements, and places are below that.
        let words = unsafe { _mm512_i32gather_epi32::<4>(place, tables.codewords.as_ptr().cast()) };

        let (distance, distance_count) = distances.of(tokens, !is_literal);
        let len_count = _mm512_srli_epi32::<COUNT>(words);
        let counts = _mm512_add_epi32(len_count, distance_count);
        let lens = _mm512_and_si512(words, set((1 << COUNT) - 1));

        // The low and the high halves of 64-bit elements are the first and the second of a pair.
        let first = |of| _mm512_and_si512(of, _mm512_set1_epi64(0xffff_ffff));
        let second = |of| _mm512_srli_epi64::<32>(of);
        // A token has at most 48 bits. That the compiler knows that there are fewer than 64 saves it a comparison.
        let below_64 = |of| _mm512_and_si512(of, _mm512_set1_epi64(63));
        let join = |a, b, count| _mm512_or_si512(a, _mm512_sllv_epi64(b, below_64(count)));
        let one = join(first(lens), first(distance), len_count);
        let two = join(second(lens), second(distance), second(len_count));
        let bits = join(one, two, counts);
        Self { bits, counts: _mm512_add_epi64(first(counts), second(counts)) }
    }
}
