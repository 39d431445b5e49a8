//! Sorts a code's symbols by their codewords.

use std::arch::x86_64::*;

use crate::deflate::inflate::batch::entry::{Counts, MAX_LEN, SYMBOLS, Sorted};

/// Parts of the symbols that are counted and placed in turn: neighbours often have the same length,
/// and each waits for the store of the one before to the same counter.
const PARTS: usize = 4;

/// Counts the lengths, then puts each symbol among those of its length. Those of length 0 come
/// last, beyond the used part.
pub(crate) fn sort_avx2(lengths: &[u8], of: &[u16], to: &mut Sorted) -> Counts {
    let count = lengths.len();
    assert!(count == of.len() && count.is_multiple_of(PARTS) && count <= SYMBOLS);
    let part = count / PARTS;
    let lengths: [&[u8]; PARTS] = std::array::from_fn(|p| &lengths[p * part..][..part]);
    let of: [&[u16]; PARTS] = std::array::from_fn(|p| &of[p * part..][..part]);
    let mut places = [[0_u16; MAX_LEN + 1]; PARTS];
    for i in 0..part {
        for p in 0..PARTS {
            places[p][usize::from(lengths[p][i]) % (MAX_LEN + 1)] += 1;
        }
    }
    let (mut counts, mut done) = ([0; MAX_LEN + 1], 0);
    for len in (1..=MAX_LEN).chain([0]) {
        let start = done;
        for places in &mut places {
            let count = places[len];
            places[len] = done;
            done += count;
        }
        counts[len] = done - start;
    }
    counts[0] = 0;
    for i in 0..part {
        for p in 0..PARTS {
            let place = &mut places[p][usize::from(lengths[p][i]) % (MAX_LEN + 1)];
            to[usize::from(*place)] = of[p][i];
            *place += 1;
        }
    }
    counts
}

/// Symbols in a vector.
const WIDTH: usize = 32;

/// # Safety
/// The processor has the features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi2,popcnt")]
pub(crate) unsafe fn sort_avx512(lengths: &[u8], of: &[u16], to: &mut Sorted) -> Counts {
    let count = lengths.len();
    assert!(count == of.len() && count.is_multiple_of(WIDTH) && count <= SYMBOLS);
    let mut counts = [0; MAX_LEN + 1];
    let mut done = 0;
    for (len, sum) in counts.iter_mut().enumerate().skip(1) {
        let wanted = _mm256_set1_epi8(len as i8);
        let start = done;
        for first in (0..count).step_by(WIDTH) {
            // SAFETY: WIDTH elements from `first` on are within both. Every symbol is written once,
            // so at most SYMBOLS are before `done`, and WIDTH more have room.
            unsafe {
                let lengths = _mm256_loadu_si256(lengths.as_ptr().add(first).cast());
                let found = _mm256_cmpeq_epi8_mask(lengths, wanted);
                let of = _mm512_loadu_si512(of.as_ptr().add(first).cast());
                let of = _mm512_maskz_compress_epi16(found, of);
                _mm512_storeu_si512(to.as_mut_ptr().add(done).cast(), of);
                done += found.count_ones() as usize;
            }
        }
        *sum = (done - start) as u16;
    }
    counts
}
