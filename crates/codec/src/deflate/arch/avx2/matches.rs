//! Lengths and distances from their entries and windows.

use std::arch::x86_64::*;

use crate::deflate::batch::{CONSUMED, SYMBOL_SHIFT, Sequences, TOKENS};

pub(super) const ROOM: usize = TOKENS + 32;

pub(super) struct Numbers {
    pub(super) entries: [u32; ROOM],
    pub(super) windows: [u32; ROOM],
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) unsafe fn matches(list: *const u32, windows: *const u32, count: usize, to: &mut Sequences) {
    let table = |bytes: [i8; 16]| unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(bytes.as_ptr().cast())) };
    let len_extra = table([0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 0, 0]);
    let len_top = table([0, 2, 4, 6, 4, 6, 4, 6, 4, 6, 4, 6, 4, 6, -1, 0]);
    let distance_extra = table([0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 0]);
    let distance_top = table([0, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]);
    let set = |n: u32| _mm256_set1_epi32(n as i32);
    let value = |entry: __m256i, window: __m256i, extra: __m256i, top: __m256i, bias: u32| {
        let half = _mm256_and_si256(_mm256_srli_epi32::<{ SYMBOL_SHIFT as i32 + 1 }>(entry), set(15));
        let odd = _mm256_and_si256(_mm256_srli_epi32::<{ SYMBOL_SHIFT as i32 }>(entry), set(1));
        let extra = _mm256_shuffle_epi8(extra, half);
        let top = _mm256_add_epi32(_mm256_shuffle_epi8(top, half), odd);
        let consumed = _mm256_and_si256(entry, set(u32::from(CONSUMED)));
        let bits = _mm256_sllv_epi32(window, _mm256_sub_epi32(set(32), consumed));
        let bits = opaque(_mm256_srlv_epi32(bits, _mm256_sub_epi32(set(32), extra)));
        _mm256_add_epi32(_mm256_add_epi32(_mm256_sllv_epi32(top, extra), bits), set(bias))
    };
    let mut twice = _mm256_setr_epi32(0, 2, 8, 10, 4, 6, 12, 14);
    for first in (0..count).step_by(16) {
        unsafe {
            let load = |from: *const u32| {
                let a = _mm256_loadu_ps(from.add(first).cast());
                let b = _mm256_loadu_ps(from.add(first + 8).cast());
                [
                    _mm256_castps_si256(_mm256_shuffle_ps::<0x88>(a, b)),
                    _mm256_castps_si256(_mm256_shuffle_ps::<0xdd>(a, b)),
                ]
            };
            let [l, d] = load(list);
            let [lw, dw] = load(windows);
            let len = value(l, lw, len_extra, len_top, 3);
            let distance = value(d, dw, distance_extra, distance_top, 1);
            let both = _mm256_or_si256(len, _mm256_slli_epi32::<16>(distance));
            let both = _mm256_permute4x64_epi64::<0xd8>(both);
            _mm256_storeu_si256(to.matches.as_mut_ptr().add(first).cast(), both);
            let before = _mm256_sub_epi32(_mm256_srli_epi32::<16>(l), twice);
            twice = _mm256_add_epi32(twice, set(16));
            let before = _mm256_packus_epi32(before, before);
            let before = _mm256_permutevar8x32_epi32(before, _mm256_setr_epi32(0, 4, 1, 5, 0, 0, 0, 0));
            _mm_storeu_si128(to.before.as_mut_ptr().add(first / 2).cast(), _mm256_castsi256_si128(before));
        }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn opaque(mut n: __m256i) -> __m256i {
    // SAFETY: no instruction.
    unsafe { std::arch::asm!("/* {0} */", inout(ymm_reg) n, options(nomem, nostack, preserves_flags, pure)) };
    n
}
