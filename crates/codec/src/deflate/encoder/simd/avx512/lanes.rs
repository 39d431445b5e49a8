//! Greedy walks of thirty-two lanes at once, in vectors.

use super::set;
use crate::deflate::encoder::match_finder::chains::{CHUNK, Chains, GROUP, MAX_BACKWARD};
use crate::deflate::encoder::parser::greedy::lanes::LaneRanges;
use crate::deflate::encoder::parser::greedy::{
    COMPARED, GreedyParser, LATER_BONUS, LOOKAHEAD, MARGIN, MAX_SKIPPED, MIN_LEN, Row, WORTH_PER_BYTE,
};
use crate::deflate::encoder::simd::lanes::extend_lanes;
use crate::deflate::encoder::symbols::{MIN_MATCH, WINDOW};
use std::arch::x86_64::*;

/// Walks all lanes, and writes each step into the rows: the number of literals, from bit 3 the
/// length of the match after them, from bit 12 its distance less one. A length of 1 is a literal's,
/// and a lane at its end has steps of length 0.
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
        // Each part of a step runs for all vectors in turn, so that none waits for its own recent
        // stores.
        let mut is_going = 0;
        for (of, compared) in of.iter_mut().zip(&mut compared) {
            is_going |= _mm512_cmplt_epu32_mask(of.at, of.end);
            // SAFETY: lanes are in the chunk. Its distances and bits were checked to exist.
            unsafe { find_candidates(chains, of, compared) };
        }
        if is_going == 0 {
            break;
        }
        for compared in &mut compared[..of.len()] {
            // SAFETY: positions are at most the end, and lookahead less than `LOOKAHEAD` more,
            // which `MARGIN` bytes allow for; candidates are no later, and not below
            // `MAX_BACKWARD`.
            unsafe { compare(buffer.as_ptr().add(chains.chunk), compared) };
        }
        for ((of, compared), row) in of.iter_mut().zip(&compared).zip(rows) {
            row.store(step(buffer, chains.chunk, of, compared));
        }
    }
}

/// Chooses the steps of lanes, takes them, and returns their row.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512cd,avx512vpopcntdq,bmi1,bmi2,lzcnt,popcnt")]
fn step<const DEPTH: usize>(
    buffer: &[u8],
    chunk: usize,
    of: &mut LaneState,
    compared: &Compared<DEPTH>,
) -> __m512i {
    let mut lookaheads = [None; LOOKAHEAD];
    for (number, lookahead) in lookaheads.iter_mut().enumerate() {
        let at = _mm512_add_epi32(of.first, set(number as i32));
        let is_inside = _mm512_cmplt_epu32_mask(at, of.end);
        for (candidate, differ) in compared.candidates[number].iter().zip(&compared.differ[number]) {
            let found = LookaheadMatch::of(differ.load(), candidate.load(), at, of.at, is_inside);
            *lookahead = Some(lookahead.map_or(found, |best: LookaheadMatch| best.or(found, 0)));
        }
    }
    let Chosen { is_match, start, mut len, distance } = choose(
        lookaheads.map(|lookahead| lookahead.expect("there is a candidate for each lookahead")),
        of.end,
    );
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
    let [mut starts, mut lengths, mut distances] = [ZEROS; 3];
    starts.store(start);
    lengths.store(len);
    distances.store(distance);
    extend_lanes(buffer, chunk, is_long.into(), [&starts.0, &distances.0], &mut lengths.0);
    lengths.load()
}

/// Positions of a vector's lanes, from the start of the chunk.
#[derive(Clone, Copy)]
pub(crate) struct LaneState {
    pub(crate) at: __m512i,
    pub(crate) end: __m512i,
    /// The first position with a candidate, or where the step ends without.
    pub(crate) first: __m512i,
}

/// Comparisons of a vector's lanes.
#[derive(Clone, Copy)]
pub(crate) struct Compared<const DEPTH: usize> {
    pub(crate) first: Row,
    /// By lookahead position and candidate: position of the candidate.
    pub(crate) candidates: [[Row; DEPTH]; LOOKAHEAD],
    /// Mask of the bytes from `MAX_BACKWARD` before on that differ.
    pub(crate) differ: [[Row; DEPTH]; LOOKAHEAD],
}

impl<const DEPTH: usize> Compared<DEPTH> {
    pub(crate) const EMPTY: Self =
        Self { first: ZEROS, candidates: [[ZEROS; DEPTH]; LOOKAHEAD], differ: [[ZEROS; DEPTH]; LOOKAHEAD] };
}

pub(crate) const ZEROS: Row = Row([0; GROUP]);

impl Row {
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn load(&self) -> __m512i {
        // SAFETY: a row has 64 bytes, and its alignment.
        unsafe { _mm512_load_si512(self.0.as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn store(&mut self, vector: __m512i) {
        // SAFETY: as above.
        unsafe { _mm512_store_si512(self.0.as_mut_ptr().cast(), vector) }
    }
}

/// Looks for positions with candidates, and for these.
///
/// # Safety
/// The processor has the features, and lanes are in the chunk.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512cd,avx512vpopcntdq,bmi1,bmi2,lzcnt,popcnt")]
pub(crate) unsafe fn find_candidates<const DEPTH: usize>(
    chains: &Chains,
    of: &mut LaneState,
    to: &mut Compared<DEPTH>,
) {
    assert!(chains.distances.len() >= WINDOW + CHUNK + 4 && chains.found.len() >= CHUNK / 8 + 4);
    // No candidate is below: the bytes before it exist, and so does its own distance.
    let min_candidate = set(MAX_BACKWARD as i32 - chains.chunk.min(WINDOW + MAX_BACKWARD) as i32);
    let window = set(chains.window as i32);
    // SAFETY: positions of lanes are at most CHUNK, and lookahead two more: there are four bytes of
    // bits from each on, and two elements of distances. Candidates are from -WINDOW on, where
    // distances start, up to these positions.
    unsafe {
        let distances = chains.distances.as_ptr().add(WINDOW);
        let distance_at =
            |at: __m512i| _mm512_and_si512(_mm512_i32gather_epi32::<2>(at, distances.cast()), set(0xffff));
        let bits = _mm512_i32gather_epi32::<1>(_mm512_srli_epi32::<3>(of.at), chains.found.as_ptr().cast());
        let bits = _mm512_srlv_epi32(bits, _mm512_and_si512(of.at, set(7)));
        let bits = _mm512_or_si512(bits, set(1 << MAX_SKIPPED));
        let passed = _mm512_popcnt_epi32(_mm512_andnot_si512(bits, _mm512_add_epi32(bits, set(-1))));
        of.first = _mm512_min_epu32(_mm512_add_epi32(of.at, passed), of.end);
        to.first.store(of.first);
        // The distances of two neighbours at once.
        let pair = _mm512_i32gather_epi32::<2>(of.first, distances.cast());
        let third = distance_at(_mm512_add_epi32(of.first, set(2)));
        let nearest = [_mm512_and_si512(pair, set(0xffff)), _mm512_srli_epi32::<16>(pair), third];
        for (lookahead, (candidates, nearest)) in to.candidates.iter_mut().zip(nearest).enumerate() {
            let at = _mm512_add_epi32(of.first, set(lookahead as i32));
            let mut candidate = _mm512_max_epi32(_mm512_sub_epi32(at, nearest), min_candidate);
            candidates[0].store(candidate);
            for row in &mut candidates[1..] {
                let next = _mm512_sub_epi32(candidate, distance_at(candidate));
                let is_near = _mm512_cmple_epu32_mask(_mm512_sub_epi32(at, next), window);
                candidate = _mm512_mask_max_epi32(candidate, is_near, next, min_candidate);
                row.store(candidate);
            }
        }
    }
}

/// Compares bytes from `MAX_BACKWARD` before positions on.
///
/// # Safety
/// The processor has the features; from `MAX_BACKWARD` before all positions and candidates on,
/// `COMPARED` bytes may be read.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512cd,avx512vpopcntdq,bmi1,bmi2,lzcnt,popcnt")]
pub(crate) unsafe fn compare<const DEPTH: usize>(chunk: *const u8, of: &mut Compared<DEPTH>) {
    const { assert!(COMPARED == 32) };
    for lane in 0..GROUP {
        // SAFETY: see above. Volatile, as the compiler would otherwise take elements from vectors,
        // and assemble vectors from elements, each of which takes longer than a store and a load.
        unsafe {
            let first = (&raw const of.first.0[lane]).read_volatile() as isize;
            for lookahead in 0..LOOKAHEAD {
                let here = _mm256_loadu_si256(
                    chunk.offset(first + lookahead as isize - MAX_BACKWARD as isize).cast(),
                );
                for way in 0..DEPTH {
                    let candidate = (&raw const of.candidates[lookahead][way].0[lane]).read_volatile() as i32;
                    let there =
                        _mm256_loadu_si256(chunk.offset(candidate as isize - MAX_BACKWARD as isize).cast());
                    let differ = _mm256_cmpneq_epi8_mask(here, there);
                    (&raw mut of.differ[lookahead][way].0[lane]).write_volatile(differ);
                }
            }
        }
    }
}

/// Match at a lookahead position, or the best of several, of each lane.
#[derive(Clone, Copy)]
pub(crate) struct LookaheadMatch {
    /// Start of the match.
    start: __m512i,
    pub(crate) len: __m512i,
    pub(crate) distance: __m512i,
    /// As in `greedy::walk`, but with the leading zeros of the distance added instead of its
    /// doublings subtracted, which makes it 31 more; 0 for no match.
    worth: __m512i,
}

const _: () = assert!(WORTH_PER_BYTE == 5);

/// The step that is taken: of each lane.
pub(crate) struct Chosen {
    pub(crate) is_match: __mmask16,
    pub(crate) start: __m512i,
    pub(crate) len: __m512i,
    pub(crate) distance: __m512i,
}

impl LookaheadMatch {
    /// Returns the matches with candidates for positions `at` in the mask `is_inside`, in lanes
    /// whose steps begin at `from`, given the mask of bytes from `MAX_BACKWARD` before on that
    /// differ. A candidate at the position itself is none.
    #[inline]
    #[target_feature(enable = "avx512f,avx512cd,avx512vpopcntdq")]
    pub(crate) fn of(
        differ: __m512i,
        candidate: __m512i,
        at: __m512i,
        from: __m512i,
        is_inside: __mmask16,
    ) -> Self {
        const AHEAD: u32 = (COMPARED - MAX_BACKWARD) as u32;
        let distance = _mm512_sub_epi32(at, candidate);
        // Zeros in front of the difference before the position, shifted up, with a one to end them.
        let before = _mm512_or_si512(_mm512_slli_epi32::<AHEAD>(differ), set(1 << (AHEAD - 1)));
        let behind = _mm512_min_epu32(_mm512_lzcnt_epi32(before), _mm512_sub_epi32(at, from));
        // Zeros below the first difference from the position on.
        let after = _mm512_or_si512(_mm512_srli_epi32::<{ MAX_BACKWARD as u32 }>(differ), set(1 << AHEAD));
        let below = _mm512_andnot_si512(after, _mm512_add_epi32(after, set(-1)));
        let len = _mm512_add_epi32(_mm512_popcnt_epi32(below), behind);
        let is_match = _mm512_mask_test_epi32_mask(is_inside, distance, distance);
        let of_len = _mm512_add_epi32(_mm512_slli_epi32::<{ WORTH_PER_BYTE.ilog2() }>(len), len);
        let worth = _mm512_maskz_add_epi32(is_match, of_len, _mm512_lzcnt_epi32(distance));
        Self { start: _mm512_sub_epi32(at, behind), len, distance, worth }
    }

    /// Returns the other match in lanes where it is worth more, with `added` to its worth.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn or(self, other: Self, added: i32) -> Self {
        let is_match = _mm512_test_epi32_mask(other.worth, other.worth);
        let worth = _mm512_maskz_add_epi32(is_match, other.worth, set(added));
        let is_other = _mm512_cmpgt_epi32_mask(worth, self.worth);
        let better = |this, other| _mm512_mask_mov_epi32(this, is_other, other);
        Self {
            start: better(self.start, other.start),
            len: better(self.len, other.len),
            distance: better(self.distance, other.distance),
            worth: better(self.worth, worth),
        }
    }
}

/// As `choose` of `greedy::lane`, in lanes that end at `end`.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn choose(lookaheads: [LookaheadMatch; LOOKAHEAD], end: __m512i) -> Chosen {
    let mut best = lookaheads[0];
    for (number, &lookahead) in lookaheads.iter().enumerate().skip(1) {
        best = best.or(lookahead, LATER_BONUS * number as i32);
    }
    let LookaheadMatch { start, len, distance, worth } = best;
    let is_match =
        _mm512_mask_cmpge_epu32_mask(_mm512_test_epi32_mask(worth, worth), len, set(MIN_LEN as i32));
    // A match that the end of the lane would cut below the minimum length is none.
    let is_match =
        _mm512_mask_cmple_epu32_mask(is_match, _mm512_add_epi32(start, set(MIN_MATCH as i32)), end);
    Chosen { is_match, start, len, distance }
}
