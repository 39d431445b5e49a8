//! Near-optimal and lazy parsers. Shortest paths run through four segments at once: the costs to
//! the next sixteen positions are a vector, to which every position adds its edges. The vector of
//! one segment waits for itself, so segments take turns.

use crate::deflate::encoder::match_finder::buckets::HASHED;
use crate::deflate::encoder::parser::lazy::{MIN_GAINS, MIN_WORTH};
use crate::deflate::encoder::parser::near_optimal::{
    Costs, LEN_BITS, NEAR, NEVER, Paths, SEGMENTS, segments,
};
use crate::deflate::encoder::parser::{lazy, near_optimal};
use crate::deflate::encoder::symbols::{Match, len_of, literal};
use std::arch::x86_64::*;

/// As `near_optimal::search` for all segments of a chunk.
///
/// # Safety
/// The processor has the features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi1,bmi2,lzcnt")]
pub(crate) unsafe fn search(uncompressed: &[u8], matches: &[Match], costs: &Costs, paths: &mut Paths) {
    let len = uncompressed.len();
    assert!(matches.len() == len && paths.at.len() == len + SEGMENTS && paths.distances.len() == len);
    assert!(paths.far.len() >= len + 2 * NEAR);
    let of = segments(len);
    // Length of the shortest segment that is not empty.
    let shortest = of.iter().map(|segment| segment.len()).filter(|&len| len > 0).min().unwrap_or(0);
    let number = of.iter().filter(|segment| !segment.is_empty()).count();
    let mut state = [_mm512_set1_epi32(NEVER as i32); SEGMENTS];
    let mut path = [0_u32; SEGMENTS];
    // SAFETY: positions are in segments, so below the length of the chunk; `far` is longer by more
    // than the reach of a vector; rows are chosen by a length of at most NEAR.
    unsafe {
        let mut step = |number: usize, at: usize| {
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
        // Unrolled, so that the vectors stay in registers.
        match number {
            4.. => {
                (0..shortest).for_each(|i| (0..4).for_each(|segment| step(segment, of[segment].start + i)))
            }
            3 => (0..shortest).for_each(|i| (0..3).for_each(|segment| step(segment, of[segment].start + i))),
            2 => (0..shortest).for_each(|i| (0..2).for_each(|segment| step(segment, of[segment].start + i))),
            _ => (0..shortest).for_each(|i| step(0, of[0].start + i)),
        }
        for (number, segment) in of.iter().enumerate() {
            let rest = (segment.start + shortest).min(segment.end)..segment.end;
            rest.for_each(|at| step(number, at));
        }
    }
    for segment in 0..SEGMENTS {
        paths.at[of[segment].end + segment] = path[segment];
    }
}

/// As `near_optimal::price`.
///
/// # Safety
/// The processor has the features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512cd,bmi1,bmi2,lzcnt")]
pub(crate) unsafe fn price(matches: &[Match], costs: &Costs, prices: &mut [u32]) {
    let (vectors, rest) = matches.as_chunks::<16>();
    let (price_vectors, price_rest) = prices.as_chunks_mut::<16>();
    let set = |value: i32| _mm512_set1_epi32(value);
    // SAFETY: the table has 32 elements and a vector 16.
    unsafe {
        let table = costs.distances.as_ptr();
        let table = (_mm512_loadu_si512(table.cast()), _mm512_loadu_si512(table.add(16).cast()));
        for (matches, prices) in vectors.iter().zip(price_vectors) {
            let matches = _mm512_loadu_si512(matches.as_ptr().cast());
            let less = _mm512_and_si512(_mm512_sub_epi32(matches, set(1)), set(0x7fff));
            // The symbol is twice the number of extra bits, plus the bits above these.
            let extra = _mm512_max_epi32(_mm512_sub_epi32(set(30), _mm512_lzcnt_epi32(less)), set(0));
            let symbol = _mm512_add_epi32(_mm512_add_epi32(extra, extra), _mm512_srlv_epi32(less, extra));
            let price = _mm512_permutex2var_epi32(table.0, symbol, table.1);
            _mm512_storeu_si512(prices.as_mut_ptr().cast(), price);
        }
    }
    near_optimal::price(rest, costs, price_rest);
}

/// Positions of a vector.
const WIDTH: usize = 16;

/// As `lazy::worth`, for a vector of matches.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512cd")]
fn worth(matches: __m512i) -> __m512i {
    let lengths = _mm512_srli_epi32::<16>(matches);
    let distances = _mm512_and_si512(matches, _mm512_set1_epi32(0xffff));
    // 31 less the zeros in front is the number of doublings.
    let zeros = _mm512_lzcnt_epi32(_mm512_or_si512(distances, _mm512_set1_epi32(1)));
    let worth =
        _mm512_add_epi32(_mm512_slli_epi32::<2>(lengths), _mm512_sub_epi32(zeros, _mm512_set1_epi32(31)));
    _mm512_maskz_mov_epi32(_mm512_cmpge_epu32_mask(lengths, _mm512_set1_epi32(HASHED as i32)), worth)
}

/// As `lazy::parse_lazy`.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512cd")]
pub(crate) fn parse_lazy(uncompressed: &[u8], matches: &mut [Match]) {
    assert!(matches.len() == uncompressed.len() + 2);
    let set = |value| _mm512_set1_epi32(value);
    let vectors = uncompressed.len() / WIDTH;
    for at in (0..vectors * WIDTH).step_by(WIDTH) {
        // SAFETY: 16 bytes and 18 matches from here on are in the slices.
        unsafe {
            let here = matches.as_mut_ptr().add(at);
            let load = |by| _mm512_loadu_si512(here.add(by).cast());
            let (this, next, after) = (worth(load(0)), worth(load(1)), worth(load(2)));
            let is_enough = _mm512_cmpgt_epi32_mask(this, set(MIN_WORTH));
            let is_before = _mm512_cmple_epi32_mask(next, _mm512_add_epi32(this, set(MIN_GAINS[0])));
            let is_first = _mm512_cmple_epi32_mask(after, _mm512_add_epi32(this, set(MIN_GAINS[1])));
            let bytes = _mm512_cvtepu8_epi32(_mm_loadu_si128(uncompressed.as_ptr().add(at).cast()));
            let literals = _mm512_or_si512(bytes, set(literal(0) as i32));
            let tokens = _mm512_mask_sub_epi32(literals, is_enough & is_before & is_first, load(0), set(1));
            _mm512_storeu_si512(here.cast(), tokens);
        }
    }
    lazy::parse_lazy(&uncompressed[vectors * WIDTH..], &mut matches[vectors * WIDTH..]);
}
