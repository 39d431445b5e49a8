//! Writing pairs of tokens, eight at a time, none of which waits for another.

use std::arch::x86_64::*;

use crate::deflate::encoder::bit_writer::BitWriter;

/// Bits that each pair must have, so that the bits before any in the byte that it starts in, up to seven, are of the two pairs before it.
pub(crate) const SHORT: i64 = 4;

#[repr(align(64))]
struct Eight([u64; 8]);

/// Writes eight pairs after some bits, each where the sum of the lengths before says, and with the bits of the byte before that
/// it shares: so none waits for another. Returns the bits that fill no byte, and their number.
///
/// # Safety
/// The processor has the features; 64 bytes may be written, and each pair has `SHORT` to 56 bits.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512cd,avx512dq,bmi1,bmi2,lzcnt,popcnt")]
pub(crate) unsafe fn write(
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
    // What is left, of each and of the one before it, in the byte where the next one starts.
    let whole_bytes = |bits| _mm512_andnot_si512(_mm512_set1_epi64(7), bits);
    let (from, next) = (whole_bytes(starts), whole_bytes(ends));
    let left = |of, from| _mm512_srlv_epi64(of, _mm512_sub_epi64(next, from));
    let before = (_mm512_alignr_epi64::<7>(shifted, zero), _mm512_alignr_epi64::<7>(from, zero));
    let left = _mm512_or_si512(left(shifted, from), left(before.0, before.1));
    let whole = _mm512_or_si512(shifted, _mm512_alignr_epi64::<7>(left, zero));
    let (mut words, mut places) = (Eight([0; 8]), Eight([0; 8]));
    let last = |of| _mm_extract_epi64::<1>(_mm512_extracti64x2_epi64::<3>(of)) as u64;
    let end = last(ends);
    // SAFETY: the arrays have 64 bytes. The last place is that of 7 bits of before and seven pairs of 56: in byte 49, and eight
    // are written from there on.
    unsafe {
        _mm512_store_si512(words.0.as_mut_ptr().cast(), whole);
        _mm512_store_si512(places.0.as_mut_ptr().cast(), bytes);
        let out = to.here();
        for (word, place) in words.0.iter().zip(&places.0) {
            // In this order: above its own bits each writes zeros, in bytes that the next one writes whole.
            let (word, place) =
                (std::ptr::from_ref(word).read_volatile(), std::ptr::from_ref(place).read_volatile());
            out.add(place as usize).cast::<u64>().write_unaligned(word.to_le());
        }
    }
    to.skip((end / 8) as usize);
    (last(left), end as u32 % 8)
}
