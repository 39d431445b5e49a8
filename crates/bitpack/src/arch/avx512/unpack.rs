//! Unpacking of sixteen values at a time, and the operations on vectors that all steps share.

use std::arch::x86_64::*;

use super::tables::{ODD, OddTable, Table};
use crate::packed::Packed;
use crate::steps;

/// Puts values into lanes.
pub(super) trait Unpack: Copy {
    /// Returns the values that start with the first byte.
    fn lanes(self, bytes: __m512i) -> __m512i;
}

/// Values of any width but [`ODD`].
#[derive(Clone, Copy)]
pub(super) struct Even {
    gather: __m512i,
    shifts: __m512i,
    mask: __m512i,
}

impl Even {
    /// Returns the unpacking by a table, for lanes with the mask `mask`.
    #[target_feature(enable = "avx512f")]
    pub fn new(table: &Table, mask: __m512i) -> Self {
        // SAFETY: both have 64 bytes.
        let [gather, shifts] =
            [&table.gather, &table.shifts].map(|of| unsafe { _mm512_loadu_si512(of.as_ptr().cast()) });
        Even { gather, shifts, mask }
    }
}

impl Unpack for Even {
    #[inline(always)]
    fn lanes(self, bytes: __m512i) -> __m512i {
        // SAFETY: only functions with the features make one and call this.
        unsafe {
            let gathered = _mm512_permutexvar_epi8(self.gather, bytes);
            _mm512_and_si512(_mm512_multishift_epi64_epi8(self.shifts, gathered), self.mask)
        }
    }
}

/// Values of [`ODD`] bits.
#[derive(Clone, Copy)]
pub(super) struct Odd {
    gather: __m512i,
    fifth: __m512i,
    down: __m512i,
    up: __m512i,
    mask: __m512i,
}

impl Odd {
    #[target_feature(enable = "avx512f")]
    pub fn new(table: &OddTable) -> Self {
        // SAFETY: each has 64 bytes.
        let [gather, fifth, down] =
            [table.gather.as_ptr(), table.fifth.as_ptr(), table.shifts.as_ptr().cast()]
                .map(|of| unsafe { _mm512_loadu_si512(of.cast()) });
        let up = _mm512_sub_epi32(_mm512_set1_epi32(32), down);
        Odd { gather, fifth, down, up, mask: _mm512_set1_epi32(mask(ODD)) }
    }
}

impl Unpack for Odd {
    #[inline(always)]
    fn lanes(self, bytes: __m512i) -> __m512i {
        // SAFETY: only functions with the features make one and call this.
        unsafe {
            let low = _mm512_srlv_epi32(_mm512_permutexvar_epi8(self.gather, bytes), self.down);
            // A shift by 32, where a value starts with its byte, leaves nothing.
            let high = _mm512_sllv_epi32(_mm512_permutexvar_epi8(self.fifth, bytes), self.up);
            // (low | high) & mask.
            _mm512_ternarylogic_epi32::<0xa8>(low, high, self.mask)
        }
    }
}

/// Returns all bits of a value.
pub(super) fn mask(width: u32) -> i32 {
    ((1u64 << width) - 1) as u32 as i32
}

/// Loads 64 bytes from `at` on; those beyond the end are 0.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
pub(super) fn load(bytes: &[u8], at: usize) -> __m512i {
    let left = bytes.len().saturating_sub(at);
    let mask = if left < 64 { !(u64::MAX << left) } else { u64::MAX };
    // SAFETY: bytes outside the mask are not read.
    unsafe { _mm512_maskz_loadu_epi8(mask, bytes.as_ptr().wrapping_add(at).cast()) }
}

/// Loads 64 bytes from `at` on.
///
/// # Safety
/// The bytes exist.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) unsafe fn load_whole(bytes: &[u8], at: usize) -> __m512i {
    debug_assert!(at + 64 <= bytes.len());
    // SAFETY: the caller's.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().add(at).cast()) }
}

/// Appends all values.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,bmi1,bmi2,popcnt")]
pub(super) fn unpack(packed: Packed<'_>, to: &mut Vec<u32>) {
    if packed.width() == ODD {
        unpack_by(Odd::new(OddTable::of(&packed)), packed, to);
    } else {
        unpack_by(Even::new(Table::wide(&packed), _mm512_set1_epi32(mask(packed.width()))), packed, to);
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,bmi1,bmi2,popcnt")]
#[inline]
fn unpack_by<U: Unpack>(by: U, packed: Packed<'_>, to: &mut Vec<u32>) {
    let (bytes, len, step) = (packed.bytes(), packed.len(), 2 * packed.width() as usize);
    to.reserve(len);
    let out = to.as_mut_ptr().wrapping_add(to.len());
    let (mut done, mut at) = (0, 0);
    while done + 16 <= len && at + 64 <= bytes.len() {
        // SAFETY: both have just been checked; there is room for `len` values.
        unsafe { _mm512_storeu_si512(out.add(done).cast(), by.lanes(load_whole(bytes, at))) };
        done += 16;
        at += step;
    }
    while done < len {
        let mask = if len - done < 16 { !(u16::MAX << (len - done)) } else { u16::MAX };
        // SAFETY: the mask excludes values without room.
        unsafe { _mm512_mask_storeu_epi32(out.add(done).cast(), mask, by.lanes(load(bytes, at))) };
        done += 16;
        at += step;
    }
    // SAFETY: this number of values was written after the existing ones.
    unsafe { to.set_len(to.len() + len) };
}

/// Returns the greatest of some values; 0 if there are none.
#[target_feature(enable = "avx512f")]
pub(super) fn greatest(values: &[u32]) -> u32 {
    steps::greatest(values)
}
