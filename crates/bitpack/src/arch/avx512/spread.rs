//! Selection and expansion, sixteen values at a time.

use std::arch::x86_64::*;

use super::tables::{ODD, OddTable, Table};
use super::unpack::{Even, Odd, Unpack, load, mask};
use crate::bitmap::Bitmap;
use crate::packed::Packed;
use crate::portable::{FEW, ones};

/// Appends the values that the set bits select.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,bmi1,bmi2,popcnt")]
pub(super) fn select(packed: Packed<'_>, marks: &Bitmap, at: usize, to: &mut Vec<u32>) {
    if packed.width() == ODD {
        select_by(Odd::new(OddTable::of(&packed)), packed, marks, at, to);
    } else {
        let by = Even::new(Table::wide(&packed), _mm512_set1_epi32(mask(packed.width())));
        select_by(by, packed, marks, at, to);
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,bmi1,bmi2,popcnt")]
#[inline]
fn select_by<U: Unpack>(by: U, packed: Packed<'_>, marks: &Bitmap, at: usize, to: &mut Vec<u32>) {
    let (bytes, step) = (packed.bytes(), 2 * packed.width() as usize);
    // A vector is stored whole, and the next one overwrites its excess elements.
    to.reserve(marks.count_ones_in(at, packed.len()) + 16);
    let mut out = to.as_mut_ptr().wrapping_add(to.len());
    let mut count = 0;
    for start in (0..packed.len()).step_by(64) {
        let word = marks.word_of(at + start, packed.len() - start);
        if word.count_ones() <= FEW {
            for i in ones(word) {
                // SAFETY: there is room for a value for each bit that is set.
                unsafe { *out = packed.value(start + i) };
                out = out.wrapping_add(1);
                count += 1;
            }
            continue;
        }
        for i in 0..4 {
            let marks = (word >> (16 * i)) as u16;
            let values = by.lanes(load(bytes, (start / 16 + i) * step));
            // SAFETY: as above, and for a vector more. Compressed in a register: with a memory
            // operand the instruction is slow on Zen 4.
            unsafe { _mm512_storeu_si512(out.cast(), _mm512_maskz_compress_epi32(marks, values)) };
            out = out.wrapping_add(marks.count_ones() as usize);
            count += marks.count_ones() as usize;
        }
    }
    // SAFETY: this number of values was written after the existing ones.
    unsafe { to.set_len(to.len() + count) };
}

/// As `Steps::expand`.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,bmi1,bmi2,popcnt")]
pub(super) fn expand(values: &[u32], marks: &Bitmap, at: usize, to: &mut Vec<u32>) -> (usize, usize) {
    let room = marks.len().saturating_sub(at);
    to.reserve(room);
    let out = to.as_mut_ptr().wrapping_add(to.len());
    let (mut done, mut used) = (0, 0);
    while done < room {
        let word = marks.word_at(at + done);
        if word.count_ones() as usize > values.len() - used {
            break;
        }
        for i in (0..room - done).step_by(16).take(4) {
            let marks = (word >> i) as u16;
            let (ready, left) = (values.len() - used, room - done - i);
            let there = if ready < 16 { !(u16::MAX << ready) } else { u16::MAX };
            let fits = if left < 16 { !(u16::MAX << left) } else { u16::MAX };
            // SAFETY: the masks exclude missing values, and those without room.
            unsafe {
                let next = _mm512_maskz_loadu_epi32(there, values.as_ptr().add(used).cast());
                let spread = _mm512_maskz_expand_epi32(marks, next);
                _mm512_mask_storeu_epi32(out.add(done + i).cast(), fits, spread);
            }
            used += marks.count_ones() as usize;
        }
        done += 64;
    }
    // SAFETY: this number of values was written after the existing ones.
    unsafe { to.set_len(to.len() + done.min(room)) };
    (at + done, used)
}
