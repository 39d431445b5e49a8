//! Scans, in the smallest lanes that hold the values.

use std::arch::x86_64::*;

use super::tables::{ODD, OddTable, Table};
use super::unpack::{Even, Odd, Unpack, load, load_whole, mask};
use crate::arch::nibbles;
use crate::arch::prefetch::{self, EIGHT};
use crate::packed::Packed;
use crate::predicate::Within;

/// Writes a word for each 64 values.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,bmi1,bmi2,popcnt,gfni")]
pub(super) fn scan(packed: Packed<'_>, within: Within, to: &mut [u64]) {
    let mask = mask(packed.width());
    match packed.width() {
        1 => nibbles::scan_ones(packed, within, to),
        2 => nibbles::scan_twos(packed, within, to),
        3..=8 => {
            let by = Even::new(Table::narrow(&packed), _mm512_set1_epi8(mask as i8));
            scan_by::<8, _>(by, packed, within, to);
        }
        9..=16 => {
            let by = Even::new(Table::narrow(&packed), _mm512_set1_epi16(mask as i16));
            scan_by::<16, _>(by, packed, within, to);
        }
        ODD => scan_by::<32, _>(Odd::new(OddTable::of(&packed)), packed, within, to),
        _ => scan_by::<32, _>(Even::new(Table::narrow(&packed), _mm512_set1_epi32(mask)), packed, within, to),
    }
}

/// In lanes of `LANE` bits.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,bmi1,bmi2,popcnt")]
#[inline]
fn scan_by<const LANE: usize, U: Unpack>(by: U, packed: Packed<'_>, within: Within, to: &mut [u64]) {
    let (low, span) = match LANE {
        8 => (_mm512_set1_epi8(within.low as i8), _mm512_set1_epi8(within.span as i8)),
        16 => (_mm512_set1_epi16(within.low as i16), _mm512_set1_epi16(within.span as i16)),
        _ => (_mm512_set1_epi32(within.low as i32), _mm512_set1_epi32(within.span as i32)),
    };
    let compare = |values: __m512i| match LANE {
        8 => _mm512_cmple_epu8_mask(_mm512_sub_epi8(values, low), span),
        16 => u64::from(_mm512_cmple_epu16_mask(_mm512_sub_epi16(values, low), span)),
        _ => u64::from(_mm512_cmple_epu32_mask(_mm512_sub_epi32(values, low), span)),
    };
    blocks::<LANE, _>(by, packed, within.flip(), to, compare);
}

/// Writes a word for each 64 values. `test` returns a bit for each lane of `LANE` bits, and `flip`
/// flips the words.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,bmi1,bmi2,popcnt")]
#[inline]
pub(super) fn blocks<const LANE: usize, U: Unpack>(
    by: U,
    packed: Packed<'_>,
    flip: u64,
    to: &mut [u64],
    mut test: impl FnMut(__m512i) -> u64,
) {
    let (bytes, block) = (packed.bytes(), 8 * packed.width() as usize);
    // Vectors for 64 values, and the bytes from the start of one to that of the next.
    let vectors = LANE / 8;
    let step = block / vectors;
    let blocks = packed.len().div_ceil(64);
    // Blocks that are loaded in whole vectors.
    let reach = (vectors - 1) * step + 64;
    let whole = bytes.len().checked_sub(reach).map_or(0, |room| room / block + 1).min(blocks);
    let whole = whole - whole % EIGHT;
    let (to_whole, to_rest) = to[..blocks].split_at_mut(whole);
    for (index, to) in to_whole.as_chunks_mut::<EIGHT>().0.iter_mut().enumerate() {
        let start = index * EIGHT * block;
        prefetch::prefetch_eight(bytes, start, packed.width());
        for (block_index, to) in to.iter_mut().enumerate() {
            let at = start + block_index * block;
            let mut word = 0;
            for i in 0..vectors {
                // SAFETY: the last of a block's loads ends `reach` after its start, within the
                // bytes.
                let values = by.lanes(unsafe { load_whole(bytes, at + i * step) });
                word |= test(values) << (i * 64 / vectors);
            }
            // SAFETY: a reference can be written to. Without `volatile` the compiler gathers words
            // in a vector, as with AVX2.
            unsafe { std::ptr::from_mut(to).write_volatile(word ^ flip) };
        }
    }
    for (index, to) in to_rest.iter_mut().enumerate() {
        let at = (whole + index) * block;
        let word = (0..vectors)
            .fold(0, |word, i| word | test(by.lanes(load(bytes, at + i * step))) << (i * 64 / vectors));
        *to = word ^ flip;
    }
}
