//! Membership test in sets that fit in registers, by permutations.
//!
//! A value's upper bits are the number of a byte (or word) of the set, and its lower bits that of a
//! bit in it. A permutation ignores the high bits of an index. Where an index has excess bits that
//! are not ignored, the table repeats itself, so that nothing has to be masked off.

use std::arch::x86_64::*;

use super::scan::blocks;
use super::tables::Table;
use super::unpack::{Even, Unpack, load, mask};
use crate::bitmap::Bitmap;
use crate::packed::Packed;

/// Maximum bits of values with sets that fit: their set takes eight vectors.
const MOST_BITS: usize = 12;
/// Words of 64 bits of a set.
const SET_WORDS: usize = (1 << MOST_BITS) / 64;

/// A set in registers.
trait InSet: Copy {
    /// Bits of a lane.
    const LANE: usize;
    /// Returns a bit for each lane: whether its value is in the set.
    fn found(self, values: __m512i) -> u64;
    /// Returns the greater values, lane by lane.
    fn greater(one: __m512i, other: __m512i) -> __m512i;
    /// Returns the values in the mask `valid`, and zeros elsewhere.
    fn valid(valid: u64, values: __m512i) -> __m512i;
    /// Returns the greatest lane.
    fn greatest(of: __m512i) -> u32;
}

/// A set of values of up to 8 bits.
#[derive(Clone, Copy)]
struct Bytes {
    /// The set, twice.
    set: __m512i,
    /// The eight bits of a byte, again and again.
    bits: __m512i,
}

impl InSet for Bytes {
    const LANE: usize = 8;

    #[inline(always)]
    fn found(self, values: __m512i) -> u64 {
        // SAFETY: only functions with the features make one and call this.
        unsafe {
            // Bit 5 of the index is the next byte's; the set's second half is as its first.
            let byte = _mm512_permutexvar_epi8(_mm512_srli_epi16::<3>(values), self.set);
            _mm512_test_epi8_mask(byte, _mm512_permutexvar_epi8(values, self.bits))
        }
    }

    #[inline(always)]
    fn greater(one: __m512i, other: __m512i) -> __m512i {
        // SAFETY: as above.
        unsafe { _mm512_max_epu8(one, other) }
    }

    #[inline(always)]
    fn valid(valid: u64, values: __m512i) -> __m512i {
        // SAFETY: as above.
        unsafe { _mm512_maskz_mov_epi8(valid, values) }
    }

    fn greatest(of: __m512i) -> u32 {
        // SAFETY: both have 64 bytes.
        let bytes: [u8; 64] = unsafe { std::mem::transmute(of) };
        bytes.into_iter().max().unwrap_or(0).into()
    }
}

/// A set of values of 9 to 12 bits, in `PAIRS` pairs of vectors.
#[derive(Clone, Copy)]
struct Words<const PAIRS: usize> {
    set: [[__m512i; 2]; PAIRS],
    /// The sixteen bits of a word, twice.
    bits: __m512i,
}

impl<const PAIRS: usize> InSet for Words<PAIRS> {
    const LANE: usize = 16;

    #[inline(always)]
    fn found(self, values: __m512i) -> u64 {
        // SAFETY: only functions with the features make one and call this.
        unsafe {
            let index = _mm512_srli_epi16::<4>(values);
            let second = _mm512_test_epi16_mask(index, _mm512_set1_epi16(64));
            let third = _mm512_test_epi16_mask(index, _mm512_set1_epi16(128));
            let word = match self.set[..] {
                [first] => in_pair(first, index),
                [first, then] => either(second, in_pair(first, index), in_pair(then, index)),
                _ => {
                    let low = either(second, in_pair(self.set[0], index), in_pair(self.set[1], index));
                    let high = either(
                        second,
                        in_pair(self.set[PAIRS - 2], index),
                        in_pair(self.set[PAIRS - 1], index),
                    );
                    either(third, low, high)
                }
            };
            _mm512_test_epi16_mask(word, _mm512_permutexvar_epi16(values, self.bits)).into()
        }
    }

    #[inline(always)]
    fn greater(one: __m512i, other: __m512i) -> __m512i {
        // SAFETY: as above.
        unsafe { _mm512_max_epu16(one, other) }
    }

    #[inline(always)]
    fn valid(valid: u64, values: __m512i) -> __m512i {
        // SAFETY: as above.
        unsafe { _mm512_maskz_mov_epi16(valid as u32, values) }
    }

    fn greatest(of: __m512i) -> u32 {
        // SAFETY: both have 64 bytes.
        let words: [u16; 32] = unsafe { std::mem::transmute(of) };
        words.into_iter().max().unwrap_or(0).into()
    }
}

/// Returns the words of two vectors at the lower bits of `index`.
///
/// # Safety
/// The processor has AVX-512BW.
#[inline(always)]
unsafe fn in_pair([low, high]: [__m512i; 2], index: __m512i) -> __m512i {
    // SAFETY: the caller's.
    unsafe { _mm512_permutex2var_epi16(low, index, high) }
}

/// Returns the words of `then` in the mask `is_then`, and those of `first` elsewhere.
///
/// # Safety
/// The processor has AVX-512BW.
#[inline(always)]
unsafe fn either(is_then: u32, first: __m512i, then: __m512i) -> __m512i {
    // SAFETY: the caller's.
    unsafe { _mm512_mask_mov_epi16(first, is_then, then) }
}

/// Writes a word for each 64 values, and returns the greatest value; `None`: the set does not fit.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,bmi1,bmi2,popcnt")]
pub(super) fn look_up(packed: Packed<'_>, set: &Bitmap, to: &mut [u64]) -> Option<u32> {
    let width = packed.width() as usize;
    Some(match width {
        1..=8 => {
            // A part may have eight values: only the vectors that they use are loaded.
            let mut words = [0; 8];
            words[..4].iter_mut().zip(set.words()).for_each(|(to, word)| *to = *word);
            words.copy_within(..4, 4);
            // SAFETY: both have 64 bytes.
            let set = unsafe { _mm512_loadu_si512(words.as_ptr().cast()) };
            look_up_in(Bytes { set, bits: _mm512_set1_epi64(i64::from_le_bytes(BITS)) }, packed, to)
        }
        9..=MOST_BITS => {
            let mut words = [0; SET_WORDS];
            words.iter_mut().zip(set.words()).for_each(|(to, word)| *to = *word);
            // SAFETY: eight words of 64 bits are a vector.
            let vector = |at: usize| unsafe { _mm512_loadu_si512(words[at * 8..at * 8 + 8].as_ptr().cast()) };
            let bits: [u16; 32] = std::array::from_fn(|i| 1 << (i % 16));
            // SAFETY: both have 64 bytes.
            let bits = unsafe { _mm512_loadu_si512(bits.as_ptr().cast()) };
            let pair = |at: usize| [vector(2 * at), vector(2 * at + 1)];
            match width {
                ..=10 => look_up_in(Words { set: [pair(0)], bits }, packed, to),
                11 => look_up_in(Words { set: [pair(0), pair(1)], bits }, packed, to),
                _ => look_up_in(Words { set: [pair(0), pair(1), pair(2), pair(3)], bits }, packed, to),
            }
        }
        _ => return None,
    })
}

/// Each bit of a byte.
const BITS: [u8; 8] = [1, 2, 4, 8, 16, 32, 64, 128];

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,bmi1,bmi2,popcnt")]
#[inline]
fn look_up_in<S: InSet>(set: S, packed: Packed<'_>, to: &mut [u64]) -> u32 {
    let lanes = match S::LANE {
        8 => _mm512_set1_epi8(mask(packed.width()) as i8),
        _ => _mm512_set1_epi16(mask(packed.width()) as i16),
    };
    let by = Even::new(Table::narrow(&packed), lanes);
    let mut greatest = _mm512_setzero_si512();
    let whole = packed.len() / 64;
    let found = |values: __m512i| {
        greatest = S::greater(greatest, values);
        set.found(values)
    };
    let (to_whole, to_rest) = to.split_at_mut(whole);
    match S::LANE {
        8 => blocks::<8, _>(by, packed.first(whole * 64), 0, to_whole, found),
        _ => blocks::<16, _>(by, packed.first(whole * 64), 0, to_whole, found),
    }
    // Lanes after the last value do not count.
    let (rest, vectors) = (packed.len() % 64, S::LANE / 8);
    if let Some(to) = to_rest.first_mut().filter(|_| rest > 0) {
        let block = 8 * packed.width() as usize;
        *to = 0;
        for i in 0..vectors {
            let bytes = load(packed.bytes(), whole * block + i * block / vectors);
            let first = i * 64 / vectors;
            let values = S::valid(!(u64::MAX << rest) >> first, by.lanes(bytes));
            greatest = S::greater(greatest, values);
            *to |= set.found(values) << first;
        }
    }
    S::greatest(greatest)
}
