//! Writing a block's tokens, sixteen at a time: their bits are made in vectors, joined in pairs, and these are mostly put to their
//! places in vectors too.

use std::arch::x86_64::*;

use super::super::pairs::{self, PAIR};
use super::set;
use crate::deflate::coder::bits::BitWriter;
use crate::deflate::coder::symbols::{LITERAL, MIN_MATCH, Token};
use crate::deflate::coder::words::{self, COUNT, DISTANCE_LEN, Tables};

/// Tokens in a vector.
const WIDTH: usize = 16;
/// Bits that it must have, so that none ends in the byte that it starts in.
const BYTE: i64 = 8;

/// As `words::tokens`.
///
/// # Safety
/// The processor has the features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512cd,avx512dq,bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn emit(tokens: &[Token], tables: &Tables, to: &mut BitWriter<'_>) {
    to.flush();
    let (vectors, rest) = tokens.as_chunks::<WIDTH>();
    // SAFETY: the table has 32 elements.
    let distance_words = unsafe {
        let from = tables.distances.as_ptr();
        (_mm512_loadu_si512(from.cast()), _mm512_loadu_si512(from.add(WIDTH).cast()))
    };
    let (mut bits, mut count) = to.take();
    for vector in vectors {
        // SAFETY: a vector has 16 tokens.
        let tokens = unsafe { _mm512_loadu_si512(vector.as_ptr().cast()) };
        let is_literal = _mm512_test_epi32_mask(tokens, set(LITERAL as i32));
        let len_place = _mm512_add_epi32(_mm512_srli_epi32::<16>(tokens), set(256 - MIN_MATCH as i32));
        let place = _mm512_mask_and_epi32(len_place, is_literal, tokens, set(0xff));
        let place = _mm512_and_si512(place, set(0x1ff));
        // SAFETY: the table has 512 elements, and places are below that.
        let words = unsafe { _mm512_i32gather_epi32::<4>(place, tables.words.as_ptr().cast()) };

        // The extra bits of a distance less one: one fewer than follow its highest bit.
        let less = _mm512_maskz_and_epi32(!is_literal, tokens, set(0x7fff));
        let extra = _mm512_max_epi32(_mm512_sub_epi32(set(30), _mm512_lzcnt_epi32(less)), set(0));
        let top = _mm512_srlv_epi32(less, extra);
        let symbol = _mm512_add_epi32(_mm512_add_epi32(extra, extra), top);
        let above = _mm512_sub_epi32(less, _mm512_sllv_epi32(top, extra));
        let word = _mm512_maskz_permutex2var_epi32(!is_literal, distance_words.0, symbol, distance_words.1);
        let word_len = _mm512_and_si512(_mm512_srli_epi32::<DISTANCE_LEN>(word), set(0xff));
        let distance =
            _mm512_or_si512(_mm512_and_si512(word, set(0xffff)), _mm512_sllv_epi32(above, word_len));
        let len_count = _mm512_srli_epi32::<COUNT>(words);
        let counts = _mm512_add_epi32(len_count, _mm512_add_epi32(word_len, extra));
        let lens = _mm512_and_si512(words, set((1 << COUNT) - 1));

        // The low and the high halves of 64-bit elements are the first and the second of a pair.
        let first = |of| _mm512_and_si512(of, _mm512_set1_epi64(0xffff_ffff));
        let second = |of| _mm512_srli_epi64::<32>(of);
        let join = |a, b, count| _mm512_or_si512(a, _mm512_sllv_epi64(b, count));
        let one = join(first(lens), first(distance), first(len_count));
        let two = join(second(lens), second(distance), second(len_count));
        let joined = join(one, two, first(counts));
        let pair_counts = _mm512_add_epi64(first(counts), second(counts));
        let above = _mm512_sub_epi64(pair_counts, _mm512_set1_epi64(BYTE));
        let is_whole = _mm512_cmple_epu64_mask(above, _mm512_set1_epi64(PAIR - BYTE)) == u8::MAX;
        if is_whole && to.spare() >= 8 * WIDTH {
            // SAFETY: the processor has the features, and the room was just checked.
            (bits, count) = unsafe { at_once(joined, pair_counts, bits, count, to) };
            continue;
        }
        if _mm512_cmpgt_epi64_mask(pair_counts, _mm512_set1_epi64(PAIR)) != 0 || to.spare() < 8 * WIDTH {
            to.give(bits, count);
            vector.iter().for_each(|&token| words::token(token, tables, to));
            (bits, count) = to.take();
            continue;
        }
        let (mut codes, mut lengths) = ([0_u64; WIDTH / 2], [0_u64; WIDTH / 2]);
        // SAFETY: the arrays have 64 bytes, and as many bytes are spare as 8 pairs of 8 bytes take.
        unsafe {
            _mm512_storeu_si512(codes.as_mut_ptr().cast(), joined);
            _mm512_storeu_si512(lengths.as_mut_ptr().cast(), pair_counts);
            (bits, count) = pairs::write(codes, lengths, (bits, count), to);
        }
    }
    to.give(bits, count);
    words::tokens(rest, tables, to);
}

#[repr(align(64))]
struct Eight([u64; 8]);

/// Writes eight pairs after some bits, each where the sum of the lengths before says, and with the bits of the byte before that
/// it shares: so none waits for another. Returns the bits that fill no byte, and their number.
///
/// # Safety
/// The processor has the features; 64 bytes may be written, and each pair has 8 to 56 bits.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512cd,avx512dq,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn at_once(
    pairs: __m512i,
    counts: __m512i,
    bits: u64,
    count: u32,
    to: &mut BitWriter<'_>,
) -> (u64, u32) {
    let zero = _mm512_setzero_si512();
    let ends = _mm512_add_epi64(counts, _mm512_alignr_epi64::<7>(counts, zero));
    let ends = _mm512_add_epi64(ends, _mm512_alignr_epi64::<6>(ends, zero));
    let ends = _mm512_add_epi64(ends, _mm512_alignr_epi64::<4>(ends, zero));
    let ends = _mm512_add_epi64(ends, _mm512_set1_epi64(count.into()));
    let starts = _mm512_sub_epi64(ends, counts);
    let bytes = _mm512_srli_epi64::<3>(starts);
    let shifted = _mm512_sllv_epi64(pairs, _mm512_and_si512(starts, _mm512_set1_epi64(7)));
    // What is left of each in the byte where the next one starts.
    let whole = _mm512_sub_epi64(_mm512_srli_epi64::<3>(ends), bytes);
    let left = _mm512_srlv_epi64(shifted, _mm512_slli_epi64::<3>(whole));
    let before = _mm512_alignr_epi64::<7>(left, _mm512_set1_epi64(bits as i64));
    let (mut words, mut places) = (Eight([0; 8]), Eight([0; 8]));
    let last = |of| _mm_extract_epi64::<1>(_mm512_extracti64x2_epi64::<3>(of)) as u64;
    let end = last(ends);
    // SAFETY: the arrays have 64 bytes. The last place is that of 7 bits of before and seven pairs of 56: in byte 49, and eight
    // are written from there on.
    unsafe {
        _mm512_store_si512(words.0.as_mut_ptr().cast(), _mm512_or_si512(shifted, before));
        _mm512_store_si512(places.0.as_mut_ptr().cast(), bytes);
        let out = to.here();
        for (word, place) in words.0.iter().zip(&places.0) {
            // In this order: each but the last writes zeros where the next one starts.
            let (word, place) =
                (std::ptr::from_ref(word).read_volatile(), std::ptr::from_ref(place).read_volatile());
            out.add(place as usize).cast::<u64>().write_unaligned(word.to_le());
        }
    }
    to.skip((end / 8) as usize);
    (last(left), end as u32 % 8)
}
