//! Shortest paths of the near-optimal parser through four segments at once: the costs to the next
//! sixteen positions are two vectors, to which every position adds its edges. The vectors of one
//! segment wait for themselves, so segments take turns.
//!
//! This is apart from AVX-512's: moving two vectors on by an element takes several instructions, so
//! the path's cost stays in a vector, and long edges are taken without a branch.

use super::{Avx2, WIDTH};
use crate::deflate::encoder::parser::near_optimal::{
    Costs, LEN_BITS, NEAR, NEVER, Paths, SEGMENTS, segments,
};
use crate::deflate::encoder::simd::parsers::each_position;
use crate::deflate::encoder::symbols::{Match, len_of};
use crate::deflate::inflate::simd::barrier::barrier;
use std::arch::x86_64::*;

const _: () = assert!(NEAR == 2 * WIDTH);

/// As `near_optimal::search` for all segments of a chunk.
///
/// # Safety
/// The processor has the features.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(crate) unsafe fn search(
    _: Avx2,
    uncompressed: &[u8],
    matches: &[Match],
    costs: &Costs,
    paths: &mut Paths,
) {
    let len = uncompressed.len();
    assert!(matches.len() == len && paths.at.len() == len + SEGMENTS && paths.distances.len() == len);
    assert!(paths.far.len() >= len + 2 * NEAR);
    let of = segments(len);
    for (number, segment) in of.iter().enumerate() {
        paths.at[segment.start + number] = 0;
    }
    let mut state = [[_mm256_set1_epi32(NEVER as i32); 2]; SEGMENTS];
    // Cost of the cheapest path so far in each segment.
    let mut costs_so_far = [_mm256_setzero_si256(); SEGMENTS];
    let without_len = _mm256_set1_epi32(-1 << LEN_BITS);
    // SAFETY: positions are in segments, so below the length of the chunk; `far` is longer by more
    // than the reach of a vector; rows are chosen by a length of at most NEAR.
    unsafe {
        let step = |number: usize, at: usize| {
            // Otherwise the compiler keeps a pointer for each segment and table, and runs out of
            // registers.
            let at = barrier(at);
            let ([low, high], from) = (&mut state[number], &mut costs_so_far[number]);
            let found = len_of(*matches.get_unchecked(at));
            let price = _mm256_set1_epi32(*paths.distances.get_unchecked(at) as i32);
            let row: *const __m256i = costs.rows.get_unchecked(found.min(NEAR)).as_ptr().cast();
            let literal = costs.literals[usize::from(*uncompressed.get_unchecked(at))];
            let literal = _mm256_castsi128_si256(_mm_cvtsi32_si128(literal as i32));
            let edges = _mm256_blend_epi32::<1>(_mm256_add_epi32(price, _mm256_loadu_si256(row)), literal);
            let near = _mm256_min_epu32(*low, _mm256_add_epi32(*from, edges));
            let edges = _mm256_add_epi32(price, _mm256_loadu_si256(row.add(1)));
            let next = _mm256_min_epu32(*high, _mm256_add_epi32(*from, edges));
            // Unconditional, as a branch would be unpredictable; shorter edges were considered
            // before.
            let path = _mm256_cvtsi256_si32(*from) as u32 + *paths.distances.get_unchecked(at);
            let far = &mut paths.far[at + found];
            *far = (*far).min(path + costs.lengths[found]);
            *paths.at.get_unchecked_mut(at + 1 + number) = _mm256_cvtsi256_si32(near) as u32;
            *from = _mm256_and_si256(_mm256_broadcastd_epi32(_mm256_castsi256_si128(near)), without_len);
            // All positions move on by one; longer edges reach the new last one.
            let far =
                _mm256_castsi128_si256(_mm_cvtsi32_si128(*paths.far.get_unchecked(at + NEAR + 1) as i32));
            *low = _mm256_alignr_epi8::<4>(_mm256_permute2x128_si256::<0x21>(near, next), near);
            *high = _mm256_alignr_epi8::<4>(_mm256_permute2x128_si256::<0x21>(next, far), next);
        };
        each_position(&of, step);
    }
}
