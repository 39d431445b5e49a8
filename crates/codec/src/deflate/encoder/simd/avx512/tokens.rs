//! Writing a block's tokens, sixteen at a time: their bits are made in vectors and joined in pairs,
//! which are mostly placed in vectors too.

use super::Avx512;
use crate::deflate::encoder::bit_writer::BitWriter;
use crate::deflate::encoder::block::token_writer::{self, COUNT, DISTANCE_LEN, EXTRA, Tables};
use crate::deflate::encoder::simd::tokens::{PAIR, Places, places_of, write_pairs};
use crate::deflate::encoder::simd::vector::Simd;
use crate::deflate::encoder::symbols::Token;
use crate::deflate::tables::DISTANCE;
use std::arch::x86_64::*;

/// Tokens in a vector.
const WIDTH: usize = 16;

/// As `token_writer::tokens`.
///
/// # Safety
/// The processor has the features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512cd,avx512dq,bmi1,bmi2,lzcnt,popcnt")]
pub(crate) unsafe fn emit(simd: Avx512, tokens: &[Token], tables: &Tables, to: &mut BitWriter<'_>) {
    to.flush();
    let (vectors, rest) = tokens.as_chunks::<WIDTH>();
    let distances = Distances::new(tables);
    let (mut bits, mut count) = to.take();
    let pairs_of = |vector: &[Token; WIDTH]| Pairs::of(simd, vector, tables, &distances);
    let mut next = vectors.first().map(pairs_of);
    for (number, vector) in vectors.iter().enumerate() {
        // One vector ahead: loads after the stores of codewords wait for their addresses.
        let pairs = std::mem::replace(&mut next, vectors.get(number + 1).map(pairs_of));
        let Some(Pairs { bits: joined, counts }) = pairs else { break };
        let above = _mm512_sub_epi64(counts, _mm512_set1_epi64(SHORT));
        let are_usual = _mm512_cmple_epu64_mask(above, _mm512_set1_epi64(PAIR - SHORT)) == u8::MAX;
        if are_usual && to.spare() >= 8 * WIDTH {
            // SAFETY: the processor has the features, and the room and the counts were just
            // checked.
            (bits, count) = unsafe { write_pairs_at_once(joined, counts, bits, count, to) };
            continue;
        }
        if _mm512_cmpgt_epi64_mask(counts, _mm512_set1_epi64(PAIR)) != 0 || to.spare() < 8 * WIDTH {
            to.give(bits, count);
            vector.iter().for_each(|&token| token_writer::token(token, tables, to));
            (bits, count) = to.take();
            continue;
        }
        let (mut codes, mut lengths) = ([0_u64; WIDTH / 2], [0_u64; WIDTH / 2]);
        // SAFETY: the arrays have a vector's bytes. Each pair has at most `PAIR` bits, for which
        // eight bytes are spare.
        unsafe {
            _mm512_storeu_si512(codes.as_mut_ptr().cast(), joined);
            _mm512_storeu_si512(lengths.as_mut_ptr().cast(), counts);
            (bits, count) = write_pairs(codes, lengths, (bits, count), to);
        }
    }
    to.give(bits, count);
    token_writer::tokens(rest, tables, to);
}

/// Bits of eight pairs of tokens.
#[derive(Clone, Copy)]
struct Pairs {
    bits: __m512i,
    /// Number of bits of each.
    counts: __m512i,
}

impl Pairs {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512cd,avx512dq,bmi1,bmi2,lzcnt,popcnt")]
    fn of(simd: Avx512, tokens: &[Token; WIDTH], tables: &Tables, distances: &Distances) -> Self {
        // SAFETY: there are 16 tokens.
        let places = unsafe { places_of(simd, simd.load(tokens.as_ptr())) };
        // SAFETY: the table has 512 elements, and places are below that.
        let codewords =
            unsafe { _mm512_i32gather_epi32::<4>(places.place.0, tables.codewords.as_ptr().cast()) };

        let (distance, distance_count) = distances.of(&places);
        let len_count = _mm512_srli_epi32::<COUNT>(codewords);
        let counts = _mm512_add_epi32(len_count, distance_count);
        let lengths = _mm512_and_si512(codewords, _mm512_set1_epi32((1 << COUNT) - 1));

        // The low and the high halves of 64-bit elements are the first and the second of a pair.
        let first = |of| _mm512_and_si512(of, _mm512_set1_epi64(0xffff_ffff));
        let second = |of| _mm512_srli_epi64::<32>(of);
        // A token has at most 48 bits. The mask shows the compiler that there are fewer than 64,
        // which saves a comparison.
        let below_64 = |of| _mm512_and_si512(of, _mm512_set1_epi64(63));
        let join = |a, b, count| _mm512_or_si512(a, _mm512_sllv_epi64(b, below_64(count)));
        let one = join(first(lengths), first(distance), len_count);
        let two = join(second(lengths), second(distance), second(len_count));
        let bits = join(one, two, counts);
        Self { bits, counts: _mm512_add_epi64(first(counts), second(counts)) }
    }
}

/// Codewords of distances, by symbol.
pub(crate) struct Distances {
    /// A codeword less the base of its symbol above it: with a distance above that added, the
    /// codeword and the extra bits.
    codewords: (__m512i, __m512i),
    /// Bits of the codeword, and from bit 8 of it and the extra ones.
    counts: (__m512i, __m512i),
}

/// Distances less one that symbols begin with.
const BASES: [u32; 32] = {
    let mut bases = [0; 32];
    let mut symbol = 0;
    while symbol < DISTANCE.len() {
        bases[symbol] = DISTANCE[symbol].0 as u32 - 1;
        symbol += 1;
    }
    bases
};

impl Distances {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512cd,avx512dq,bmi1,bmi2,lzcnt,popcnt")]
    pub(crate) fn new(tables: &Tables) -> Self {
        let of = |half: usize| {
            // SAFETY: both tables have 32 elements.
            let (codeword, base) = unsafe {
                (
                    _mm512_loadu_si512(tables.distances.as_ptr().add(half * WIDTH).cast()),
                    _mm512_loadu_si512(BASES.as_ptr().add(half * WIDTH).cast()),
                )
            };
            let len = _mm512_and_si512(_mm512_srli_epi32::<DISTANCE_LEN>(codeword), _mm512_set1_epi32(0xff));
            let all = _mm512_add_epi32(len, _mm512_srli_epi32::<EXTRA>(codeword));
            let codeword = _mm512_sub_epi32(
                _mm512_and_si512(codeword, _mm512_set1_epi32(0xffff)),
                _mm512_sllv_epi32(base, len),
            );
            (codeword, _mm512_or_si512(len, _mm512_slli_epi32::<8>(all)))
        };
        let (low, high) = (of(0), of(1));
        Self { codewords: (low.0, high.0), counts: (low.1, high.1) }
    }

    /// Returns the codewords of tokens' distances with their extra bits, and their numbers of bits;
    /// none for literals.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512cd,avx512dq,bmi1,bmi2,lzcnt,popcnt")]
    pub(crate) fn of(&self, places: &Places<Avx512>) -> (__m512i, __m512i) {
        let (is_match, symbol, less) = (places.is_match, places.symbol.0, places.less.0);
        let codeword = _mm512_maskz_permutex2var_epi32(is_match, self.codewords.0, symbol, self.codewords.1);
        let count = _mm512_maskz_permutex2var_epi32(is_match, self.counts.0, symbol, self.counts.1);
        // A codeword has fewer than 16 bits.
        let len = _mm512_and_si512(count, _mm512_set1_epi32(31));
        (_mm512_add_epi32(codeword, _mm512_sllv_epi32(less, len)), _mm512_srli_epi32::<8>(count))
    }
}

/// Minimum bits of each pair, so that the up to seven bits before a pair, in the byte that it
/// starts in, belong to the two pairs before it.
pub(crate) const SHORT: i64 = 4;

#[repr(align(64))]
struct Eight([u64; 8]);

/// Writes eight pairs after some bits, each at its prefix sum of the lengths, together with the
/// bits that share its first byte, so that none waits for another. Returns the bits that fill no
/// byte, and their number.
///
/// # Safety
/// The processor has the features; 64 bytes may be written, and each pair has `SHORT` to 56 bits.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512cd,avx512dq,bmi1,bmi2,lzcnt,popcnt")]
pub(crate) unsafe fn write_pairs_at_once(
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
    let shifted = _mm512_or_si512(shifted, _mm512_maskz_set1_epi64(1, bits as i64));
    // Bits of each pair, and of the one before it, in the byte where the next one starts.
    let whole_bytes = |bits| _mm512_andnot_si512(_mm512_set1_epi64(7), bits);
    let (from, next) = (whole_bytes(starts), whole_bytes(ends));
    let left = |of, from| _mm512_srlv_epi64(of, _mm512_sub_epi64(next, from));
    let before = (_mm512_alignr_epi64::<7>(shifted, zero), _mm512_alignr_epi64::<7>(from, zero));
    let left = _mm512_or_si512(left(shifted, from), left(before.0, before.1));
    let whole = _mm512_or_si512(shifted, _mm512_alignr_epi64::<7>(left, zero));
    let (mut codewords, mut places) = (Eight([0; 8]), Eight([0; 8]));
    let last = |of| _mm_extract_epi64::<1>(_mm512_extracti64x2_epi64::<3>(of)) as u64;
    let end = last(ends);
    // SAFETY: the arrays have a vector's bytes. The last pair starts after the bits of before, less
    // than a byte, and seven pairs of at most `PAIR` bits: its eight bytes end within the 64.
    unsafe {
        _mm512_store_si512(codewords.0.as_mut_ptr().cast(), whole);
        _mm512_store_si512(places.0.as_mut_ptr().cast(), bytes);
        let out = to.here();
        for (codeword, place) in codewords.0.iter().zip(&places.0) {
            // In this order: each writes zeros above its own bits, in bytes that the next one
            // writes whole.
            let (codeword, place) =
                (std::ptr::from_ref(codeword).read_volatile(), std::ptr::from_ref(place).read_volatile());
            out.add(place as usize).cast::<u64>().write_unaligned(codeword.to_le());
        }
    }
    to.skip((end / 8) as usize);
    (last(left), end as u32 % 8)
}
