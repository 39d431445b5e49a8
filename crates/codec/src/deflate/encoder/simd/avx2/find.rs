//! The search of `coder::MatchFinder`, a group of positions at a time, with one comparison of 32 bytes a candidate.

use std::arch::x86_64::*;
use std::ops::Range;

use super::found::Group;
use super::group;
use super::group::hashes;
use crate::deflate::encoder::match_finder::{COMPARED, GROUP, MatchFinder, extend};
use crate::deflate::encoder::simd::buckets::{check, push};

/// As `MatchFinder::find`, for positions that 32 bytes follow.
///
/// # Safety
/// The processor has the features.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
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
    // The group that was searched last, and is not finished; it is in the other place.
    let mut before = None;
    let mut turn = 0;
    loop {
        let is_more = at + GROUP <= range.end;
        if is_more {
            // SAFETY: the group's positions are in the range, which was just checked.
            unsafe { search::<SHORT, LONG, WAYS, SKIP>(match_finder, buffer, at, shift, &mut groups[turn]) };
        }
        let finish = |group: &Group<WAYS, SKIP>, at: usize, matches: &mut [u32]| {
            // SAFETY: the processor has the features.
            unsafe { group.finish((at - base) as u16, &mut matches[at - range.start..][..GROUP]) }
        };
        let searched = if is_more { at + GROUP } else { at };
        let is_long = before.map_or(0, |before| finish(&groups[turn ^ 1], before, matches));
        (before, at) = match before {
            Some(before) if is_long != 0 => {
                if is_more {
                    finish(&groups[turn], at, matches);
                }
                let place = is_long.trailing_zeros() as usize * (1 + SKIP);
                let candidates = groups[turn ^ 1].longest(place).map(|position| base + position);
                let end = extend::extend_matches(
                    buffer,
                    range.clone(),
                    matches,
                    before + place,
                    candidates,
                    searched,
                );
                // SAFETY: as above, for the positions from `searched` up to `end`, which is in the range.
                unsafe {
                    group::insert_range::<SHORT, LONG, SKIP>(match_finder, buffer, searched..end, shift)
                };
                (None, end.max(searched))
            }
            _ if is_more => (Some(at), searched),
            _ => return at,
        };
        turn ^= 1;
    }
}

/// Compares a group's positions with their candidates, and notes them.
///
/// # Safety
/// The processor has the features, and the match_finder, which is checked, has room for the positions.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn search<const SHORT: usize, const LONG: usize, const WAYS: usize, const SKIP: usize>(
    match_finder: &mut MatchFinder,
    buffer: &[u8],
    at: usize,
    shift: __m128i,
    group: &mut Group<WAYS, SKIP>,
) {
    const { assert!(COMPARED == 32) };
    let relative = (at - match_finder.base) as u16;
    let short = match_finder.short.positions.as_mut_ptr();
    let long = match_finder.long.positions.as_mut_ptr();
    // SAFETY: 32 bytes from each of the positions are in the buffer, and 32 bytes from any smaller one. All positions in buckets were
    // stored, less what the base moved: they are below the position that is looked up, counted from the base. A hash has
    // `bits` bits, so its bucket exists. Volatile, as the compiler would otherwise assemble vectors of what is written in registers,
    // one element at a time, which takes longer.
    unsafe {
        let here = buffer.as_ptr().add(at);
        let window = buffer.as_ptr().add(match_finder.base);
        let hashes = hashes::<LONG, SKIP>(here, shift);
        for place in 0..GROUP / (1 + SKIP) {
            let i = place * (1 + SKIP);
            let current = _mm256_loadu_si256(here.add(i).cast());
            let mut consider = |way: usize, position: u16| {
                let candidate = _mm256_loadu_si256(window.add(position.into()).cast());
                (&raw mut group.candidates[way][place]).write_volatile(position);
                let equal = _mm256_movemask_epi8(_mm256_cmpeq_epi8(current, candidate));
                (&raw mut group.equal[way][place]).write_volatile(equal as u32);
            };
            let bucket = |kind: usize, i: usize| usize::from((&raw const hashes[kind][i]).read_volatile());
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
}

/// As `MatchFinder::insert_range`, for positions that 32 bytes follow and that the match_finder has room for.
///
/// # Safety
/// The processor has the features.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
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
