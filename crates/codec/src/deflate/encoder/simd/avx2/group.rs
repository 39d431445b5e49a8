//! A group of positions: their hashes, and their places in buckets.

use std::arch::x86_64::*;
use std::ops::Range;

use super::{WIDTH, set};
use crate::deflate::encoder::match_finder::buckets::{HASHED_LONG, SPREAD, SPREAD_HIGH};
use crate::deflate::encoder::match_finder::{COMPARED, GROUP, MatchFinder};
use crate::deflate::encoder::simd::buckets::push;

/// Bytes that are loaded for half a group.
const LOADED: usize = 16;

/// Those are enough for its hashes, and of the other half are in what may be read, with one that is skipped before them.
const _: () = assert!(WIDTH - 1 + HASHED_LONG <= LOADED && WIDTH + 1 + LOADED <= COMPARED);

/// Where the four bytes lie that each of eight positions begins with, in the halves of a vector.
pub(crate) const WINDOWS: [u8; 4 * WIDTH] = {
    let mut places = [0; 4 * WIDTH];
    let mut i = 0;
    while i < places.len() {
        places[i] = (i / 4 + i % 4) as u8;
        i += 1;
    }
    places
};

/// The hashes of half a group, before all but their high bits are shifted out.
///
/// # Safety
/// The processor has the features, and `LOADED` bytes may be read.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn spread<const LONG: usize>(from: *const u8) -> [__m256i; 2] {
    // SAFETY: see above; there are 32 places.
    let (windows, bytes) = unsafe {
        let windows = _mm256_loadu_si256(WINDOWS.as_ptr().cast());
        (windows, _mm256_broadcastsi128_si256(_mm_loadu_si128(from.cast())))
    };
    let low = _mm256_mullo_epi32(_mm256_shuffle_epi8(bytes, windows), set(SPREAD as i32));
    if LONG == 0 {
        return [low, low];
    }
    let after = _mm256_shuffle_epi8(bytes, _mm256_add_epi8(windows, _mm256_set1_epi8(4)));
    let high = _mm256_mullo_epi32(after, set(SPREAD_HIGH as i32));
    [low, _mm256_add_epi32(low, high)]
}

/// The buckets of a group's positions.
///
/// # Safety
/// The processor has the features, and 32 bytes may be read.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(crate) unsafe fn hashes<const LONG: usize, const SKIP: usize>(
    here: *const u8,
    shift: __m128i,
) -> [[u16; GROUP]; 2] {
    let mut hashes = [[0_u16; GROUP]; 2];
    // SAFETY: see above, and where `LOADED` is; the arrays have 32 bytes each.
    unsafe {
        let low = spread::<LONG>(here.add(SKIP));
        let high = spread::<LONG>(here.add(SKIP + WIDTH));
        for kind in 0..if LONG == 0 { 1 } else { 2 } {
            let (low, high) = (_mm256_srl_epi32(low[kind], shift), _mm256_srl_epi32(high[kind], shift));
            // Packed by halves of vectors, and put in order.
            let packed = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi32(low, high));
            _mm256_storeu_si256(hashes[kind].as_mut_ptr().cast(), packed);
        }
    }
    hashes
}

/// As `MatchFinder::insert_range` for positions that are not searched.
///
/// # Safety
/// The processor has the features; 32 bytes follow each position, and the match_finder has the ways and room for them.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(crate) unsafe fn insert_range<const SHORT: usize, const LONG: usize, const SKIP: usize>(
    match_finder: &mut MatchFinder,
    buffer: &[u8],
    range: Range<usize>,
    shift: __m128i,
) {
    let base = match_finder.base;
    let (short, long) = (match_finder.short.positions.as_mut_ptr(), match_finder.long.positions.as_mut_ptr());
    for group in range.clone().step_by(GROUP) {
        // SAFETY: see above. A hash has as many bits as there are buckets.
        unsafe {
            let hashes = hashes::<LONG, SKIP>(buffer.as_ptr().add(group), shift);
            for (i, at) in (group..range.end.min(group + GROUP)).enumerate() {
                let position = (at - base) as u16;
                push::<SHORT>(short.add(usize::from(hashes[0][i]) * SHORT), position);
                if LONG > 0 {
                    push::<LONG>(long.add(usize::from(hashes[1][i]) * LONG), position);
                }
            }
        }
    }
}
