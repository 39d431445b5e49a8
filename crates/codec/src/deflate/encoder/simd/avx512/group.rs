//! A group of positions: their hashes, and their places in buckets.

use std::arch::x86_64::*;
use std::ops::Range;

use crate::deflate::encoder::match_finder::buckets::{SPREAD, SPREAD_HIGH};
use crate::deflate::encoder::match_finder::{GROUP, MatchFinder};
use crate::deflate::encoder::simd::buckets::push;

/// Where the bytes that are hashed lie, for each position of a group.
const WINDOWS: [u8; 4 * GROUP] = {
    let mut places = [0; 4 * GROUP];
    let mut i = 0;
    while i < places.len() {
        places[i] = (i / 4 + i % 4) as u8;
        i += 1;
    }
    places
};

/// Where the bytes that are hashed lie, in a register.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn windows() -> __m512i {
    // SAFETY: there are 64 bytes.
    unsafe { _mm512_loadu_si512(WINDOWS.as_ptr().cast()) }
}

/// The buckets of a group's positions.
///
/// # Safety
/// The processor has the features, and 32 bytes may be read.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vpopcntdq,bmi1,bmi2,lzcnt")]
pub(crate) unsafe fn hashes<const LONG: usize, const SKIP: usize>(
    here: *const u8,
    shift: __m128i,
) -> [[u16; GROUP]; 2] {
    let mut hashes = [[0_u16; GROUP]; 2];
    let hash = |spread| _mm512_cvtepi32_epi16(_mm512_srl_epi32(spread, shift));
    // SAFETY: see above; the arrays have 64 and 32 bytes.
    unsafe {
        let windows = _mm512_add_epi8(windows(), _mm512_set1_epi8(SKIP as i8));
        let bytes = _mm512_broadcast_i64x4(_mm256_loadu_si256(here.cast()));
        let four = _mm512_permutexvar_epi8(windows, bytes);
        let low = _mm512_mullo_epi32(four, _mm512_set1_epi32(SPREAD as i32));
        _mm256_storeu_si256(hashes[0].as_mut_ptr().cast(), hash(low));
        if LONG > 0 {
            let high = _mm512_permutexvar_epi8(_mm512_add_epi8(windows, _mm512_set1_epi8(4)), bytes);
            let high = _mm512_mullo_epi32(high, _mm512_set1_epi32(SPREAD_HIGH as i32));
            let spread = _mm512_add_epi32(low, high);
            _mm256_storeu_si256(hashes[1].as_mut_ptr().cast(), hash(spread));
        }
    }
    hashes
}

/// As `MatchFinder::insert_range` for positions that are not searched.
///
/// # Safety
/// The processor has the features; 32 bytes follow each position, and the match_finder has the ways and room for them.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vpopcntdq,bmi1,bmi2,lzcnt")]
pub(crate) unsafe fn insert_range<const SHORT: usize, const LONG: usize, const SKIP: usize>(
    match_finder: &mut MatchFinder,
    buffer: &[u8],
    range: Range<usize>,
    shift: __m128i,
) {
    let base = match_finder.base;
    for group in range.clone().step_by(GROUP) {
        // SAFETY: see above. A hash has as many bits as there are buckets.
        unsafe {
            let hashes = hashes::<LONG, SKIP>(buffer.as_ptr().add(group), shift);
            for (i, at) in (group..range.end.min(group + GROUP)).enumerate() {
                let position = (at - base) as u16;
                push::<SHORT>(
                    match_finder.short.positions.as_mut_ptr().add(usize::from(hashes[0][i]) * SHORT),
                    position,
                );
                if LONG > 0 {
                    push::<LONG>(
                        match_finder.long.positions.as_mut_ptr().add(usize::from(hashes[1][i]) * LONG),
                        position,
                    );
                }
            }
        }
    }
}
