//! The walks of `greedy::walk`, thirty-two lanes at once: where they are, and what is found there, in vectors.

use std::arch::x86_64::*;

use super::candidates::{Compared, Eight, LaneState, compare, find};
use super::chosen::{Chosen, DEEPEST, Look, choose};
use super::{WIDTH, set};
use crate::deflate::encoder::parser::greedy::lanes::LaneRanges;
use crate::deflate::encoder::parser::greedy::{
    CHUNK, COMPARED, GROUP, GreedyParser, LOOKAHEAD, MARGIN, MAX_BACKWARD,
};
use crate::deflate::encoder::simd::followed;

/// Vectors of lanes, at most.
const VECTORS: usize = LaneRanges::GROUPS * GROUP / WIDTH;

/// The walks of all lanes, of which each step goes into the rows: how many literals, from bit 3 the length of what follows them, from
/// bit 12 its distance less one. A length of 1 is a literal's, and a lane that is at its end has steps of no length.
///
/// # Safety
/// The processor has the features.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(crate) unsafe fn walk<const DEPTH: usize>(
    greedy: &mut GreedyParser,
    buffer: &[u8],
    lane_ranges: &LaneRanges,
) {
    const { assert!(DEPTH <= DEEPEST) };
    let GreedyParser { chains, rows, .. } = greedy;
    let (start, end) = (lane_ranges.range.start, lane_ranges.range.end);
    if start == end {
        return;
    }
    assert!(start >= MAX_BACKWARD && end + MARGIN <= buffer.len());
    assert!(chains.chunk <= start && start <= end && end <= chains.chunk + CHUNK);
    assert!(
        rows.len() >= lane_ranges.groups * lane_ranges.len
            && (1..=LaneRanges::GROUPS).contains(&lane_ranges.groups)
    );
    let relative = |position: usize| (position - chains.chunk) as i32;
    let mut of = [LaneState { at: set(0), end: set(0), first: set(0) }; VECTORS];
    let lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    for (vector, of) in of.iter_mut().enumerate() {
        let number = _mm256_add_epi32(lanes, set((vector * WIDTH) as i32));
        let at = _mm256_mullo_epi32(number, set(lane_ranges.len as i32));
        let at = _mm256_add_epi32(at, set(relative(start)));
        of.at = _mm256_min_epu32(at, set(relative(end)));
        of.end = _mm256_min_epu32(_mm256_add_epi32(at, set(lane_ranges.len as i32)), set(relative(end)));
    }
    let of = &mut of[..lane_ranges.groups * GROUP / WIDTH];
    let mut compared = [Compared::<DEPTH>::EMPTY; VECTORS];
    for rows in rows.chunks_exact_mut(lane_ranges.groups) {
        // One vector's lanes after the other in each part of a step, so that none waits for what another has just written.
        let mut is_going = set(0);
        for (of, compared) in of.iter_mut().zip(&mut compared) {
            is_going = _mm256_or_si256(is_going, _mm256_cmpgt_epi32(of.end, of.at));
            // SAFETY: lanes are in the chunk, whose distances and bits were checked to exist.
            unsafe { find(chains, of, compared) };
        }
        if _mm256_testz_si256(is_going, is_going) == 1 {
            break;
        }
        for compared in &mut compared[..of.len()] {
            // SAFETY: positions are at most the end, and those looked at less than `LOOKAHEAD` more, which `MARGIN` bytes allow for;
            // candidates are no later, and not below `MAX_BACKWARD`.
            unsafe { compare(buffer.as_ptr().add(chains.chunk), compared) };
        }
        let halves = rows.iter_mut().flat_map(|row| row.0.as_chunks_mut::<WIDTH>().0);
        for ((of, compared), half) in of.iter_mut().zip(&compared).zip(halves) {
            let steps = step(buffer, chains.chunk, of, compared);
            // SAFETY: half a row has 32 bytes.
            unsafe { _mm256_storeu_si256(half.as_mut_ptr().cast(), steps) };
        }
    }
}

/// Chooses what lanes step on, takes the steps, and returns their half of a row.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn step<const DEPTH: usize>(
    buffer: &[u8],
    chunk: usize,
    of: &mut LaneState,
    compared: &Compared<DEPTH>,
) -> __m256i {
    let mut best = set(0);
    for number in 0..LOOKAHEAD {
        let look = Look::new(number, of.first, of.at, of.end);
        let found = compared.candidates[number].iter().zip(&compared.equal[number]);
        for (order, (candidate, equal)) in found.enumerate() {
            best = _mm256_max_epi32(best, look.of(order, equal.load(), candidate.load()));
        }
    }
    let Chosen { is_match, start, mut len, distance } = choose(best, of.first, of.end);
    let is_long =
        _mm256_and_si256(is_match, _mm256_cmpgt_epi32(len, set((COMPARED - MAX_BACKWARD) as i32 - 1)));
    let is_long = _mm256_movemask_ps(_mm256_castsi256_ps(is_long));
    if is_long != 0 {
        len = extend(buffer, chunk, is_long, start, len, distance);
    }
    let start = _mm256_blendv_epi8(of.first, start, is_match);
    len = _mm256_blendv_epi8(set(1), len, is_match);
    len = _mm256_min_epu32(len, _mm256_sub_epi32(of.end, start));
    let literals = _mm256_sub_epi32(start, of.at);
    of.at = _mm256_add_epi32(start, len);
    let less = _mm256_sub_epi32(distance, set(1));
    let row = _mm256_or_si256(literals, _mm256_slli_epi32::<3>(len));
    _mm256_or_si256(row, _mm256_slli_epi32::<12>(less))
}

/// The lengths of matches that do not end where they were compared.
#[inline(never)]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn extend(
    buffer: &[u8],
    chunk: usize,
    is_long: i32,
    start: __m256i,
    len: __m256i,
    distance: __m256i,
) -> __m256i {
    let [mut starts, mut lens, mut distances] = [Eight::ZEROS; 3];
    starts.store(start);
    lens.store(len);
    distances.store(distance);
    followed::extend_lanes(buffer, chunk, is_long as u32, [&starts.0, &distances.0], &mut lens.0);
    lens.load()
}
