//! Writing a block's tokens, sixteen at a time: their bits are made in vectors, and joined in pairs before they are written.

use std::arch::x86_64::*;

use crate::deflate::coder::bits::BitWriter;
use crate::deflate::coder::symbols::{LITERAL, MIN_MATCH, Token};
use crate::deflate::coder::words::{self, COUNT, DISTANCE_LEN, Tables};

/// Tokens in a vector.
const WIDTH: usize = 16;
/// Bits that a pair may have to be written at once, after up to seven of before.
const PAIR: i64 = 56;

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
        let pairs = join(one, two, first(counts));
        let pair_counts = _mm512_add_epi64(first(counts), second(counts));
        if _mm512_cmple_epu64_mask(
            _mm512_sub_epi64(pair_counts, _mm512_set1_epi64(8)),
            _mm512_set1_epi64(PAIR - 8),
        ) == 0xff
            && to.spare() >= 8 * WIDTH
        {
            // Where each pair starts, in bits from the next byte on.
            let zero = _mm512_setzero_si512();
            let sum = _mm512_add_epi64(pair_counts, _mm512_alignr_epi64::<7>(pair_counts, zero));
            let sum = _mm512_add_epi64(sum, _mm512_alignr_epi64::<6>(sum, zero));
            let sum = _mm512_add_epi64(sum, _mm512_alignr_epi64::<4>(sum, zero));
            let end = _mm512_add_epi64(sum, _mm512_set1_epi64(count as i64));
            let start = _mm512_sub_epi64(end, pair_counts);
            let byte = _mm512_srli_epi64::<3>(start);
            let next = _mm512_srli_epi64::<3>(end);
            let shifted = _mm512_sllv_epi64(pairs, _mm512_and_si512(start, _mm512_set1_epi64(7)));
            let left = _mm512_srlv_epi64(shifted, _mm512_slli_epi64::<3>(_mm512_sub_epi64(next, byte)));
            let before = _mm512_castsi128_si512(_mm_cvtsi64_si128(bits as i64));
            let before = _mm512_permutexvar_epi64(zero, before);
            let whole = _mm512_or_si512(shifted, _mm512_alignr_epi64::<7>(left, before));
            #[repr(align(64))]
            struct A([u64; 8]);
            let (mut words, mut places, mut lefts) = (A([0; 8]), A([0; 8]), A([0; 8]));
            unsafe {
                _mm512_store_si512(words.0.as_mut_ptr().cast(), whole);
                _mm512_store_si512(places.0.as_mut_ptr().cast(), byte);
                let out = to.here();
                for i in 0..8 {
                    out.add((&raw const places.0[i]).read_volatile() as usize).cast::<u64>().write_unaligned((&raw const words.0[i]).read_volatile());
                }
                let total = _mm_extract_epi64::<1>(_mm512_extracti64x2_epi64::<3>(end)) as u64;
                bits = _mm_extract_epi64::<1>(_mm512_extracti64x2_epi64::<3>(left)) as u64;
                let _ = &mut lefts;
                count = total as u32 & 7;
                to.skip((total >> 3) as usize);
            }
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
            _mm512_storeu_si512(codes.as_mut_ptr().cast(), pairs);
            _mm512_storeu_si512(lengths.as_mut_ptr().cast(), pair_counts);
            let start = to.here();
            let mut out = start;
            for i in 0..WIDTH / 2 {
                bits |= codes[i] << (count & 63);
                count += lengths[i] as u32;
                out.cast::<u64>().write_unaligned(bits.to_le());
                out = out.add(count as usize / 8);
                bits >>= count & 56;
                count &= 7;
            }
            to.skip(out.offset_from_unsigned(start));
        }
    }
    to.give(bits, count);
    words::tokens(rest, tables, to);
}

#[inline]
#[target_feature(enable = "avx512f")]
fn set(value: i32) -> __m512i {
    _mm512_set1_epi32(value)
}
