//! The walks of `greedy::walk`, thirty-two lanes at once: where they are, and what is found there, in vectors.

use std::arch::x86_64::*;

use super::candidates::{Compared, LaneState, ZEROS, compare, find};
use super::chosen::{Chosen, Look, choose};
use super::set;
use crate::deflate::encoder::parser::greedy::lanes::LaneRanges;
use crate::deflate::encoder::parser::greedy::{
    CHUNK, COMPARED, GROUP, GreedyParser, LOOKAHEAD, MARGIN, MAX_BACKWARD,
};
use crate::deflate::encoder::simd::followed;

/// The walks of all lanes, of which each step goes into the rows: how many literals, from bit 3 the length of what follows them, from
/// bit 12 its distance less one. A length of 1 is a literal's, and a lane that is at its end has steps of no length.
///
/// # Safety
/// The processor has the features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512cd,avx512vpopcntdq,bmi1,bmi2,lzcnt,popcnt")]
pub(crate) unsafe fn walk<const DEPTH: usize>(
    greedy: &mut GreedyParser,
    buffer: &[u8],
    lane_ranges: &LaneRanges,
) {
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
    let mut of = [LaneState { at: set(0), end: set(0), first: set(0) }; LaneRanges::GROUPS];
    let lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    for (group, of) in of.iter_mut().enumerate() {
        let number = _mm512_add_epi32(lanes, set((group * GROUP) as i32));
        let at = _mm512_mullo_epi32(number, set(lane_ranges.len as i32));
        let at = _mm512_add_epi32(at, set(relative(start)));
        of.at = _mm512_min_epu32(at, set(relative(end)));
        of.end = _mm512_min_epu32(_mm512_add_epi32(at, set(lane_ranges.len as i32)), set(relative(end)));
    }
    let of = &mut of[..lane_ranges.groups];
    let mut compared = [Compared::<DEPTH>::EMPTY; LaneRanges::GROUPS];
    for rows in rows.chunks_exact_mut(lane_ranges.groups) {
        // One vector's lanes after the other in each part of a step, so that none waits for what another has just written.
        let mut is_going = 0;
        for (of, compared) in of.iter_mut().zip(&mut compared) {
            is_going |= _mm512_cmplt_epu32_mask(of.at, of.end);
            // SAFETY: lanes are in the chunk, whose distances and bits were checked to exist.
            unsafe { find(chains, of, compared) };
        }
        if is_going == 0 {
            break;
        }
        for compared in &mut compared[..of.len()] {
            // SAFETY: positions are at most the end, and those looked at less than `LOOKAHEAD` more, which `MARGIN` bytes allow for;
            // candidates are no later, and not below `MAX_BACKWARD`.
            unsafe { compare(buffer.as_ptr().add(chains.chunk), compared) };
        }
        for ((of, compared), row) in of.iter_mut().zip(&compared).zip(rows) {
            row.store(step(buffer, chains.chunk, of, compared));
        }
    }
}

/// Chooses what lanes step on, takes the steps, and returns their row.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512cd,avx512vpopcntdq,bmi1,bmi2,lzcnt,popcnt")]
fn step<const DEPTH: usize>(
    buffer: &[u8],
    chunk: usize,
    of: &mut LaneState,
    compared: &Compared<DEPTH>,
) -> __m512i {
    let mut looks = [None; LOOKAHEAD];
    for (number, look) in looks.iter_mut().enumerate() {
        let at = _mm512_add_epi32(of.first, set(number as i32));
        let is_inside = _mm512_cmplt_epu32_mask(at, of.end);
        for (candidate, differ) in compared.candidates[number].iter().zip(&compared.differ[number]) {
            let found = Look::of(differ.load(), candidate.load(), at, of.at, is_inside);
            *look = Some(look.map_or(found, |best: Look| best.or(found, 0)));
        }
    }
    let Chosen { is_match, start, mut len, distance } =
        choose(looks.map(|look| look.expect("there is a candidate for each look")), of.end);
    let is_long = _mm512_mask_cmpge_epu32_mask(is_match, len, set((COMPARED - MAX_BACKWARD) as i32));
    if is_long != 0 {
        len = extend(buffer, chunk, is_long, start, len, distance);
    }
    let start = _mm512_mask_mov_epi32(of.first, is_match, start);
    len = _mm512_mask_mov_epi32(set(1), is_match, len);
    len = _mm512_min_epu32(len, _mm512_sub_epi32(of.end, start));
    let literals = _mm512_sub_epi32(start, of.at);
    of.at = _mm512_add_epi32(start, len);
    let less = _mm512_sub_epi32(distance, set(1));
    let row = _mm512_or_si512(literals, _mm512_slli_epi32::<3>(len));
    _mm512_or_si512(row, _mm512_slli_epi32::<12>(less))
}

/// The lengths of matches that do not end where they were compared.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512cd,avx512vpopcntdq,bmi1,bmi2,lzcnt,popcnt")]
fn extend(
    buffer: &[u8],
    chunk: usize,
    is_long: __mmask16,
    start: __m512i,
    len: __m512i,
    distance: __m512i,
) -> __m512i {
    let [mut starts, mut lens, mut distances] = [ZEROS; 3];
    starts.store(start);
    lens.store(len);
    distances.store(distance);
    followed::extend_lanes(buffer, chunk, is_long.into(), [&starts.0, &distances.0], &mut lens.0);
    lens.load()
}
