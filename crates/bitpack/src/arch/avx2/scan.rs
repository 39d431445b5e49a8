//! Scans, in the smallest lanes that hold the values.

use std::arch::asm;
use std::arch::x86_64::*;

use super::tables::{Large, Middle, Small, is_in_one_load};
use super::unpack::{HALF, Padded, Unpack, halves, load, padded, twice};
use crate::arch::nibbles;
use crate::arch::prefetch::{self, EIGHT};
use crate::packed::Packed;
use crate::predicate::Within;

/// Writes a word for each 64 values.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(super) fn scan(packed: Packed<'_>, within: Within, to: &mut [u64]) {
    match packed.width() {
        1 => nibbles::scan_ones(packed, within, to),
        2 => nibbles::scan_twos(packed, within, to),
        4 => nibbles::scan_fours(packed, within, to),
        8 => bytes(packed, within, to),
        3 => small::<true>(packed, within, to),
        5..=7 => small::<false>(packed, within, to),
        width @ 9..=16 if Middle::is_in_two(width) => middle::<true>(packed, within, to),
        9..=16 => middle::<false>(packed, within, to),
        width if Large::is_in_four(width) => large(Unpack::<false>::new(&packed), packed, within, to),
        _ => large(Unpack::<true>::new(&packed), packed, within, to),
    }
}

/// Goes through the values 64 at a time: `results` has bytes of 32 values and `HALF` more from the
/// place on that it gets.
///
/// # Safety
/// `results` reads no further.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
unsafe fn each(packed: Packed<'_>, to: &mut [u64], results: impl Fn(&[u8], usize) -> u32) {
    let (bytes, block) = (packed.bytes(), 8 * packed.width() as usize);
    let word = |bytes: &[u8], at: usize| {
        u64::from(results(bytes, at)) | u64::from(results(bytes, at + block / 2)) << 32
    };
    let blocks = packed.len().div_ceil(64);
    let whole = bytes.len().checked_sub(HALF).map_or(0, |room| room / block).min(blocks);
    let whole = whole - whole % EIGHT;
    let (to_whole, to_rest) = to[..blocks].split_at_mut(whole);
    for (index, to) in to_whole.as_chunks_mut::<EIGHT>().0.iter_mut().enumerate() {
        let at = index * EIGHT * block;
        prefetch::prefetch_eight(bytes, at, packed.width());
        for (i, to) in to.iter_mut().enumerate() {
            // SAFETY: a reference can be written to. Without `volatile` the compiler gathers words
            // in a vector, one instruction each, to save stores: values of three bits took a
            // quarter longer.
            unsafe { std::ptr::from_mut(to).write_volatile(word(bytes, at + i * block)) };
        }
    }
    let mut copy = Padded::new();
    for (index, to) in to_rest.iter_mut().enumerate() {
        *to = word(padded(bytes, (whole + index) * block, block + HALF, &mut copy), 0);
    }
}

/// Returns the two sides of a comparison of values in the top bits of lanes of `lane` bits, with
/// any bits below them: values with `value - low > span` pass.
///
/// The bits below a value don't change whether it is in the range from `low` on. Lanes wrap around,
/// so that the values outside one range are those inside another: the comparison uses that one
/// where the range's own values pass. Comparisons are signed, so the least signed number, with only
/// its highest bit set, is subtracted from both sides.
fn raised(within: Within, width: u32, lane: u32) -> (u32, u32) {
    let by = lane - width;
    let low = within.low << by;
    // Shifted in 64 bits: one more than the widest values' `span` may have a bit more.
    let span = (((u64::from(within.span) + 1) << by) - 1) as u32;
    // A predicate that every value passes, with all numbers in its range, is not compared.
    let circle = (1u64 << lane) as u32;
    let (low, span) = if within.invert {
        (low, span)
    } else {
        (low.wrapping_add(span).wrapping_add(1), circle.wrapping_sub(2).wrapping_sub(span))
    };
    let least = 1 << (lane - 1);
    (low.wrapping_add(least), span.wrapping_sub(least))
}

/// Returns a mask of the lanes of one byte that pass.
#[target_feature(enable = "avx2")]
#[inline]
fn bytes_above(values: __m256i, low: __m256i, span: __m256i) -> u32 {
    _mm256_movemask_epi8(_mm256_cmpgt_epi8(_mm256_sub_epi8(values, low), span)) as u32
}

/// Values of eight bits.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn bytes(packed: Packed<'_>, within: Within, to: &mut [u64]) {
    let (low, span) = raised(within, 8, 8);
    let (low, span) = (_mm256_set1_epi8(low as i8), _mm256_set1_epi8(span as i8));
    // SAFETY: 32 values have the 32 bytes that are read.
    unsafe {
        each(packed, to, |bytes, at| bytes_above(halves(bytes, at, at + 16), low, span));
    }
}

/// Returns the high halves of products. The compiler takes the intrinsic function apart, moves one
/// factor's extension out of the loop, and then does not find the instruction again: scans took
/// twice as long.
#[target_feature(enable = "avx2")]
#[inline]
fn high_halves(a: __m256i, b: __m256i) -> __m256i {
    let product;
    // SAFETY: an instruction of AVX2 that has no other effect.
    unsafe {
        asm!("vpmulhuw {}, {}, {}", lateout(ymm_reg) product, in(ymm_reg) a, in(ymm_reg) b,
            options(pure, nomem, nostack, preserves_flags));
    }
    product
}

/// Values of three to seven bits; `IN_ONE` if 16 bytes have 32 of them.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn small<const IN_ONE: bool>(packed: Packed<'_>, within: Within, to: &mut [u64]) {
    debug_assert_eq!(IN_ONE, is_in_one_load(packed.width() as usize));
    let table = Small::of(&packed);
    // SAFETY: each has 32 bytes.
    let (gather, factors) =
        unsafe { (table.gather.each_ref().map(|of| load(of)), table.factors.each_ref().map(|of| load(of))) };
    let (low, span) = raised(within, packed.width(), 8);
    let (low, span) = (_mm256_set1_epi8(low as i8), _mm256_set1_epi8(span as i8));
    let is_odd = _mm256_set1_epi16(0xff00_u16 as i16);
    let high = 2 * packed.width() as usize;
    // SAFETY: the second half starts before the last byte of 32 values.
    unsafe {
        each(packed, to, |bytes, at| {
            let bytes = if IN_ONE { twice(bytes, at) } else { halves(bytes, at, at + high) };
            let even = high_halves(_mm256_shuffle_epi8(bytes, gather[0]), factors[0]);
            let odd = _mm256_mullo_epi16(_mm256_shuffle_epi8(bytes, gather[1]), factors[1]);
            bytes_above(_mm256_blendv_epi8(even, odd, is_odd), low, span)
        });
    }
}

/// Values of nine to 16 bits; `IN_TWO` if none has a third byte.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn middle<const IN_TWO: bool>(packed: Packed<'_>, within: Within, to: &mut [u64]) {
    let table = Middle::of(&packed);
    // SAFETY: each has 32 bytes.
    let [lower, upper] = unsafe { [load(&table.lower), load(&table.upper)] };
    // SAFETY: as above.
    let [down, up] = unsafe { [load(&table.down), load(&table.up)] };
    let (low, span) = raised(within, packed.width(), 16);
    let (low, span) = (_mm256_set1_epi16(low as i16), _mm256_set1_epi16(span as i16));
    let eight = packed.width() as usize;
    let compare = |bytes: __m256i| {
        let mut values = _mm256_mullo_epi16(_mm256_shuffle_epi8(bytes, upper), up);
        if !IN_TWO {
            let bottom = high_halves(_mm256_shuffle_epi8(bytes, lower), down);
            values = _mm256_or_si256(values, bottom);
        }
        _mm256_cmpgt_epi16(_mm256_sub_epi16(values, low), span)
    };
    // SAFETY: the last half starts before the last byte of 32 values.
    unsafe {
        each(packed, to, |bytes, at| {
            // Packing takes the first halves before the second ones.
            let even = compare(halves(bytes, at, at + 2 * eight));
            let odd = compare(halves(bytes, at + eight, at + 3 * eight));
            _mm256_movemask_epi8(_mm256_packs_epi16(even, odd)) as u32
        });
    }
}

/// Values of 17 to 32 bits.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn large<const FIFTH: bool>(by: Unpack<FIFTH>, packed: Packed<'_>, within: Within, to: &mut [u64]) {
    let (low, span) = raised(within, packed.width(), 32);
    let (low, span) = (_mm256_set1_epi32(low as i32), _mm256_set1_epi32(span as i32));
    let order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    let eight = packed.width() as usize;
    // SAFETY: 32 values are read.
    unsafe {
        each(packed, to, |bytes, at| {
            let compare =
                |i: usize| _mm256_cmpgt_epi32(_mm256_sub_epi32(by.raised(bytes, at + i * eight), low), span);
            let (first, last) =
                (_mm256_packs_epi32(compare(0), compare(1)), _mm256_packs_epi32(compare(2), compare(3)));
            // In four bytes each: the first halves of all four, then the second ones.
            let packed = _mm256_packs_epi16(first, last);
            _mm256_movemask_epi8(_mm256_permutevar8x32_epi32(packed, order)) as u32
        });
    }
}

#[cfg(test)]
mod tests;
