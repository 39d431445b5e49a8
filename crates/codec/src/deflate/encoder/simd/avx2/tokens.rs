//! Writing a block's tokens, eight at a time: their bits are made in vectors, and joined in pairs.
//! Four pairs at a time are too few to place them in vectors too, as with AVX-512.

use super::{Avx2, Eight, WIDTH};
use crate::deflate::encoder::bit_writer::BitWriter;
use crate::deflate::encoder::block::token_writer::{self, COUNT, DISTANCE_LEN, Tables};
use crate::deflate::encoder::simd::tokens::{PAIR, places_of, write_pairs};
use crate::deflate::encoder::simd::vector::{Simd, Vector};
use crate::deflate::encoder::symbols::{DISTANCES, LITERAL_PLACES, Token};
use std::arch::x86_64::*;

/// Returns the entries of a table at eight places. A gather takes longer.
///
/// # Safety
/// The processor has the features, and the table the places.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn one_by_one(table: &[u32; LITERAL_PLACES], places: __m256i) -> __m256i {
    let mut of = Eight([0; WIDTH]);
    let table = table.as_ptr().cast::<i32>();
    // SAFETY: the caller's; volatile, or the compiler takes the places from the vector.
    unsafe {
        _mm256_store_si256(of.0.as_mut_ptr().cast(), places);
        let of = of.0.as_ptr();
        _mm256_setr_epi32(
            *table.add(of.read_volatile() as usize),
            *table.add(of.add(1).read_volatile() as usize),
            *table.add(of.add(2).read_volatile() as usize),
            *table.add(of.add(3).read_volatile() as usize),
            *table.add(of.add(4).read_volatile() as usize),
            *table.add(of.add(5).read_volatile() as usize),
            *table.add(of.add(6).read_volatile() as usize),
            *table.add(of.add(7).read_volatile() as usize),
        )
    }
}

/// As `token_writer::tokens`.
///
/// # Safety
/// The processor has the features.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(crate) unsafe fn emit(simd: Avx2, tokens: &[Token], tables: &Tables, to: &mut BitWriter<'_>) {
    to.flush();
    let (vectors, rest) = tokens.as_chunks::<WIDTH>();
    let (mut bits, mut count) = to.take();
    for vector in vectors {
        // SAFETY: a vector of tokens is loaded. Places are below the length of the table.
        let (codewords, codeword, less, extra) = unsafe {
            let places = places_of(simd, simd.load(vector.as_ptr()));
            // Literals have the symbol after the last distance's: its codeword has no bits.
            let none = simd.splat(DISTANCES as i32).keep(places.is_literal);
            let codewords = one_by_one(&tables.codewords, places.place.0);
            // So few entries are looked up in registers.
            let codeword = simd.look_up(&tables.distances, places.symbol + none).0;
            (codewords, codeword, places.less.0, places.extra.0)
        };
        // A distance less one is its base less one, a multiple of a power of two, plus the extra
        // bits.
        let above = _mm256_andnot_si256(_mm256_sllv_epi32(_mm256_set1_epi32(-1), extra), less);
        let codeword_len =
            _mm256_and_si256(_mm256_srli_epi32::<{ DISTANCE_LEN as i32 }>(codeword), _mm256_set1_epi32(0xff));
        let distance = _mm256_or_si256(
            _mm256_and_si256(codeword, _mm256_set1_epi32(0xffff)),
            _mm256_sllv_epi32(above, codeword_len),
        );
        let len_count = _mm256_srli_epi32::<{ COUNT as i32 }>(codewords);
        let counts = _mm256_add_epi32(len_count, _mm256_add_epi32(codeword_len, extra));
        let lengths = _mm256_and_si256(codewords, _mm256_set1_epi32((1 << COUNT) - 1));

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
        // SAFETY: the arrays have a vector's bytes. Each pair takes at most eight bytes, which are
        // spare.
        unsafe {
            _mm256_storeu_si256(codes.as_mut_ptr().cast(), joined);
            _mm256_storeu_si256(lengths.as_mut_ptr().cast(), pair_counts);
            (bits, count) = write_pairs(codes, lengths, (bits, count), to);
        }
    }
    to.give(bits, count);
    token_writer::tokens(rest, tables, to);
}
