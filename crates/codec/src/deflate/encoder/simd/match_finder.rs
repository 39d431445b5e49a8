//! Match finder, a group of positions at a time, with one comparison of 32 bytes for each
//! candidate.

use std::ops::Range;

use super::buckets::{check, push};
use super::vector::{self, Mask, Simd, Vector};
use crate::deflate::encoder::match_finder::buckets::{HASHED_LONG, SPREAD, SPREAD_HIGH};
use crate::deflate::encoder::match_finder::{COMPARED, GROUP, MatchFinder, extend};

/// As `MatchFinder::find`, for positions that 32 bytes follow.
#[inline(always)]
pub(crate) fn find<S: Simd, const SHORT: usize, const LONG: usize, const WAYS: usize, const SKIP: usize>(
    simd: S,
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
    let mut groups = [const { Group::<WAYS, SKIP>::EMPTY }; 2];
    let mut at = range.start;
    // The group that was searched last, and is not finished; it is in the other place.
    let mut before = None;
    let mut turn = 0;
    loop {
        let is_more = at + GROUP <= range.end;
        if is_more {
            // SAFETY: the group's positions are in the range, which was just checked.
            unsafe {
                search::<S, SHORT, LONG, WAYS, SKIP>(simd, match_finder, buffer, at, &mut groups[turn])
            };
        }
        let searched = if is_more { at + GROUP } else { at };
        let is_long = match before {
            Some(before) => {
                finish(simd, &groups[turn ^ 1], base, before, &mut matches[before - range.start..])
            }
            None => 0,
        };
        (before, at) = match before {
            Some(before) if is_long != 0 => {
                if is_more {
                    finish(simd, &groups[turn], base, at, &mut matches[at - range.start..]);
                }
                let first = before + is_long.trailing_zeros() as usize * (1 + SKIP);
                let candidates = groups[turn ^ 1].longest(first - before).map(|position| base + position);
                let end = extend::extend_matches(buffer, range.clone(), matches, first, candidates, searched);
                // SAFETY: as above, for the positions from `searched` up to `end`, which is in the
                // range.
                unsafe { insert_each::<S, SHORT, LONG, SKIP>(simd, match_finder, buffer, searched..end) };
                (None, end.max(searched))
            }
            _ if is_more => (Some(at), searched),
            _ => return at,
        };
        turn ^= 1;
    }
}

/// Compares a group's positions with their candidates, and inserts them.
///
/// # Safety
/// The match finder, which is checked, has room for the positions.
#[inline(always)]
unsafe fn search<S: Simd, const SHORT: usize, const LONG: usize, const WAYS: usize, const SKIP: usize>(
    simd: S,
    match_finder: &mut MatchFinder,
    buffer: &[u8],
    at: usize,
    group: &mut Group<WAYS, SKIP>,
) {
    const { assert!(COMPARED == 32) };
    let relative = (at - match_finder.base) as u16;
    let bits = match_finder.short.bits;
    let short = match_finder.short.positions.as_mut_ptr();
    let long = match_finder.long.positions.as_mut_ptr();
    // Loads are volatile: otherwise the compiler assembles vectors from registers, element by
    // element. SAFETY: 32 bytes from each of the positions are in the buffer, and 32 bytes from any
    // smaller one. All positions in buckets were stored, less the moves of the base: they are below
    // the position that is looked up, counted from the base. A hash has `bits` bits: its bucket
    // exists.
    unsafe {
        let here = buffer.as_ptr().add(at);
        let window = buffer.as_ptr().add(match_finder.base);
        let [short_hashes, long_hashes] = hashes::<S, LONG, SKIP>(simd, here, bits);
        for place in 0..GROUP / (1 + SKIP) {
            let i = place * (1 + SKIP);
            let candidates = short.add(bucket(&short_hashes, i) * SHORT);
            for way in 0..SHORT {
                let position = *candidates.add(way);
                let equal = simd.equal_bytes(here.add(i), window.add(position.into()));
                group.note(way, place, position, equal);
            }
            push::<SHORT>(candidates, relative + i as u16);
            if LONG > 0 {
                let candidates = long.add(bucket(&long_hashes, i) * LONG);
                for way in 0..LONG {
                    let position = *candidates.add(way);
                    let equal = simd.equal_bytes(here.add(i), window.add(position.into()));
                    group.note(SHORT + way, place, position, equal);
                }
                push::<LONG>(candidates, relative + i as u16);
            }
            for left_out in i + 1..i + 1 + SKIP {
                let position = relative + left_out as u16;
                push::<SHORT>(short.add(bucket(&short_hashes, left_out) * SHORT), position);
                if LONG > 0 {
                    push::<LONG>(long.add(bucket(&long_hashes, left_out) * LONG), position);
                }
            }
        }
    }
}

/// Returns a hash of a group.
#[inline(always)]
fn bucket(hashes: &[u16; GROUP], i: usize) -> usize {
    // SAFETY: a reference can be read from.
    usize::from(unsafe { std::ptr::from_ref(&hashes[i]).read_volatile() })
}

/// As `MatchFinder::insert_range`, for positions with 32 bytes after them that the match finder has
/// room for.
#[inline(always)]
pub(crate) fn insert_range<
    S: Simd,
    const SHORT: usize,
    const LONG: usize,
    const WAYS: usize,
    const SKIP: usize,
>(
    simd: S,
    match_finder: &mut MatchFinder,
    buffer: &[u8],
    range: Range<usize>,
) {
    if range.is_empty() {
        return;
    }
    check::<SHORT, LONG, WAYS, SKIP>(match_finder, buffer, &range);
    assert!(range.start >= match_finder.base);
    // SAFETY: just checked.
    unsafe { insert_each::<S, SHORT, LONG, SKIP>(simd, match_finder, buffer, range) };
}

/// Comparisons of a group, by way, for each searched position.
struct Group<const WAYS: usize, const SKIP: usize> {
    candidates: [[u16; GROUP]; WAYS],
    /// Mask of equal bytes among the `COMPARED`.
    equal: [[u32; GROUP]; WAYS],
}

impl<const WAYS: usize, const SKIP: usize> Group<WAYS, SKIP> {
    const EMPTY: Self = Self { candidates: [[0; GROUP]; WAYS], equal: [[0; GROUP]; WAYS] };

    /// Sets the comparison of a position with a candidate.
    #[inline(always)]
    fn note(&mut self, way: usize, place: usize, position: u16, equal: u32) {
        // SAFETY: references can be written to.
        unsafe {
            std::ptr::from_mut(&mut self.candidates[way][place]).write_volatile(position);
            std::ptr::from_mut(&mut self.equal[way][place]).write_volatile(equal);
        }
    }

    /// Returns the candidates of a place that are equal for `COMPARED` bytes.
    fn longest(&self, place: usize) -> impl Iterator<Item = usize> {
        let searched = place / (1 + SKIP);
        let ways = self.equal.iter().zip(&self.candidates);
        ways.filter(move |way| way.0[searched] == u32::MAX).map(move |way| way.1[searched].into())
    }
}

/// Sets the matches of the group at a position, and returns a mask of the searched positions with
/// matches of `COMPARED` bytes.
#[inline(always)]
fn finish<S: Simd, const WAYS: usize, const SKIP: usize>(
    simd: S,
    group: &Group<WAYS, SKIP>,
    base: usize,
    at: usize,
    matches: &mut [u32],
) -> u32 {
    assert!(matches.len() >= GROUP);
    let mut is_long = 0;
    let (one, width) = (simd.splat(1), S::Vector::LANES);
    // With pairs, half a group is searched: a vector, or half of one.
    for first in (0..GROUP / (1 + SKIP)).step_by(width) {
        let (best, from) = best(simd, group, first);
        let number = vector::lanes(simd) + simd.splat(first as i32);
        let number = if SKIP == 0 { number } else { number + number };
        let distances = simd.splat((at - base) as i32) + number - simd.widen(from);
        is_long |= S::Vector::bits(best.equals(simd.splat(-1))) << first;
        if SKIP == 0 {
            let found = best.count_low_ones().shl(16) | distances;
            // SAFETY: there is a group of matches, a multiple of a vector.
            unsafe { simd.store(found, matches[first..].as_mut_ptr()) };
            continue;
        }
        let found = (best | one).count_low_ones().shl(16) | distances;
        let is_equal = (best & one).equals(one);
        let first_of_pair = S::Vector::select(is_equal, found, distances);
        // SAFETY: as above.
        unsafe { simd.store_pairs(first_of_pair, found - simd.splat(1 << 16), matches.as_mut_ptr()) };
    }
    is_long & if SKIP == 0 { 0xffff } else { 0xff }
}

/// Returns, for a vector of positions, ones for the equal bytes of the best candidate, and that
/// candidate; the first of equally good ones. With pairs, the first byte counts least.
#[inline(always)]
fn best<S: Simd, const WAYS: usize, const SKIP: usize>(
    simd: S,
    group: &Group<WAYS, SKIP>,
    first: usize,
) -> (S::Vector, S::Narrow) {
    let (mut best, mut from) = candidate(simd, group, 0, first);
    for way in 1..WAYS {
        let (equal, position) = candidate(simd, group, way, first);
        let is_no_better: Mask<S> = equal.at_most(best);
        from = simd.select_narrow(is_no_better, from, position);
        best = best.max_u32(equal);
    }
    (best, from)
}

/// Returns ones for the equal bytes of the candidates of a way, and these.
#[inline(always)]
fn candidate<S: Simd, const WAYS: usize, const SKIP: usize>(
    simd: S,
    group: &Group<WAYS, SKIP>,
    way: usize,
    first: usize,
) -> (S::Vector, S::Narrow) {
    let (equal, candidates) = (&group.equal[way][first..], &group.candidates[way][first..]);
    assert!(equal.len() >= S::Vector::LANES && candidates.len() >= S::Vector::LANES);
    // SAFETY: just checked.
    let (equal, candidates) = unsafe { (simd.load(equal.as_ptr()), simd.load_narrow(candidates.as_ptr())) };
    let one = simd.splat(1);
    let hashed = if SKIP == 0 { equal } else { equal | one };
    (equal.and_not(hashed + one), candidates)
}

/// Returns the buckets of a group's positions, in the short and in the long ways.
///
/// # Safety
/// 32 bytes may be read.
#[inline(always)]
unsafe fn hashes<S: Simd, const LONG: usize, const SKIP: usize>(
    simd: S,
    here: *const u8,
    bits: u32,
) -> [[u16; GROUP]; 2] {
    // The loaded bytes suffice for the hashes, and are within the readable ones.
    const {
        let width = S::Vector::LANES;
        assert!(width - 1 + SKIP + HASHED_LONG <= S::LOADED && GROUP - width + S::LOADED <= COMPARED);
        assert!(GROUP == width || GROUP == 2 * width);
    }
    let mut buckets = [[0_u16; GROUP]; 2];
    let [mut short, mut long] = [[simd.splat(0); 2]; 2];
    for number in 0..GROUP / S::Vector::LANES {
        // SAFETY: see above.
        let bytes = unsafe { simd.load_bytes(here.add(number * S::Vector::LANES)) };
        let low = simd.four_at_each(bytes, SKIP as u8) * simd.splat(SPREAD as i32);
        short[number] = low.shr(32 - bits);
        if LONG > 0 {
            let high = simd.four_at_each(bytes, 4 + SKIP as u8) * simd.splat(SPREAD_HIGH as i32);
            long[number] = (low + high).shr(32 - bits);
        }
    }
    simd.store_group(short, &mut buckets[0]);
    if LONG > 0 {
        simd.store_group(long, &mut buckets[1]);
    }
    buckets
}

/// As `MatchFinder::insert_range` for positions that are not searched.
///
/// # Safety
/// 32 bytes follow each position, and the match finder has the ways and room for them.
#[inline(always)]
unsafe fn insert_each<S: Simd, const SHORT: usize, const LONG: usize, const SKIP: usize>(
    simd: S,
    match_finder: &mut MatchFinder,
    buffer: &[u8],
    range: Range<usize>,
) {
    let (base, bits) = (match_finder.base, match_finder.short.bits);
    let (short, long) = (match_finder.short.positions.as_mut_ptr(), match_finder.long.positions.as_mut_ptr());
    for group in range.clone().step_by(GROUP) {
        // SAFETY: see above. A hash is below the number of buckets.
        unsafe {
            let hashes = hashes::<S, LONG, SKIP>(simd, buffer.as_ptr().add(group), bits);
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
