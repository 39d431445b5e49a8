//! Selection and expansion, eight values at a time, by tables of places.

use std::arch::x86_64::*;

use super::tables::Large;
use super::unpack::{HALF, Padded, Unpack, load, padded};
use crate::bitmap::Bitmap;
use crate::packed::Packed;
use crate::portable::{FEW, ones};

/// By eight bits: the places of the set ones, and then any.
static CHOSEN: [[u32; 8]; 256] = tables().0;
/// By eight bits: the number of set ones below each.
static BELOW: [[u32; 8]; 256] = tables().1;

const fn tables() -> ([[u32; 8]; 256], [[u32; 8]; 256]) {
    let (mut chosen, mut below) = ([[0; 8]; 256], [[0; 8]; 256]);
    let mut bits = 0;
    while bits < 256 {
        let (mut place, mut count) = (0, 0);
        while place < 8 {
            below[bits][place] = count as u32;
            if bits >> place & 1 == 1 {
                chosen[bits][count] = place as u32;
                count += 1;
            }
            place += 1;
        }
        bits += 1;
    }
    (chosen, below)
}

/// Appends the values that the set bits select.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(super) fn select(packed: Packed<'_>, marks: &Bitmap, at: usize, to: &mut Vec<u32>) {
    if Large::is_in_four(packed.width()) {
        select_by(Unpack::<false>::new(&packed), packed, marks, at, to);
    } else {
        select_by(Unpack::<true>::new(&packed), packed, marks, at, to);
    }
}

#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
fn select_by<const FIFTH: bool>(
    by: Unpack<FIFTH>,
    packed: Packed<'_>,
    marks: &Bitmap,
    at: usize,
    to: &mut Vec<u32>,
) {
    let (bytes, step) = (packed.bytes(), packed.width() as usize);
    // A vector is stored whole, and the next one overwrites its excess elements.
    to.reserve(marks.count_ones_in(at, packed.len()) + 8);
    let mut out = to.as_mut_ptr().wrapping_add(to.len());
    let mut count = 0;
    let mut copy = Padded::new();
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
        let bytes = padded(bytes, start / 8 * step, 8 * step + HALF, &mut copy);
        for (i, marks) in word.to_le_bytes().into_iter().enumerate() {
            // SAFETY: there are the bytes of 64 values and `HALF`; an entry has 32 bytes; there is
            // room for a value for each bit that is set, and eight more.
            unsafe {
                let chosen = load(&CHOSEN[usize::from(marks)]);
                let values = _mm256_permutevar8x32_epi32(by.lanes(bytes, i * step), chosen);
                _mm256_storeu_si256(out.cast(), values);
            }
            out = out.wrapping_add(marks.count_ones() as usize);
            count += marks.count_ones() as usize;
        }
    }
    // SAFETY: this number of values was written after the existing ones.
    unsafe { to.set_len(to.len() + count) };
}

/// As `Steps::expand`.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(super) fn expand(values: &[u32], marks: &Bitmap, at: usize, to: &mut Vec<u32>) -> (usize, usize) {
    let room = marks.len().saturating_sub(at);
    // Vectors are stored whole.
    to.reserve(room + 8);
    let out = to.as_mut_ptr().wrapping_add(to.len());
    let bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    let (mut done, mut used) = (0, 0);
    while done < room {
        let word = marks.word_at(at + done);
        let needed = word.count_ones() as usize;
        let ready = &values[used..];
        if needed > ready.len() {
            break;
        }
        // Eight more are read than are needed.
        let mut copy = [0; 64 + 8];
        let mut ready = if ready.len() >= needed + 8 {
            ready
        } else {
            copy[..needed].copy_from_slice(&ready[..needed]);
            &copy
        };
        for i in (0..room - done).step_by(8).take(8) {
            let marks = (word >> i) as u8;
            let set = _mm256_and_si256(_mm256_set1_epi32(marks.into()), bits);
            // SAFETY: eight values are ready beyond those needed, an entry has 32 bytes, and there
            // is room for eight more values than are appended.
            unsafe {
                let next = _mm256_loadu_si256(ready.as_ptr().cast());
                let spread = _mm256_permutevar8x32_epi32(next, load(&BELOW[usize::from(marks)]));
                let spread = _mm256_and_si256(spread, _mm256_cmpeq_epi32(set, bits));
                _mm256_storeu_si256(out.add(done + i).cast(), spread);
            }
            ready = &ready[marks.count_ones() as usize..];
        }
        used += needed;
        done += 64;
    }
    // SAFETY: this number of values was written after the existing ones.
    unsafe { to.set_len(to.len() + done.min(room)) };
    (at + done, used)
}
