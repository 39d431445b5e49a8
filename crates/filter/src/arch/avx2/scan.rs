//! Compares values in the smallest lanes that hold them: 32, 16 or eight at a time.

use std::arch::asm;
use std::arch::x86_64::*;

use super::tables::{Middle, Small};
use super::unpack::{HALF, NO_FIFTH, Padded, Unpack, halves, load, padded};
use crate::arch::nibbles;
use crate::portable::scan_bits;
use crate::predicate::Within;
use crate::source::Packed;

/// Writes a word for each 64 values.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(super) fn scan(packed: Packed<'_>, within: Within, to: &mut [u64]) {
    match packed.width() {
        1 => scan_bits(packed, within, to),
        2 => nibbles::scan_twos(packed, within, to),
        4 => nibbles::scan_fours(packed, within, to),
        8 => bytes(packed, within, to),
        3..=7 => small(packed, within, to),
        width @ 9..=16 if Middle::is_in_two(width) => middle::<true>(packed, within, to),
        9..=16 => middle::<false>(packed, within, to),
        17..=NO_FIFTH => large(Unpack::<false>::new(&packed), packed, within, to),
        _ => large(Unpack::<true>::new(&packed), packed, within, to),
    }
}

/// How far ahead of what is compared bytes are asked for. From memory, processors do so too little by themselves where there is some work to a
/// line: with 2 or 4 KB scans are up to 1.3 times as fast as without, with 1 KB a twentieth slower than that. From the cache they are up to
/// a tenth slower (docs/filter.md).
const AHEAD: usize = 2 << 10;
/// Bytes that are brought in at a time.
const LINE: usize = 64;

/// Goes through the values 64 at a time: `results` has bytes of 32 values and `HALF` more from the place on that it gets.
///
/// # Safety
/// `results` reads no further.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
unsafe fn each(packed: Packed<'_>, within: Within, to: &mut [u64], results: impl Fn(&[u8], usize) -> u32) {
    let (bytes, block) = (packed.bytes(), 8 * packed.width() as usize);
    let flip = within.flip();
    let word = |bytes: &[u8], at: usize| {
        let (low, high) = (results(bytes, at), results(bytes, at + block / 2));
        (u64::from(low) | u64::from(high) << 32) ^ flip
    };
    let blocks = packed.len().div_ceil(64);
    let whole = bytes.len().checked_sub(HALF).map_or(0, |room| room / block).min(blocks);
    let (to_whole, to_rest) = to[..blocks].split_at_mut(whole);
    for (index, to) in to_whole.iter_mut().enumerate() {
        // Eight blocks are as many lines as a value has bits.
        if index.is_multiple_of(8) {
            for line in 0..packed.width() as usize {
                let ahead = index * block + AHEAD + line * LINE;
                _mm_prefetch::<_MM_HINT_T0>(bytes.as_ptr().wrapping_add(ahead).cast());
            }
        }
        *to = word(bytes, index * block);
    }
    let mut copy = Padded::new();
    for (index, to) in to_rest.iter_mut().enumerate() {
        *to = word(padded(bytes, (whole + index) * block, block + HALF, &mut copy), 0);
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
fn bytes(packed: Packed<'_>, within: Within, to: &mut [u64]) {
    let (low, span) = (_mm256_set1_epi8(within.low as i8), _mm256_set1_epi8(within.span as i8));
    // SAFETY: 32 values have the 32 bytes that are read.
    unsafe {
        each(packed, within, to, |bytes, at| within_bytes(halves(bytes, at, at + 16), low, span));
    }
}

/// What values are compared with in the top bits of lanes of so many bits, whatever is below them: a value that is `low` or more, and at most
/// `span` more, is so with anything below it, and one that is not, is not.
fn raised(within: Within, width: u32, lane: u32) -> (u32, u32) {
    let by = lane - width;
    (within.low << by, ((within.span + 1) << by) - 1)
}

/// The high halves of products. The compiler takes the intrinsic function apart, moves one factor's extension out of the loop, and then does
/// not find the instruction again: scans took twice as long.
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

/// Values of three to seven bits.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn small(packed: Packed<'_>, within: Within, to: &mut [u64]) {
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
        each(packed, within, to, |bytes, at| {
            let bytes = halves(bytes, at, at + high);
            let even = high_halves(_mm256_shuffle_epi8(bytes, gather[0]), factors[0]);
            let odd = _mm256_mullo_epi16(_mm256_shuffle_epi8(bytes, gather[1]), factors[1]);
            within_bytes(_mm256_blendv_epi8(even, odd, is_odd), low, span)
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
fn large<const FIFTH: bool>(by: Unpack<FIFTH>, packed: Packed<'_>, within: Within, to: &mut [u64]) {
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
