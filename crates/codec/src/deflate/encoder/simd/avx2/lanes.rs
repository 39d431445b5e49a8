//! Greedy walks of thirty-two lanes at once, in vectors.

use super::{BIAS, Eight, WIDTH, biased_log2, set};
use crate::deflate::encoder::match_finder::chains::{CHUNK, Chains, GROUP, MAX_BACKWARD};
use crate::deflate::encoder::parser::greedy::lanes::LaneRanges;
use crate::deflate::encoder::parser::greedy::{
    COMPARED, GreedyParser, LATER_BONUS, LOOKAHEAD, MARGIN, MAX_SKIPPED, MIN_LEN, WORTH_PER_BYTE,
};
use crate::deflate::encoder::simd::lanes::extend_lanes;
use crate::deflate::encoder::symbols::{MIN_MATCH, WINDOW};
use std::arch::x86_64::*;

/// Vectors of lanes, at most.
const VECTORS: usize = LaneRanges::GROUPS * GROUP / WIDTH;

/// Walks all lanes, and writes each step into the rows: the number of literals, from bit 3 the
/// length of the match after them, from bit 12 its distance less one. A length of 1 is a literal's,
/// and a lane at its end has steps of length 0.
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
        // Each part of a step runs for all vectors in turn, so that none waits for its own recent
        // stores.
        let mut is_going = set(0);
        for (of, compared) in of.iter_mut().zip(&mut compared) {
            is_going = _mm256_or_si256(is_going, _mm256_cmpgt_epi32(of.end, of.at));
            // SAFETY: lanes are in the chunk. Its distances and bits were checked to exist.
            unsafe { find_candidates(chains, of, compared) };
        }
        if _mm256_testz_si256(is_going, is_going) == 1 {
            break;
        }
        for compared in &mut compared[..of.len()] {
            // SAFETY: positions are at most the end, and lookahead less than `LOOKAHEAD` more,
            // which `MARGIN` bytes allow for; candidates are no later, and not below
            // `MAX_BACKWARD`.
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

/// Chooses the steps of lanes, takes them, and returns their half of a row.
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
        let lookahead = LookaheadPosition::new(number, of.first, of.at, of.end);
        let found = compared.candidates[number].iter().zip(&compared.equal[number]);
        for (order, (candidate, equal)) in found.enumerate() {
            best = _mm256_max_epi32(best, lookahead.of(order, equal.load(), candidate.load()));
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
    let [mut starts, mut lengths, mut distances] = [Eight::ZEROS; 3];
    starts.store(start);
    lengths.store(len);
    distances.store(distance);
    extend_lanes(buffer, chunk, is_long as u32, [&starts.0, &distances.0], &mut lengths.0);
    lengths.load()
}

/// Positions of a vector's lanes, from the start of the chunk.
#[derive(Clone, Copy)]
pub(crate) struct LaneState {
    pub(crate) at: __m256i,
    pub(crate) end: __m256i,
    /// The first position with a candidate, or where the step ends without.
    pub(crate) first: __m256i,
}

/// Comparisons of a vector's lanes.
#[derive(Clone, Copy)]
pub(crate) struct Compared<const DEPTH: usize> {
    first: Eight,
    /// By lookahead position and candidate: position of the candidate.
    pub(crate) candidates: [[Eight; DEPTH]; LOOKAHEAD],
    /// Mask of the bytes from `MAX_BACKWARD` before on that are equal.
    pub(crate) equal: [[Eight; DEPTH]; LOOKAHEAD],
}

impl<const DEPTH: usize> Compared<DEPTH> {
    pub(crate) const EMPTY: Self = Self {
        first: Eight::ZEROS,
        candidates: [[Eight::ZEROS; DEPTH]; LOOKAHEAD],
        equal: [[Eight::ZEROS; DEPTH]; LOOKAHEAD],
    };
}

/// Looks for positions with candidates, and for these.
///
/// # Safety
/// The processor has the features, and lanes are in the chunk.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
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
            |at: __m256i| _mm256_and_si256(_mm256_i32gather_epi32::<2>(distances.cast(), at), set(0xffff));
        let bytes = _mm256_srli_epi32::<3>(of.at);
        let bits = _mm256_i32gather_epi32::<1>(chains.found.as_ptr().cast(), bytes);
        let bits = _mm256_srlv_epi32(bits, _mm256_and_si256(of.at, set(7)));
        let bits = _mm256_or_si256(bits, set(1 << MAX_SKIPPED));
        let lowest = _mm256_and_si256(bits, _mm256_sub_epi32(set(0), bits));
        let passed = _mm256_sub_epi32(biased_log2(lowest), set(BIAS));
        of.first = _mm256_min_epu32(_mm256_add_epi32(of.at, passed), of.end);
        to.first.store(of.first);
        // The distances of two neighbours at once.
        let pair = _mm256_i32gather_epi32::<2>(distances.cast(), of.first);
        let third = distance_at(_mm256_add_epi32(of.first, set(2)));
        let nearest = [_mm256_and_si256(pair, set(0xffff)), _mm256_srli_epi32::<16>(pair), third];
        for (lookahead, (candidates, nearest)) in to.candidates.iter_mut().zip(nearest).enumerate() {
            let at = _mm256_add_epi32(of.first, set(lookahead as i32));
            let mut candidate = _mm256_max_epi32(_mm256_sub_epi32(at, nearest), min_candidate);
            candidates[0].store(candidate);
            for row in &mut candidates[1..] {
                let next = _mm256_sub_epi32(candidate, distance_at(candidate));
                let is_far = _mm256_cmpgt_epi32(_mm256_sub_epi32(at, next), window);
                candidate = _mm256_blendv_epi8(_mm256_max_epi32(next, min_candidate), candidate, is_far);
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
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(crate) unsafe fn compare<const DEPTH: usize>(chunk: *const u8, of: &mut Compared<DEPTH>) {
    const { assert!(COMPARED == 32) };
    for lane in 0..WIDTH {
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
                    let equal = _mm256_movemask_epi8(_mm256_cmpeq_epi8(here, there));
                    (&raw mut of.equal[lookahead][way].0[lane]).write_volatile(equal as u32);
                }
            }
        }
    }
}

/// First bit of the worth of a match, as in `greedy::walk`, plus [`MORE`]. A number is 0 for none.
const WORTH: u32 = 23;
/// First bit of the rank of the lookahead position: of matches of equal worth, the earlier wins.
const LOOKAHEAD_RANK: u32 = 21;
/// First bit of the rank of the candidate, for the same reason.
const CANDIDATE: u32 = 17;
/// First bit of the number of bytes before the lookahead position. It never decides, as no two
/// candidates have the same rank.
const BEHIND: u32 = 15;
/// Added so that no worth is negative: the doublings of the maximum distance, and one.
const MORE: i32 = WINDOW.ilog2() as i32 + 1;

/// The maximum worth fits the bits above, except the sign; distances less one, and ranks, fit those
/// below.
const _: () = {
    let most = WORTH_PER_BYTE * COMPARED as i32 + LATER_BONUS * (LOOKAHEAD as i32 - 1) + MORE;
    assert!(WORTH_PER_BYTE == 5 && most < 1 << (31 - WORTH) && WINDOW <= 1 << BEHIND);
    assert!(LOOKAHEAD <= 3 && MAX_BACKWARD < 1 << (CANDIDATE - BEHIND));
};

/// Candidates of a lookahead that ranks tell from each other.
pub(crate) const DEEPEST: usize = 1 << (LOOKAHEAD_RANK - CANDIDATE);

/// The step that is taken: of each lane.
pub(crate) struct Chosen {
    pub(crate) is_match: __m256i,
    pub(crate) start: __m256i,
    pub(crate) len: __m256i,
    pub(crate) distance: __m256i,
}

/// A lookahead's position in each lane.
#[derive(Clone, Copy)]
pub(crate) struct LookaheadPosition {
    number: usize,
    at: __m256i,
    is_inside: __m256i,
    /// Maximum bytes by which a match may be extended backwards.
    max_backward: __m256i,
}

impl LookaheadPosition {
    /// Returns the lookahead position `number` after `first`, in lanes whose steps begin at `from`
    /// and that end at `end`.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(crate) fn new(number: usize, first: __m256i, from: __m256i, end: __m256i) -> Self {
        let at = _mm256_add_epi32(first, set(number as i32));
        Self { number, at, is_inside: _mm256_cmpgt_epi32(end, at), max_backward: _mm256_sub_epi32(at, from) }
    }

    /// Returns the number of a match with a candidate, given the mask of equal bytes from
    /// `MAX_BACKWARD` before on. A candidate at the position itself is none.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(crate) fn of(self, order: usize, equal: __m256i, candidate: __m256i) -> __m256i {
        const { assert!(MAX_BACKWARD == 2) };
        let distance = _mm256_sub_epi32(self.at, candidate);
        // By the lowest three bits: the second is the byte before, and the first the one before
        // that.
        let of_bits = _mm256_setr_epi32(0, 0, 1, 2, 0, 0, 1, 2);
        let behind = _mm256_min_epu32(_mm256_permutevar8x32_epi32(of_bits, equal), self.max_backward);
        // The lowest bit that is not set, from the position on; above them, none is.
        let ahead = _mm256_srli_epi32::<{ MAX_BACKWARD as i32 }>(equal);
        let end = _mm256_andnot_si256(ahead, _mm256_add_epi32(ahead, set(1)));
        let len = _mm256_add_epi32(biased_log2(end), behind);
        let of_len = _mm256_add_epi32(_mm256_slli_epi32::<2>(len), len);
        let worth = _mm256_sub_epi32(of_len, biased_log2(distance));
        // The added number removes both biases, and takes one off the distance.
        let added = MORE + LATER_BONUS * self.number as i32 + BIAS - WORTH_PER_BYTE * BIAS;
        let rank =
            ((LOOKAHEAD - 1 - self.number) << LOOKAHEAD_RANK | (DEEPEST - 1 - order) << CANDIDATE) as i32;
        let rest = _mm256_add_epi32(_mm256_slli_epi32::<{ BEHIND as i32 }>(behind), distance);
        let number = _mm256_add_epi32(
            _mm256_slli_epi32::<{ WORTH as i32 }>(worth),
            _mm256_add_epi32(rest, set((added << WORTH) + rank - 1)),
        );
        let is_none = _mm256_cmpeq_epi32(distance, set(0));
        _mm256_andnot_si256(is_none, _mm256_and_si256(number, self.is_inside))
    }
}

/// Decodes the greatest number, as `choose` of `greedy::walk` returns it, in lanes that end at
/// `end`.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn choose(best: __m256i, first: __m256i, end: __m256i) -> Chosen {
    let field = |from: u32, to: u32| {
        _mm256_and_si256(_mm256_srl_epi32(best, count(from)), set((1 << (to - from)) - 1))
    };
    let distance = _mm256_add_epi32(field(0, BEHIND), set(1));
    let lookahead = _mm256_sub_epi32(set(LOOKAHEAD as i32 - 1), field(LOOKAHEAD_RANK, WORTH));
    let start = _mm256_sub_epi32(_mm256_add_epi32(first, lookahead), field(BEHIND, CANDIDATE));
    let doublings = _mm256_sub_epi32(biased_log2(distance), set(BIAS));
    const { assert!(LATER_BONUS == 1) };
    let worth = _mm256_sub_epi32(_mm256_srli_epi32::<{ WORTH as i32 }>(best), lookahead);
    let of_len = _mm256_sub_epi32(_mm256_add_epi32(worth, doublings), set(MORE));
    let len = fifth(of_len);
    let is_short = _mm256_cmpgt_epi32(set(MIN_LEN as i32), len);
    // A match that the end of the lane would cut below the minimum length is none.
    let is_cut = _mm256_cmpgt_epi32(_mm256_add_epi32(start, set(MIN_MATCH as i32)), end);
    let is_none = _mm256_or_si256(_mm256_cmpeq_epi32(best, set(0)), _mm256_or_si256(is_short, is_cut));
    Chosen { is_match: _mm256_xor_si256(is_none, set(-1)), start, len, distance }
}

/// A count of bits for shifts.
#[inline]
#[target_feature(enable = "avx2")]
fn count(bits: u32) -> __m128i {
    _mm_cvtsi32_si128(bits as i32)
}

/// Returns a fifth of a multiple of five up to 5 * 32. The product is slightly too large, by less
/// than one, and rounded down.
#[inline]
#[target_feature(enable = "avx2")]
fn fifth(of: __m256i) -> __m256i {
    _mm256_srli_epi32::<10>(_mm256_mullo_epi16(of, set(205)))
}
