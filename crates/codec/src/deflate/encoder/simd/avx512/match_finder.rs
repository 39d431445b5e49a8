//! Match finder, a group of positions at a time, with one comparison of 32 bytes for each
//! candidate.

use crate::deflate::encoder::match_finder::buckets::{SPREAD, SPREAD_HIGH};
use crate::deflate::encoder::match_finder::{GROUP, MatchFinder, extend};
use crate::deflate::encoder::simd::buckets::{check, push};
use std::arch::x86_64::*;
use std::ops::Range;

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
    // Short and long buckets have the same number of bits.
    let shift = _mm_cvtsi32_si128(32 - match_finder.short.bits as i32);
    let mut groups = [const { Group::<WAYS, SKIP>::EMPTY }; 2];
    let mut at = range.start;
    let mut before = None;
    let mut turn = 0;
    while at + GROUP <= range.end {
        // SAFETY: the group's positions are in the range, so 32 bytes from each are in the buffer,
        // and 32 bytes from any smaller position. All positions in buckets were stored, less what
        // the base moved: they are below that of the candidate that is looked up, counted from the
        // base. A hash has `bits` bits, so its bucket exists.
        unsafe {
            let group = &mut groups[turn];
            let here = buffer.as_ptr().add(at);
            let window = buffer.as_ptr().add(base);
            let short = match_finder.short.positions.as_mut_ptr();
            let long = match_finder.long.positions.as_mut_ptr();
            let relative = (at - base) as u16;

            let hashes = hashes::<LONG, SKIP>(here, shift);
            // Volatile, as the compiler would otherwise assemble the vectors from registers, one
            // element at a time.
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
                // SAFETY: as above, for the positions from `searched` up to `end`, which is in the
                // range.
                unsafe { insert_each::<SHORT, LONG, SKIP>(match_finder, buffer, searched..end, shift) };
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
            unsafe { insert_each::<SHORT, LONG, SKIP>(match_finder, buffer, at..end, shift) };
            end.max(at)
        }
    }
}

/// As `MatchFinder::insert_range`, for positions with 32 bytes after them that the match finder has
/// room for.
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
    unsafe { insert_each::<SHORT, LONG, SKIP>(match_finder, buffer, range, shift) };
}

/// The numbers of the positions of a group.
const NUMBERS: [u16; GROUP] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// Comparisons of a group, by way, for each searched position.
pub(crate) struct Group<const WAYS: usize, const SKIP: usize> {
    pub(crate) candidates: [[u16; GROUP]; WAYS],
    /// Mask of different bytes among the `COMPARED`.
    pub(crate) differ: [[u32; GROUP]; WAYS],
}

impl<const WAYS: usize, const SKIP: usize> Group<WAYS, SKIP> {
    pub(crate) const EMPTY: Self = Self { candidates: [[0; GROUP]; WAYS], differ: [[0; GROUP]; WAYS] };

    /// The candidates of a place that are equal for `COMPARED` bytes.
    pub(crate) fn longest(&self, place: usize) -> impl Iterator<Item = usize> {
        let searched = place / (1 + SKIP);
        let ways = self.differ.iter().zip(&self.candidates);
        ways.filter(move |way| way.0[searched] == 0).map(move |way| way.1[searched].into())
    }

    /// Sets the matches of a group that starts at a position from the base, and returns a mask of
    /// the searched positions with matches of `COMPARED` bytes.
    ///
    /// # Safety
    /// The processor has the features.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vpopcntdq,bmi1,bmi2,lzcnt")]
    pub(crate) unsafe fn finish(&self, relative: u16, matches: &mut [u32]) -> u16 {
        assert!(matches.len() == GROUP);
        // SAFETY: all arrays have GROUP elements; of pairs, the first half is used.
        unsafe {
            let ones = _mm512_set1_epi32(-1);
            let one = _mm512_set1_epi32(1);
            // Ones below the first difference: a longer match is a greater number. With pairs, the
            // first byte counts least.
            let equal = |way: usize| {
                let differ = _mm512_loadu_si512(self.differ[way].as_ptr().cast());
                let hashed = if SKIP == 0 { differ } else { _mm512_andnot_si512(one, differ) };
                _mm512_andnot_si512(differ, _mm512_add_epi32(hashed, ones))
            };
            let position = |way: usize| _mm256_loadu_si256(self.candidates[way].as_ptr().cast());
            let (mut best, mut from) = (equal(0), position(0));
            for way in 1..WAYS {
                let equal = equal(way);
                let is_better = _mm512_cmpgt_epu32_mask(equal, best);
                best = _mm512_max_epu32(best, equal);
                from = _mm256_mask_mov_epi16(from, is_better, position(way));
            }
            let numbers = _mm256_loadu_si256(NUMBERS.as_ptr().cast());
            let numbers = if SKIP == 0 { numbers } else { _mm256_add_epi16(numbers, numbers) };
            let positions = _mm256_add_epi16(numbers, _mm256_set1_epi16(relative as i16));
            let distances = _mm512_cvtepu16_epi32(_mm256_sub_epi16(positions, from));
            let found =
                |equal| _mm512_or_si512(_mm512_slli_epi32::<16>(_mm512_popcnt_epi32(equal)), distances);
            let is_long = _mm512_cmpeq_epi32_mask(best, ones);
            if SKIP == 0 {
                _mm512_storeu_si512(matches.as_mut_ptr().cast(), found(best));
                return is_long;
            }
            let is_equal = _mm512_test_epi32_mask(best, one);
            let found = found(_mm512_or_si512(best, one));
            let first = _mm512_mask_mov_epi32(distances, is_equal, found);
            let second = _mm512_sub_epi32(found, _mm512_set1_epi32(1 << 16));
            let pairs = _mm512_loadu_si512(PAIRS.as_ptr().cast());
            let pairs = _mm512_permutex2var_epi32(first, pairs, second);
            _mm512_storeu_si512(matches.as_mut_ptr().cast(), pairs);
            is_long & 0xff
        }
    }
}

/// The first elements of two vectors in turns.
const PAIRS: [u32; GROUP] = [0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23];

/// Indices of the hashed bytes of each position of a group.
const WINDOWS: [u8; 4 * GROUP] = {
    let mut places = [0; 4 * GROUP];
    let mut i = 0;
    while i < places.len() {
        places[i] = (i / 4 + i % 4) as u8;
        i += 1;
    }
    places
};

/// Returns the indices of the hashed bytes in a register.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn windows() -> __m512i {
    // SAFETY: there are 64 bytes.
    unsafe { _mm512_loadu_si512(WINDOWS.as_ptr().cast()) }
}

/// The buckets of a group's positions.
///
/// # Safety
/// The processor has the features, and 32 bytes may be read.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vpopcntdq,bmi1,bmi2,lzcnt")]
pub(crate) unsafe fn hashes<const LONG: usize, const SKIP: usize>(
    here: *const u8,
    shift: __m128i,
) -> [[u16; GROUP]; 2] {
    let mut hashes = [[0_u16; GROUP]; 2];
    let hash = |spread| _mm512_cvtepi32_epi16(_mm512_srl_epi32(spread, shift));
    // SAFETY: see above; the arrays have 64 and 32 bytes.
    unsafe {
        let windows = _mm512_add_epi8(windows(), _mm512_set1_epi8(SKIP as i8));
        let bytes = _mm512_broadcast_i64x4(_mm256_loadu_si256(here.cast()));
        let four = _mm512_permutexvar_epi8(windows, bytes);
        let low = _mm512_mullo_epi32(four, _mm512_set1_epi32(SPREAD as i32));
        _mm256_storeu_si256(hashes[0].as_mut_ptr().cast(), hash(low));
        if LONG > 0 {
            let high = _mm512_permutexvar_epi8(_mm512_add_epi8(windows, _mm512_set1_epi8(4)), bytes);
            let high = _mm512_mullo_epi32(high, _mm512_set1_epi32(SPREAD_HIGH as i32));
            let spread = _mm512_add_epi32(low, high);
            _mm256_storeu_si256(hashes[1].as_mut_ptr().cast(), hash(spread));
        }
    }
    hashes
}

/// As `MatchFinder::insert_range` for positions that are not searched.
///
/// # Safety
/// The processor has the features; 32 bytes follow each position, and the match finder has the ways
/// and room for them.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vpopcntdq,bmi1,bmi2,lzcnt")]
pub(crate) unsafe fn insert_each<const SHORT: usize, const LONG: usize, const SKIP: usize>(
    match_finder: &mut MatchFinder,
    buffer: &[u8],
    range: Range<usize>,
    shift: __m128i,
) {
    let base = match_finder.base;
    for group in range.clone().step_by(GROUP) {
        // SAFETY: see above. A hash is below the number of buckets.
        unsafe {
            let hashes = hashes::<LONG, SKIP>(buffer.as_ptr().add(group), shift);
            for (i, at) in (group..range.end.min(group + GROUP)).enumerate() {
                let position = (at - base) as u16;
                push::<SHORT>(
                    match_finder.short.positions.as_mut_ptr().add(usize::from(hashes[0][i]) * SHORT),
                    position,
                );
                if LONG > 0 {
                    push::<LONG>(
                        match_finder.long.positions.as_mut_ptr().add(usize::from(hashes[1][i]) * LONG),
                        position,
                    );
                }
            }
        }
    }
}
