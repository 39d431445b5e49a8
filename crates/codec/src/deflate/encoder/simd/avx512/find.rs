//! The search of `coder::MatchFinder`, a group of positions at a time, with one comparison of 32 bytes a candidate.

use std::arch::x86_64::*;
use std::ops::Range;

use super::found::Group;
use super::group;
use super::group::hashes;
use crate::deflate::encoder::match_finder::{GROUP, MatchFinder, extend};
use crate::deflate::encoder::simd::buckets::{check, push};

/// As `MatchFinder::find`, for positions that 32 bytes follow.
///
/// # Safety
/// The processor has the features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vpopcntdq,bmi1,bmi2,lzcnt")]
pub(crate) unsafe fn find<const SHORT: usize, const LONG: usize, const WAYS: usize, const SKIP: usize>(
    match_finder: &mut MatchFinder,
    buffer: &[u8],
    range: Range<usize>,
    matches: &mut [u32],
) -> usize {
    if range.len() < GROUP {
        return range.start;
    }
    check::<SHORT, LONG, WAYS, SKIP>(match_finder, buffer, &range);
    assert!(range.start > match_finder.base && range.len() <= matches.len());
    let base = match_finder.base;
    // All kinds of buckets are as many.
    let shift = _mm_cvtsi32_si128(32 - match_finder.short.bits as i32);
    let mut groups = [const { Group::<WAYS, SKIP>::EMPTY }; 2];
    let mut at = range.start;
    let mut before = None;
    let mut turn = 0;
    while at + GROUP <= range.end {
        // SAFETY: the group's positions are in the range, so 32 bytes from each are in the buffer, and 32 bytes from any
        // smaller position. All positions in buckets were stored, less what the base moved: they are below that of the
        // candidate that is looked up, counted from the base. A hash has `bits` bits, so its bucket exists.
        unsafe {
            let group = &mut groups[turn];
            let here = buffer.as_ptr().add(at);
            let window = buffer.as_ptr().add(base);
            let short = match_finder.short.positions.as_mut_ptr();
            let long = match_finder.long.positions.as_mut_ptr();
            let relative = (at - base) as u16;

            let hashes = hashes::<LONG, SKIP>(here, shift);
            // Volatile, as the compiler would otherwise assemble the vectors of what is written in registers, one element
            // at a time, which takes three times the instructions.
            for i in (0..GROUP).step_by(1 + SKIP) {
                let current = _mm256_loadu_si256(here.add(i).cast());
                let mut consider = |way: usize, position: u16| {
                    let candidate = _mm256_loadu_si256(window.add(position.into()).cast());
                    (&raw mut group.candidates[way][i / (1 + SKIP)]).write_volatile(position);
                    let differ = _mm256_cmpneq_epi8_mask(current, candidate);
                    (&raw mut group.differ[way][i / (1 + SKIP)]).write_volatile(differ);
                };
                let bucket =
                    |kind: usize, i: usize| usize::from((&raw const hashes[kind][i]).read_volatile());
                let candidates = short.add(bucket(0, i) * SHORT);
                (0..SHORT).for_each(|way| consider(way, *candidates.add(way)));
                push::<SHORT>(candidates, relative + i as u16);
                if LONG > 0 {
                    let candidates = long.add(bucket(1, i) * LONG);
                    (0..LONG).for_each(|way| consider(SHORT + way, *candidates.add(way)));
                    push::<LONG>(candidates, relative + i as u16);
                }
                for left_out in i + 1..i + 1 + SKIP {
                    let position = relative + left_out as u16;
                    push::<SHORT>(short.add(bucket(0, left_out) * SHORT), position);
                    if LONG > 0 {
                        push::<LONG>(long.add(bucket(1, left_out) * LONG), position);
                    }
                }
            }
        }
        let finish = |group: usize, at: usize, matches: &mut [u32]| {
            // SAFETY: the processor has the features.
            unsafe { groups[group].finish((at - base) as u16, &mut matches[at - range.start..][..GROUP]) }
        };
        let mask = before.map_or(0, |before| finish(turn ^ 1, before, matches));
        (before, at) = match (before, mask) {
            (Some(before), 1..) => {
                finish(turn, at, matches);
                let place = mask.trailing_zeros() as usize * (1 + SKIP);
                let candidates = groups[turn ^ 1].longest(place).map(|position| base + position);
                let (searched, first) = (at + GROUP, before + place);
                let end = extend::extend_matches(buffer, range.clone(), matches, first, candidates, searched);
                // SAFETY: as above, for the positions from `searched` up to `end`, which is in the range.
                unsafe {
                    group::insert_range::<SHORT, LONG, SKIP>(match_finder, buffer, searched..end, shift)
                };
                (None, end.max(searched))
            }
            _ => (Some(at), at + GROUP),
        };
        turn ^= 1;
    }
    let Some(before) = before else { return at };
    // SAFETY: the processor has the features.
    let mask = unsafe {
        groups[turn ^ 1].finish((before - base) as u16, &mut matches[before - range.start..][..GROUP])
    };
    match mask {
        0 => at,
        _ => {
            let place = mask.trailing_zeros() as usize * (1 + SKIP);
            let candidates = groups[turn ^ 1].longest(place).map(|position| base + position);
            let end = extend::extend_matches(buffer, range, matches, before + place, candidates, at);
            // SAFETY: as above.
            unsafe { group::insert_range::<SHORT, LONG, SKIP>(match_finder, buffer, at..end, shift) };
            end.max(at)
        }
    }
}

/// As `MatchFinder::insert_range`, for positions that 32 bytes follow and that the match_finder has room for.
///
/// # Safety
/// The processor has the features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vpopcntdq,bmi1,bmi2,lzcnt")]
pub(crate) unsafe fn insert_range<
    const SHORT: usize,
    const LONG: usize,
    const WAYS: usize,
    const SKIP: usize,
>(
    match_finder: &mut MatchFinder,
    buffer: &[u8],
    range: Range<usize>,
) {
    if range.is_empty() {
        return;
    }
    check::<SHORT, LONG, WAYS, SKIP>(match_finder, buffer, &range);
    assert!(range.start >= match_finder.base);
    let shift = _mm_cvtsi32_si128(32 - match_finder.short.bits as i32);
    // SAFETY: just checked.
    unsafe { group::insert_range::<SHORT, LONG, SKIP>(match_finder, buffer, range, shift) };
}
