//! Scans of values of one bit, which are their own results; and of two and four bits, compared
//! while they are packed: a table (`vpshufb`) has the results for each form of four packed bits.

use std::arch::x86_64::*;

use super::prefetch;
use crate::packed::{Order, Packed};
use crate::portable::scan_bits;
use crate::predicate::Within;

/// Writes a word for each 64 values of one bit. AVX-512 uses this too, as its wider vectors take
/// longer from memory on a Xeon.
#[target_feature(enable = "avx2")]
pub(super) fn scan_ones(packed: Packed<'_>, within: Within, to: &mut [u64]) {
    scan_bits(packed, within, to);
}

/// Returns, for each form of a byte's low four bits and of its high ones, the results of its two
/// values, at their places in the results of the byte.
fn twos(within: Within, order: Order) -> [[i8; 16]; 2] {
    let passes = |value: usize| i8::from(within.passes(value as u32 & 3));
    let first: [i8; 16] = std::array::from_fn(|form| match order {
        Order::Little => passes(form) | passes(form >> 2) << 1,
        Order::Big => passes(form >> 2) | passes(form) << 1,
    });
    let then = first.map(|results| results << 2);
    match order {
        Order::Little => [first, then],
        Order::Big => [then, first],
    }
}

/// Writes a word for each 64 values of two bits.
#[target_feature(enable = "avx2")]
pub(super) fn scan_twos(packed: Packed<'_>, within: Within, to: &mut [u64]) {
    // SAFETY: each has 16 bytes.
    let [low, high] = twos(within, packed.order())
        .map(|table| _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(table.as_ptr().cast()) }));
    let four = _mm256_set1_epi8(15);
    // The results of 32 bytes in the low byte of each 16 bits.
    let results = |bytes: __m256i| {
        let low = _mm256_shuffle_epi8(low, _mm256_and_si256(bytes, four));
        let high = _mm256_shuffle_epi8(high, _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), four));
        // Four bits of a byte, and 16 times those of the next.
        _mm256_maddubs_epi16(_mm256_or_si256(low, high), _mm256_set1_epi16(0x1001))
    };
    let bytes = &packed.bytes()[..packed.len().div_ceil(4)];
    let (whole, rest) = bytes.as_chunks::<64>();
    let (to_whole, to_rest) = to.split_at_mut(whole.len() * 4);
    for (four, to) in whole.iter().zip(to_whole.as_chunks_mut::<4>().0) {
        prefetch::prefetch(four, 0);
        // SAFETY: there are 64 bytes, and room for 32.
        unsafe {
            let [first, second] = [0, 32].map(|at| results(_mm256_loadu_si256(four.as_ptr().add(at).cast())));
            let packed = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi16(first, second));
            _mm256_storeu_si256(to.as_mut_ptr().cast(), packed);
        }
    }
    for (bytes, to) in rest.chunks(16).zip(to_rest) {
        let mut padded = [0; 32];
        padded[..bytes.len()].copy_from_slice(bytes);
        // SAFETY: there are 32 bytes.
        let results = results(unsafe { _mm256_loadu_si256(padded.as_ptr().cast()) });
        let packed = _mm256_packus_epi16(results, results);
        *to = _mm256_extract_epi64::<0>(packed) as u64;
    }
}

/// Writes a word for each 64 values of four bits.
#[target_feature(enable = "avx2")]
pub(super) fn scan_fours(packed: Packed<'_>, within: Within, to: &mut [u64]) {
    let mut table = [0i8; 16];
    for (form, results) in table.iter_mut().enumerate() {
        *results = if within.passes(form as u32) { -1 } else { 0 };
    }
    // SAFETY: it has 16 bytes.
    let table = _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(table.as_ptr().cast()) });
    let four = _mm256_set1_epi8(15);
    let word = |bytes: &[u8; 32]| {
        // SAFETY: there are 32 bytes.
        let bytes = unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) };
        // Interleaving takes the first eight bytes of both halves, then the others.
        let bytes = _mm256_permute4x64_epi64::<0b11_01_10_00>(bytes);
        let low = _mm256_shuffle_epi8(table, _mm256_and_si256(bytes, four));
        let high = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), four));
        let (first, second) = match packed.order() {
            Order::Little => (low, high),
            Order::Big => (high, low),
        };
        let early = _mm256_movemask_epi8(_mm256_unpacklo_epi8(first, second)) as u32;
        let late = _mm256_movemask_epi8(_mm256_unpackhi_epi8(first, second)) as u32;
        u64::from(early) | u64::from(late) << 32
    };
    let (whole, rest) = packed.bytes()[..packed.len().div_ceil(2)].as_chunks::<32>();
    let (to_whole, to_rest) = to.split_at_mut(whole.len());
    for (bytes, to) in whole.iter().zip(to_whole) {
        // Each line twice, which costs less than to tell them apart.
        prefetch::prefetch(bytes, 0);
        *to = word(bytes);
    }
    if let Some(to) = to_rest.first_mut() {
        let mut padded = [0; 32];
        padded[..rest.len()].copy_from_slice(rest);
        *to = word(&padded);
    }
}
