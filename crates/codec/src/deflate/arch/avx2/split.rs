//! Sorts tokens by kind, 32 at a time: literals into their list, lengths and distances into one that
//! `matches.rs` then reads.

use std::arch::x86_64::*;
use std::mem::MaybeUninit;

use super::compress::{PLACES, WIDTH};
use super::matches::{Numbers, matches};
use crate::deflate::batch::{CONSUMED, SYMBOL_SHIFT, Sequences, TOKENS, Tokens};

/// Tokens in a vector of bytes.
const BYTES: usize = 32;

/// # Safety
/// The processor has the features.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(in super::super) unsafe fn split(tokens: &Tokens, at_distance: bool, to: &mut Sequences) {
    let pending = to.number_count;
    assert!(to.literal_count == 0 && pending <= 1, "a chunk starts with empty lists");
    let mut numbers = MaybeUninit::<Numbers>::uninit();
    let (list, windows) = unsafe {
        let numbers = numbers.as_mut_ptr();
        ((&raw mut (*numbers).entries).cast::<u32>(), (&raw mut (*numbers).windows).cast::<u32>())
    };
    // In the place of a pending length, which its value is written over in the end.
    unsafe {
        list.write(0);
        windows.write(0);
    }
    let (mut literals, mut count, mut symbols) = (0, pending, pending);
    let mut carry = u32::from(at_distance);
    for first in (0..TOKENS).step_by(BYTES) {
        let (e0, e1) = unsafe {
            let from = tokens.entries.as_ptr().add(first).cast::<__m128i>();
            (
                _mm256_loadu2_m128i(from.add(2), from),
                _mm256_loadu2_m128i(from.add(3), from.add(1)),
            )
        };
        let high = _mm256_packus_epi16(_mm256_srli_epi16::<8>(e0), _mm256_srli_epi16::<8>(e1));
        let five = |e| _mm256_and_si256(_mm256_srli_epi16::<{ SYMBOL_SHIFT as i32 }>(e), _mm256_set1_epi16(0x1f));
        let low = _mm256_packus_epi16(five(e0), five(e1));
        let literal = _mm256_or_si256(low, _mm256_and_si256(high, _mm256_set1_epi8(0xe0_u8 as i8)));

        let to_distance = _mm256_movemask_epi8(_mm256_slli_epi16::<4>(high)) as u32;
        let links = _mm256_movemask_epi8(_mm256_slli_epi16::<3>(high)) as u32;
        let (to_distance, links) = (opaque(to_distance), opaque(links));
        let at_distance = to_distance << 1 | carry;
        carry = to_distance >> 31;
        let mut is_literal = !(at_distance | to_distance | links);
        let mut is_number = to_distance & !links & !at_distance | at_distance & !to_distance;
        let last = tokens.entries[first + BYTES - 1] & CONSUMED == 0;
        if last {
            let mut valid = 0_u32;
            for (i, entry) in tokens.entries[first..first + BYTES].iter().enumerate() {
                valid |= u32::from(entry & CONSUMED != 0) << i;
            }
            is_literal &= valid;
            is_number &= valid;
        }

        // Symbols before each.
        let link = _mm256_and_si256(_mm256_srli_epi16::<4>(high), _mm256_set1_epi8(1));
        let sum = _mm256_add_epi8(link, _mm256_slli_si256::<1>(link));
        let sum = _mm256_add_epi8(sum, _mm256_slli_si256::<2>(sum));
        let sum = _mm256_add_epi8(sum, _mm256_slli_si256::<4>(sum));
        let sum = _mm256_add_epi8(sum, _mm256_slli_si256::<8>(sum));
        let below = _mm256_shuffle_epi8(_mm256_permute2x128_si256::<0x08>(sum, sum), _mm256_set1_epi8(15));
        let iota = _mm256_setr_epi8(
            0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28,
            29, 30, 31,
        );
        let place = _mm256_sub_epi8(_mm256_sub_epi8(iota, sum), below);
        let base = _mm256_set1_epi16(symbols as i16);
        let p0 = _mm256_add_epi16(_mm256_unpacklo_epi8(place, _mm256_setzero_si256()), base);
        let p1 = _mm256_add_epi16(_mm256_unpackhi_epi8(place, _mm256_setzero_si256()), base);
        let (a, b) = (_mm256_unpacklo_epi16(e0, p0), _mm256_unpackhi_epi16(e0, p0));
        let (c, d) = (_mm256_unpacklo_epi16(e1, p1), _mm256_unpackhi_epi16(e1, p1));
        let entries = [
            _mm256_permute2x128_si256::<0x20>(a, b),
            _mm256_permute2x128_si256::<0x20>(c, d),
            _mm256_permute2x128_si256::<0x31>(a, b),
            _mm256_permute2x128_si256::<0x31>(c, d),
        ];
        let [l0, l1] = [_mm256_castsi256_si128(literal), _mm256_extracti128_si256::<1>(literal)];
        let bytes = [l0, _mm_srli_si128::<8>(l0), l1, _mm_srli_si128::<8>(l1)];
        for i in 0..4 {
            unsafe {
                let mask = (is_number >> (8 * i)) as u8;
                let places = _mm256_cvtepu8_epi32(_mm_loadl_epi64(PLACES.of(mask).cast()));
                _mm256_storeu_si256(list.add(count).cast(), _mm256_permutevar8x32_epi32(entries[i], places));
                let window = _mm256_loadu_si256(tokens.windows.as_ptr().add(first + WIDTH * i).cast());
                _mm256_storeu_si256(windows.add(count).cast(), _mm256_permutevar8x32_epi32(window, places));
                count += mask.count_ones() as usize;

                let mask = (is_literal >> (8 * i)) as u8;
                let places = _mm_loadu_si128(PLACES.of(mask).cast());
                _mm_storel_epi64(to.literals.as_mut_ptr().add(literals).cast(), _mm_shuffle_epi8(bytes[i], places));
                literals += mask.count_ones() as usize;
            }
        }
        symbols += links.count_zeros() as usize;
        if last {
            break;
        }
    }
    unsafe {
        // So that whole vectors can be read.
        let zero = _mm256_setzero_si256();
        for i in 0..2 {
            _mm256_storeu_si256(list.add(count + 8 * i).cast(), zero);
            _mm256_storeu_si256(windows.add(count + 8 * i).cast(), zero);
        }
        let pending_len = to.matches[0];
        matches(list, windows, count, to);
        if pending == 1 {
            to.matches[0] = pending_len;
        }
    }
    (to.literal_count, to.number_count) = (literals, count);
}

#[inline(always)]
fn opaque(mut n: u32) -> u32 {
    // SAFETY: no instruction.
    unsafe { std::arch::asm!("/* {0:e} */", inout(reg) n, options(nomem, nostack, preserves_flags, pure)) };
    n
}
