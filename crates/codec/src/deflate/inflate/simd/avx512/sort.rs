//! Puts a code's symbols in the order of their words.

use std::arch::x86_64::*;

use crate::deflate::inflate::batch::entry::{Counts, MAX_LEN, SYMBOLS, Sorted};

/// Symbols in a vector.
const WIDTH: usize = 32;

/// # Safety
/// The processor has the features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi2,popcnt")]
pub(crate) unsafe fn sort(lens: &[u8], of: &[u16], to: &mut Sorted) -> Counts {
    let count = lens.len();
    assert!(count == of.len() && count.is_multiple_of(WIDTH) && count <= SYMBOLS);
    let mut counts = [0; MAX_LEN + 1];
    let mut done = 0;
    for (len, sum) in counts.iter_mut().enumerate().skip(1) {
        let wanted = _mm256_set1_epi8(len as i8);
        let start = done;
        for first in (0..count).step_by(WIDTH) {
            // SAFETY: WIDTH elements from `first` on are within both. Every symbol is written once, so at most
            // SYMBOLS are before `done`, and WIDTH more have room.
            unsafe {
                let lens = _mm256_loadu_si256(lens.as_ptr().add(first).cast());
                let found = _mm256_cmpeq_epi8_mask(lens, wanted);
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
