//! Shortest paths of the near-optimal parser through four segments at once: the costs to the next
//! sixteen positions are a vector, to which every position adds its edges. The vector of one
//! segment waits for itself, so segments take turns.
//!
//! This is apart from AVX2's: a vector's shift by an element and the mask of one are instructions
//! here, so that the path's cost is best kept in a scalar register.

use super::Avx512;
use crate::deflate::encoder::parser::near_optimal::{
    Costs, LEN_BITS, NEAR, NEVER, Paths, SEGMENTS, segments,
};
use crate::deflate::encoder::simd::parsers::each_position;
use crate::deflate::encoder::symbols::{Match, len_of};
use std::arch::x86_64::*;

/// As `near_optimal::search` for all segments of a chunk.
///
/// # Safety
/// The processor has the features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi1,bmi2,lzcnt")]
pub(crate) unsafe fn search(
    _: Avx512,
    uncompressed: &[u8],
    matches: &[Match],
    costs: &Costs,
    paths: &mut Paths,
) {
    let len = uncompressed.len();
    assert!(matches.len() == len && paths.at.len() == len + SEGMENTS && paths.distances.len() == len);
    assert!(paths.far.len() >= len + 2 * NEAR);
    let of = segments(len);
    let mut state = [_mm512_set1_epi32(NEVER as i32); SEGMENTS];
    let mut path = [0_u32; SEGMENTS];
    // SAFETY: positions are in segments, so below the length of the chunk; `far` is longer by more
    // than the reach of a vector; rows are chosen by a length of at most NEAR.
    unsafe {
        let step = |number: usize, at: usize| {
            let (state, path) = (&mut state[number], &mut path[number]);
            *paths.at.get_unchecked_mut(at + number) = *path;
            let found = len_of(*matches.get_unchecked(at));
            let distance = *paths.distances.get_unchecked(at);
            let row = _mm512_loadu_si512(costs.rows.get_unchecked(found.min(NEAR)).as_ptr().cast());
            let row = _mm512_add_epi32(row, _mm512_set1_epi32(distance as i32));
            let literal = costs.literals[usize::from(*uncompressed.get_unchecked(at))];
            let row = _mm512_mask_set1_epi32(row, 1, literal as i32);
            let from = *path >> LEN_BITS << LEN_BITS;
            let ways = _mm512_min_epu32(*state, _mm512_add_epi32(row, _mm512_set1_epi32(from as i32)));
            if found > NEAR {
                let far = &mut paths.far[at + found];
                *far = (*far).min(from + distance + costs.lengths[found]);
            }
            *path = _mm512_cvtsi512_si32(ways) as u32;
            let next = _mm_cvtsi32_si128(*paths.far.get_unchecked(at + NEAR + 1) as i32);
            *state = _mm512_alignr_epi32::<1>(_mm512_castsi128_si512(next), ways);
        };
        each_position(&of, step);
    }
    for segment in 0..SEGMENTS {
        paths.at[of[segment].end + segment] = path[segment];
    }
}
