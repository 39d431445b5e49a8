//! Compares values in the smallest lanes that hold them: 32, 16 or eight at a time.

use std::arch::x86_64::*;

use super::tables::{Middle, Small};
use super::unpack::{HALF, NO_FIFTH, Padded, Unpack, halves, load, padded};
use crate::arch::nibbles;
use crate::bitmap::Words;
use crate::portable::scan_bits;
use crate::predicate::Within;
use crate::source::Packed;

/// Pushes a word for each 64 values.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(super) fn scan(packed: Packed<'_>, within: Within, to: &mut Words<'_>) {
    match packed.width() {
        1 => scan_bits(packed, within, to),
        2 => nibbles::scan_twos(packed, within, to),
        4 => nibbles::scan_fours(packed, within, to),
        8 => bytes(packed, within, to),
        3..=7 => small(packed, within, to),
        9..=16 => middle(packed, within, to),
        17..=NO_FIFTH => large(Unpack::<false>::new(&packed), packed, within, to),
        _ => large(Unpack::<true>::new(&packed), packed, within, to),
    }
}

/// Goes through the values 64 at a time: `results` has bytes of 32 values and `HALF` more from the place on that it gets.
///
/// # Safety
/// `results` reads no further.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
unsafe fn each(
    packed: Packed<'_>,
    within: Within,
    to: &mut Words<'_>,
    results: impl Fn(&[u8], usize) -> u32,
) {
    let (bytes, block) = (packed.bytes(), 8 * packed.width() as usize);
    let flip = within.flip();
    let word = |bytes: &[u8], at: usize| {
        let (low, high) = (results(bytes, at), results(bytes, at + block / 2));
        (u64::from(low) | u64::from(high) << 32) ^ flip
    };
    let blocks = packed.len().div_ceil(64);
    let whole = bytes.len().checked_sub(HALF).map_or(0, |room| room / block).min(blocks);
    for index in 0..whole {
        to.push(word(bytes, index * block));
    }
    let mut copy = Padded::new();
    for index in whole..blocks {
        to.push(word(padded(bytes, index * block, block + HALF, &mut copy), 0));
    }
}

/// `value - low <= span` in 32 lanes of 8 bits.
#[target_feature(enable = "avx2")]
#[inline]
fn within_bytes(values: __m256i, low: __m256i, span: __m256i) -> u32 {
    let above = _mm256_sub_epi8(values, low);
    _mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_min_epu8(above, span), above)) as u32
}

/// Values of eight bits.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn bytes(packed: Packed<'_>, within: Within, to: &mut Words<'_>) {
    let (low, span) = (_mm256_set1_epi8(within.low as i8), _mm256_set1_epi8(within.span as i8));
    // SAFETY: 32 values have the 32 bytes that are read.
    unsafe {
        each(packed, within, to, |bytes, at| within_bytes(halves(bytes, at, at + 16), low, span));
    }
}

/// Values of at most eight bits.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn small(packed: Packed<'_>, within: Within, to: &mut Words<'_>) {
    let table = Small::of(&packed);
    // SAFETY: each has 32 bytes.
    let (gather, factors) =
        unsafe { (table.gather.each_ref().map(|of| load(of)), table.factors.each_ref().map(|of| load(of))) };
    let down = _mm_cvtsi32_si128(16 - packed.width() as i32);
    let (low, span) = (_mm256_set1_epi8(within.low as i8), _mm256_set1_epi8(within.span as i8));
    let high = 2 * packed.width() as usize;
    // SAFETY: the second half starts before the last byte of 32 values.
    unsafe {
        each(packed, within, to, |bytes, at| {
            let bytes = halves(bytes, at, at + high);
            let lanes = |i: usize| {
                let raised = _mm256_mullo_epi16(_mm256_shuffle_epi8(bytes, gather[i]), factors[i]);
                _mm256_srl_epi16(raised, down)
            };
            within_bytes(_mm256_packus_epi16(lanes(0), lanes(1)), low, span)
        });
    }
}

/// Values of nine to 16 bits.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn middle(packed: Packed<'_>, within: Within, to: &mut Words<'_>) {
    let table = Middle::of(&packed);
    // SAFETY: each has 32 bytes.
    let (first, next, factors) = unsafe { (load(&table.first), load(&table.next), load(&table.factors)) };
    let mask = _mm256_set1_epi16(((1u32 << packed.width()) - 1) as i16);
    let (low, span) = (_mm256_set1_epi16(within.low as i16), _mm256_set1_epi16(within.span as i16));
    let eight = packed.width() as usize;
    let compare = |bytes: __m256i| {
        let bottom = _mm256_mulhi_epu16(_mm256_shuffle_epi8(bytes, first), factors);
        let top = _mm256_mullo_epi16(_mm256_shuffle_epi8(bytes, next), factors);
        let values = _mm256_and_si256(_mm256_or_si256(bottom, top), mask);
        let above = _mm256_sub_epi16(values, low);
        _mm256_cmpeq_epi16(_mm256_min_epu16(above, span), above)
    };
    // SAFETY: the last half starts before the last byte of 32 values.
    unsafe {
        each(packed, within, to, |bytes, at| {
            // Packing takes the first halves before the second ones.
            let even = compare(halves(bytes, at, at + 2 * eight));
            let odd = compare(halves(bytes, at + eight, at + 3 * eight));
            _mm256_movemask_epi8(_mm256_packs_epi16(even, odd)) as u32
        });
    }
}

/// Values of 17 to 32 bits.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn large<const FIFTH: bool>(by: Unpack<FIFTH>, packed: Packed<'_>, within: Within, to: &mut Words<'_>) {
    let (low, span) = (_mm256_set1_epi32(within.low as i32), _mm256_set1_epi32(within.span as i32));
    let order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    let eight = packed.width() as usize;
    // SAFETY: 32 values are read.
    unsafe {
        each(packed, within, to, |bytes, at| {
            let compare = |i: usize| {
                let above = _mm256_sub_epi32(by.lanes(bytes, at + i * eight), low);
                _mm256_cmpeq_epi32(_mm256_min_epu32(above, span), above)
            };
            let (first, last) =
                (_mm256_packs_epi32(compare(0), compare(1)), _mm256_packs_epi32(compare(2), compare(3)));
            // In four bytes each: the first halves of all four, then the second ones.
            let packed = _mm256_packs_epi16(first, last);
            _mm256_movemask_epi8(_mm256_permutevar8x32_epi32(packed, order)) as u32
        });
    }
}
