//! The shortest paths through four segments at once: the cheapest ways to the next sixteen positions are a vector, to which
//! every position adds its edges. One segment's vector waits for itself ten cycles a position, so they take turns.

use std::arch::x86_64::*;

use crate::deflate::coder::optimal::{Costs, LEN_BITS, NEAR, NEVER, Paths, SEGMENTS, segments};
use crate::deflate::coder::symbols::{Find, len_of};

/// As `optimal::search` for all segments of a chunk.
///
/// # Safety
/// The processor has the features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi1,bmi2,lzcnt")]
pub(super) unsafe fn search(plain: &[u8], finds: &[Find], costs: &Costs, paths: &mut Paths) {
    let len = plain.len();
    assert!(finds.len() == len && paths.at.len() == len + SEGMENTS && paths.distances.len() == len);
    assert!(paths.far.len() >= len + 2 * NEAR);
    let of = segments(len);
    let shortest = of.iter().map(|segment| segment.len()).min().unwrap_or(0);
    let mut state = [_mm512_set1_epi32(NEVER as i32); SEGMENTS];
    let mut path = [0_u32; SEGMENTS];
    // SAFETY: positions are in segments, so below the length of the chunk; `far` is longer by more than a vector's reach; rows
    // are chosen by a length that is at most NEAR; a find is cut at the end of its segment, so an edge leads at most there.
    unsafe {
        let mut step = |number: usize, at: usize| {
            let (state, path) = (&mut state[number], &mut path[number]);
            *paths.at.get_unchecked_mut(at + number) = *path;
            let found = len_of(*finds.get_unchecked(at));
            let distance = *paths.distances.get_unchecked(at);
            let row = _mm512_loadu_si512(costs.rows.get_unchecked(found.min(NEAR)).as_ptr().cast());
            let row = _mm512_add_epi32(row, _mm512_set1_epi32(distance as i32));
            let literal = costs.literals[usize::from(*plain.get_unchecked(at))];
            let row = _mm512_mask_set1_epi32(row, 1, literal as i32);
            let from = *path >> LEN_BITS << LEN_BITS;
            let ways = _mm512_min_epu32(*state, _mm512_add_epi32(row, _mm512_set1_epi32(from as i32)));
            if found > NEAR {
                let far = paths.far.get_unchecked_mut(at + found);
                *far = (*far).min(from + distance + costs.lens[found]);
            }
            *path = _mm512_cvtsi512_si32(ways) as u32;
            let next = _mm_cvtsi32_si128(*paths.far.get_unchecked(at + NEAR + 1) as i32);
            *state = _mm512_alignr_epi32::<1>(_mm512_castsi128_si512(next), ways);
        };
        for i in 0..shortest {
            for segment in 0..SEGMENTS {
                step(segment, of[segment].start + i);
            }
        }
        for segment in 0..SEGMENTS {
            for at in of[segment].start + shortest..of[segment].end {
                step(segment, at);
            }
        }
    }
    for segment in 0..SEGMENTS {
        paths.at[of[segment].end + segment] = path[segment];
    }
}
