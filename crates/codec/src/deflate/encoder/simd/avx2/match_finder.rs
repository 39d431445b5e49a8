//! Match finder, a group of positions at a time, with one comparison of 32 bytes for each
//! candidate.

use super::{BIAS, WIDTH, biased_log2, set};
use crate::deflate::encoder::match_finder::buckets::{HASHED_LONG, SPREAD, SPREAD_HIGH};
use crate::deflate::encoder::match_finder::{COMPARED, GROUP, MatchFinder, extend};
use crate::deflate::encoder::simd::buckets::{check, push};
use std::arch::x86_64::*;
use std::ops::Range;

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
    // Short and long buckets have the same number of bits.
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
                // SAFETY: as above, for the positions from `searched` up to `end`, which is in the
                // range.
                unsafe { insert_each::<SHORT, LONG, SKIP>(match_finder, buffer, searched..end, shift) };
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
/// The processor has the features, and the match finder, which is checked, has room for the
/// positions.
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
    // Loads are volatile: otherwise the compiler assembles vectors from registers, element by
    // element. SAFETY: 32 bytes from each of the positions are in the buffer, and 32 bytes from any
    // smaller one. All positions in buckets were stored, less the moves of the base: they are below
    // the position that is looked up, counted from the base. A hash has `bits` bits: its bucket
    // exists.
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

/// As `MatchFinder::insert_range`, for positions with 32 bytes after them that the match finder has
/// room for.
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
    unsafe { insert_each::<SHORT, LONG, SKIP>(match_finder, buffer, range, shift) };
}

/// Comparisons of a group, by way, for each searched position.
pub(crate) struct Group<const WAYS: usize, const SKIP: usize> {
    pub(crate) candidates: [[u16; GROUP]; WAYS],
    /// Mask of equal bytes among the `COMPARED`.
    pub(crate) equal: [[u32; GROUP]; WAYS],
}

impl<const WAYS: usize, const SKIP: usize> Group<WAYS, SKIP> {
    pub(crate) const EMPTY: Self = Self { candidates: [[0; GROUP]; WAYS], equal: [[0; GROUP]; WAYS] };

    /// The candidates of a place that are equal for `COMPARED` bytes.
    pub(crate) fn longest(&self, place: usize) -> impl Iterator<Item = usize> {
        let searched = place / (1 + SKIP);
        let ways = self.equal.iter().zip(&self.candidates);
        ways.filter(move |way| way.0[searched] == u32::MAX).map(move |way| way.1[searched].into())
    }

    /// Sets the matches of a group that starts at a position from the base, and returns a mask of
    /// the searched positions with matches of `COMPARED` bytes.
    ///
    /// # Safety
    /// The processor has the features.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(crate) unsafe fn finish(&self, relative: u16, matches: &mut [u32]) -> u32 {
        assert!(matches.len() == GROUP);
        let mut is_long = 0;
        let numbers = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        for vector in 0..GROUP / WIDTH / (1 + SKIP) {
            let first = vector * WIDTH;
            // SAFETY: `first` is 0, or 8 of 16.
            let (best, from) = unsafe { self.best(first) };
            let of = _mm256_add_epi32(numbers, set(first as i32));
            let of = if SKIP == 0 { of } else { _mm256_add_epi32(of, of) };
            let positions = _mm256_add_epi32(set(relative.into()), of);
            let distances = _mm256_sub_epi32(positions, from);
            let is_all = _mm256_cmpeq_epi32(best, set(-1));
            is_long |= (_mm256_movemask_ps(_mm256_castsi256_ps(is_all)) as u32) << first;
            let found = |equal| _mm256_or_si256(_mm256_slli_epi32::<16>(count_ones(equal)), distances);
            let to: *mut __m256i = matches[first..].as_mut_ptr().cast();
            // SAFETY: there are 16 matches; of pairs, all are set at once, otherwise the eight from
            // `first` on.
            unsafe {
                if SKIP == 0 {
                    _mm256_storeu_si256(to, found(best));
                    continue;
                }
                let is_equal = _mm256_cmpeq_epi32(_mm256_and_si256(best, set(1)), set(1));
                let found = found(_mm256_or_si256(best, set(1)));
                let first = _mm256_blendv_epi8(distances, found, is_equal);
                let second = _mm256_sub_epi32(found, set(1 << 16));
                let (low, high) =
                    (_mm256_unpacklo_epi32(first, second), _mm256_unpackhi_epi32(first, second));
                _mm256_storeu_si256(to, _mm256_permute2x128_si256::<0x20>(low, high));
                _mm256_storeu_si256(to.add(1), _mm256_permute2x128_si256::<0x31>(low, high));
            }
        }
        is_long
    }

    /// Returns, for eight positions from `first` on, ones for the equal bytes of the best
    /// candidate, and that candidate; the first of equally good ones. With pairs, the first byte
    /// counts least.
    ///
    /// # Safety
    /// The processor has the features, and groups have eight positions from `first` on.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    unsafe fn best(&self, first: usize) -> (__m256i, __m256i) {
        let ones = |way: usize| {
            // SAFETY: see above.
            let equal = unsafe { _mm256_loadu_si256(self.equal[way].as_ptr().add(first).cast()) };
            let hashed = if SKIP == 0 { equal } else { _mm256_or_si256(equal, set(1)) };
            _mm256_andnot_si256(_mm256_add_epi32(hashed, set(1)), equal)
        };
        let candidate = |way: usize| {
            // SAFETY: see above.
            unsafe { _mm256_cvtepu16_epi32(_mm_loadu_si128(self.candidates[way].as_ptr().add(first).cast())) }
        };
        let (mut best, mut from) = (ones(0), candidate(0));
        for way in 1..WAYS {
            let better = _mm256_max_epu32(best, ones(way));
            let is_same = _mm256_cmpeq_epi32(better, best);
            from = _mm256_blendv_epi8(candidate(way), from, is_same);
            best = better;
        }
        (best, from)
    }
}

/// Returns the number of ones in numbers without a zero below a one.
#[inline]
#[target_feature(enable = "avx2")]
fn count_ones(of: __m256i) -> __m256i {
    // One more than half of the number is a power of two, and its logarithm the count of that half.
    // 2^31 is taken for negative, so the sign is removed.
    let power = _mm256_add_epi32(_mm256_srli_epi32::<1>(of), set(1));
    let log2 = _mm256_sub_epi32(_mm256_and_si256(biased_log2(power), set(0xff)), set(BIAS));
    _mm256_add_epi32(log2, _mm256_and_si256(of, set(1)))
}

/// Bytes that are loaded for half a group.
const LOADED: usize = 16;

/// The loaded bytes suffice for the hashes, and the other half's are within the readable ones, with
/// one skipped byte before them.
const _: () = assert!(WIDTH - 1 + HASHED_LONG <= LOADED && WIDTH + 1 + LOADED <= COMPARED);

/// Indices of the four bytes at each of eight positions, in both halves of a vector.
pub(crate) const WINDOWS: [u8; 4 * WIDTH] = {
    let mut places = [0; 4 * WIDTH];
    let mut i = 0;
    while i < places.len() {
        places[i] = (i / 4 + i % 4) as u8;
        i += 1;
    }
    places
};

/// The hashes of half a group, before all but their high bits are shifted out.
///
/// # Safety
/// The processor has the features, and `LOADED` bytes may be read.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn spread<const LONG: usize>(from: *const u8) -> [__m256i; 2] {
    // SAFETY: see above; there are 32 places.
    let (windows, bytes) = unsafe {
        let windows = _mm256_loadu_si256(WINDOWS.as_ptr().cast());
        (windows, _mm256_broadcastsi128_si256(_mm_loadu_si128(from.cast())))
    };
    let low = _mm256_mullo_epi32(_mm256_shuffle_epi8(bytes, windows), set(SPREAD as i32));
    if LONG == 0 {
        return [low, low];
    }
    let after = _mm256_shuffle_epi8(bytes, _mm256_add_epi8(windows, _mm256_set1_epi8(4)));
    let high = _mm256_mullo_epi32(after, set(SPREAD_HIGH as i32));
    [low, _mm256_add_epi32(low, high)]
}

/// The buckets of a group's positions.
///
/// # Safety
/// The processor has the features, and 32 bytes may be read.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(crate) unsafe fn hashes<const LONG: usize, const SKIP: usize>(
    here: *const u8,
    shift: __m128i,
) -> [[u16; GROUP]; 2] {
    let mut hashes = [[0_u16; GROUP]; 2];
    // SAFETY: see above, and where `LOADED` is; the arrays have 32 bytes each.
    unsafe {
        let low = spread::<LONG>(here.add(SKIP));
        let high = spread::<LONG>(here.add(SKIP + WIDTH));
        for kind in 0..if LONG == 0 { 1 } else { 2 } {
            let (low, high) = (_mm256_srl_epi32(low[kind], shift), _mm256_srl_epi32(high[kind], shift));
            // Packing works on halves of vectors, so the order is restored.
            let packed = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi32(low, high));
            _mm256_storeu_si256(hashes[kind].as_mut_ptr().cast(), packed);
        }
    }
    hashes
}

/// As `MatchFinder::insert_range` for positions that are not searched.
///
/// # Safety
/// The processor has the features; 32 bytes follow each position, and the match finder has the ways
/// and room for them.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(crate) unsafe fn insert_each<const SHORT: usize, const LONG: usize, const SKIP: usize>(
    match_finder: &mut MatchFinder,
    buffer: &[u8],
    range: Range<usize>,
    shift: __m128i,
) {
    let base = match_finder.base;
    let (short, long) = (match_finder.short.positions.as_mut_ptr(), match_finder.long.positions.as_mut_ptr());
    for group in range.clone().step_by(GROUP) {
        // SAFETY: see above. A hash is below the number of buckets.
        unsafe {
            let hashes = hashes::<LONG, SKIP>(buffer.as_ptr().add(group), shift);
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
