//! Greedy walks of thirty-two lanes at once, in vectors.

use super::vector::{self, Array, Simd, Vector};
use crate::deflate::encoder::match_finder::chains::{CHUNK, Chains, GROUP, MAX_BACKWARD};
use crate::deflate::encoder::match_finder::extend::common_prefix_len;
use crate::deflate::encoder::parser::greedy::lanes::LaneRanges;
use crate::deflate::encoder::parser::greedy::{
    COMPARED, COMPARED_ROWS, GreedyParser, LATER_BONUS, LOOKAHEAD, MARGIN, MAX_SKIPPED, MIN_LEN, Row,
    WORTH_PER_BYTE,
};
use crate::deflate::encoder::symbols::{MAX_MATCH, MIN_MATCH, WINDOW};

/// Walks all lanes, and writes each step into the rows: the number of literals; above it, from bit
/// 3, the length of the match after them; above that, from bit 12, the distance less one. A length
/// of one is a literal's, and a lane at its end has steps of no length. There are at most `VECTORS`
/// vectors of lanes.
#[inline(always)]
pub(crate) fn walk<S: Simd, const VECTORS: usize, const DEPTH: usize>(
    simd: S,
    greedy: &mut GreedyParser,
    buffer: &[u8],
    lane_ranges: &LaneRanges,
) {
    const { assert!(DEPTH <= DEEPEST && VECTORS * S::Vector::LANES == LaneRanges::GROUPS * GROUP) };
    let GreedyParser { chains, rows, compared, .. } = greedy;
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
    let len = simd.splat(lane_ranges.len as i32);
    let last = simd.splat((end - chains.chunk) as i32);
    let mut of = [LaneState::<S> { at: last, end: last, first: last }; VECTORS];
    for (vector, of) in of.iter_mut().enumerate() {
        let number = vector::lanes(simd) + simd.splat((vector * S::Vector::LANES) as i32);
        let at = number * len + simd.splat((start - chains.chunk) as i32);
        of.at = at.min_u32(last);
        of.end = (at + len).min_u32(last);
    }
    let of = &mut of[..lane_ranges.groups * GROUP / S::Vector::LANES];
    let compared = comparisons::<S, VECTORS, DEPTH>(compared);
    for rows in rows.chunks_exact_mut(lane_ranges.groups) {
        // Each part of a step runs for all vectors in turn, so that none waits for its own recent
        // stores.
        let mut is_going = 0;
        for (of, compared) in of.iter_mut().zip(&mut *compared) {
            is_going |= S::Vector::bits(of.end.greater(of.at));
            // SAFETY: lanes are in the chunk. Its distances and bits were checked to exist.
            unsafe { find_candidates(simd, chains, of, compared) };
        }
        if is_going == 0 {
            break;
        }
        for compared in &mut compared[..of.len()] {
            // SAFETY: positions are at most the end, and lookahead less than `LOOKAHEAD` more,
            // which `MARGIN` bytes allow for; candidates are no later, and not below
            // `MAX_BACKWARD`.
            unsafe { compare(simd, buffer.as_ptr().add(chains.chunk), compared) };
        }
        let parts = rows.iter_mut().flat_map(|row| row.0.chunks_exact_mut(S::Vector::LANES));
        for ((of, compared), part) in of.iter_mut().zip(&*compared).zip(parts) {
            let steps = step(simd, buffer, chains.chunk, of, compared);
            // SAFETY: a part of a row has the elements of a vector.
            unsafe { simd.store(steps, part.as_mut_ptr()) };
        }
    }
}

/// Chooses the steps of lanes, takes them, and returns their part of a row.
#[inline(always)]
fn step<S: Simd, const DEPTH: usize>(
    simd: S,
    buffer: &[u8],
    chunk: usize,
    of: &mut LaneState<S>,
    compared: &Compared<S, DEPTH>,
) -> S::Vector {
    let mut best = simd.splat(0);
    for number in 0..LOOKAHEAD {
        let lookahead = LookaheadPosition::new(simd, number, of);
        let found = compared.candidates[number].iter().zip(&compared.equal[number]);
        for (order, (candidate, equal)) in found.enumerate() {
            best = best.max_i32(lookahead.rank(simd, order, simd.get(equal), simd.get(candidate)));
        }
    }
    let Chosen { is_match, start, mut len, distance } = choose(simd, best, of);
    let is_long = is_match & len.greater(simd.splat((COMPARED - MAX_BACKWARD) as i32 - 1));
    let is_long = S::Vector::bits(is_long);
    if is_long != 0 {
        let [mut starts, mut lengths, mut distances] = [S::Array::ZEROS; 3];
        simd.set(&mut starts, start);
        simd.set(&mut lengths, len);
        simd.set(&mut distances, distance);
        extend_lanes(buffer, chunk, is_long, starts.elements(), distances.elements(), lengths.elements_mut());
        len = simd.get(&lengths);
    }
    let start = S::Vector::select(is_match, start, of.first);
    len = S::Vector::select(is_match, len, simd.splat(1)).min_u32(of.end - start);
    let literals = start - of.at;
    of.at = start + len;
    literals | len.shl(3) | (distance - simd.splat(1)).shl(12)
}

/// Sets the lengths of the matches of the lanes in the mask `is_long`, which go on beyond the
/// compared bytes. Starts count from the chunk's.
#[inline(never)]
fn extend_lanes(
    buffer: &[u8],
    chunk: usize,
    is_long: u32,
    starts: &[u32],
    distances: &[u32],
    lengths: &mut [u32],
) {
    for lane in (0..lengths.len()).filter(|lane| is_long >> lane & 1 == 1) {
        let start = chunk + starts[lane] as usize;
        let limit = MAX_MATCH.min(buffer.len() - start);
        lengths[lane] = common_prefix_len(buffer, start - distances[lane] as usize, start, limit) as u32;
    }
}

/// Positions of a vector's lanes, from the start of the chunk.
#[derive(Clone, Copy)]
struct LaneState<S: Simd> {
    at: S::Vector,
    end: S::Vector,
    /// The first position with a candidate, or the end of the step without one.
    first: S::Vector,
}

/// Comparisons of a vector's lanes.
#[derive(Clone, Copy)]
struct Compared<S: Simd, const DEPTH: usize> {
    first: S::Array,
    /// By lookahead position and candidate: position of the candidate.
    candidates: [[S::Array; DEPTH]; LOOKAHEAD],
    /// Mask of the bytes from `MAX_BACKWARD` before on that are equal.
    equal: [[S::Array; DEPTH]; LOOKAHEAD],
}

/// Returns the comparisons of all vectors, in scratch memory.
#[inline(always)]
fn comparisons<S: Simd, const VECTORS: usize, const DEPTH: usize>(
    rows: &mut [Row],
) -> &mut [Compared<S, DEPTH>; VECTORS] {
    const {
        assert!(size_of::<[Compared<S, DEPTH>; VECTORS]>() <= COMPARED_ROWS * size_of::<Row>());
        assert!(align_of::<Compared<S, DEPTH>>() <= align_of::<Row>());
    }
    assert!(rows.len() >= COMPARED_ROWS);
    // SAFETY: just checked to be large enough and aligned; it consists of numbers of 32 bits, as
    // rows do.
    unsafe { &mut *rows.as_mut_ptr().cast() }
}

/// Looks for positions with candidates, and for these.
///
/// # Safety
/// Lanes are in the chunk.
#[inline(always)]
unsafe fn find_candidates<S: Simd, const DEPTH: usize>(
    simd: S,
    chains: &Chains,
    of: &mut LaneState<S>,
    to: &mut Compared<S, DEPTH>,
) {
    assert!(chains.distances.len() >= WINDOW + CHUNK + 4 && chains.found.len() >= CHUNK / 8 + 4);
    // No candidate is below: the bytes before it exist, and so does its own distance.
    let min_candidate = simd.splat(MAX_BACKWARD as i32 - chains.chunk.min(WINDOW + MAX_BACKWARD) as i32);
    let (window, low_half) = (simd.splat(chains.window as i32), simd.splat(0xffff));
    // SAFETY: positions of lanes are at most CHUNK, and lookahead two more: there are four bytes of
    // bits from each on, and two elements of distances. Candidates are from -WINDOW on, where
    // distances start, up to these positions.
    unsafe {
        let distances: *const u8 = chains.distances.as_ptr().add(WINDOW).cast();
        let bits = simd.gather::<1>(chains.found.as_ptr(), of.at.shr(3));
        let bits = bits.shr_each(of.at & simd.splat(7)) | simd.splat(1 << MAX_SKIPPED);
        of.first = (of.at + bits.trailing_zeros()).min_u32(of.end);
        simd.set(&mut to.first, of.first);
        // The distances of two neighbours at once.
        let pair = simd.gather::<2>(distances, of.first);
        let third = simd.gather::<2>(distances, of.first + simd.splat(2)) & low_half;
        let nearest = [pair & low_half, pair.shr(16), third];
        for (lookahead, (candidates, nearest)) in to.candidates.iter_mut().zip(nearest).enumerate() {
            let at = of.first + simd.splat(lookahead as i32);
            let mut candidate = (at - nearest).max_i32(min_candidate);
            simd.set(&mut candidates[0], candidate);
            for to in &mut candidates[1..] {
                let next = candidate - (simd.gather::<2>(distances, candidate) & low_half);
                let is_far = (at - next).greater(window);
                candidate = S::Vector::select(is_far, candidate, next.max_i32(min_candidate));
                simd.set(to, candidate);
            }
        }
    }
}

/// Compares bytes from `MAX_BACKWARD` before positions on.
///
/// # Safety
/// From `MAX_BACKWARD` before all positions and candidates on, `COMPARED` bytes may be read.
#[inline(always)]
unsafe fn compare<S: Simd, const DEPTH: usize>(simd: S, chunk: *const u8, of: &mut Compared<S, DEPTH>) {
    const { assert!(COMPARED == 32) };
    for lane in 0..S::Vector::LANES {
        // SAFETY: see above; an array has an element for each lane. Volatile, as the compiler would
        // otherwise take elements from vectors, and assemble vectors from elements, each of which
        // takes longer than a store and a load.
        unsafe {
            let first = (&raw const of.first).cast::<u32>().add(lane).read_volatile() as isize;
            for lookahead in 0..LOOKAHEAD {
                let here = chunk.offset(first + lookahead as isize - MAX_BACKWARD as isize);
                for way in 0..DEPTH {
                    let candidate = (&raw const of.candidates[lookahead][way]).cast::<i32>();
                    let candidate = candidate.add(lane).read_volatile() as isize;
                    let there = chunk.offset(candidate - MAX_BACKWARD as isize);
                    let equal = (&raw mut of.equal[lookahead][way]).cast::<u32>();
                    equal.add(lane).write_volatile(simd.equal_bytes(here, there));
                }
            }
        }
    }
}

/// First bit of the worth of a match, as in `greedy::walk`, plus [`MORE`]. A rank is 0 for none.
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
const DEEPEST: usize = 1 << (LOOKAHEAD_RANK - CANDIDATE);

/// The chosen step of each lane.
struct Chosen<S: Simd> {
    is_match: vector::Mask<S>,
    start: S::Vector,
    len: S::Vector,
    distance: S::Vector,
}

/// A lookahead's position in each lane.
#[derive(Clone, Copy)]
struct LookaheadPosition<S: Simd> {
    number: usize,
    at: S::Vector,
    is_inside: vector::Mask<S>,
    /// Maximum bytes by which a match may be extended backwards.
    max_backward: S::Vector,
}

/// Equal bytes before a position by the lowest three bits of the mask of equal bytes: the second is
/// the byte before, and the first the one before that.
const BACKWARD: [u32; GROUP] = [0, 0, 1, 2, 0, 0, 1, 2, 0, 0, 1, 2, 0, 0, 1, 2];

impl<S: Simd> LookaheadPosition<S> {
    /// Returns the lookahead position `number`.
    #[inline(always)]
    fn new(simd: S, number: usize, of: &LaneState<S>) -> Self {
        let at = of.first + simd.splat(number as i32);
        Self { number, at, is_inside: of.end.greater(at), max_backward: at - of.at }
    }

    /// Returns the rank of a match with a candidate, given the mask of equal bytes from
    /// `MAX_BACKWARD` before on: a greater number for a better match, with all that `choose` reads
    /// from it. A candidate at the position itself is none.
    #[inline(always)]
    fn rank(self, simd: S, order: usize, equal: S::Vector, candidate: S::Vector) -> S::Vector {
        const { assert!(MAX_BACKWARD == 2 && GROUP >= S::Vector::LANES) };
        let distance = self.at - candidate;
        // SAFETY: a vector has no more elements than the table.
        let backward = unsafe { simd.load(BACKWARD.as_ptr()) };
        let behind = equal.permute(backward).min_u32(self.max_backward);
        let len = equal.shr(MAX_BACKWARD as u32).biased_low_ones() + behind;
        let worth = len.shl(2) + len - distance.biased_log2();
        // The added number removes the biases, and takes one off the distance.
        let added = MORE + LATER_BONUS * self.number as i32 + S::Vector::LOG2_BIAS
            - WORTH_PER_BYTE * S::Vector::LOW_ONES_BIAS;
        let rank =
            ((LOOKAHEAD - 1 - self.number) << LOOKAHEAD_RANK | (DEEPEST - 1 - order) << CANDIDATE) as i32;
        let rest = behind.shl(BEHIND) + distance;
        let number = worth.shl(WORTH) + (rest + simd.splat((added << WORTH) + rank - 1));
        number.keep(distance.greater(simd.splat(0)) & self.is_inside)
    }
}

/// Decodes the greatest rank, as `choose` of `greedy::walk` returns it.
#[inline(always)]
fn choose<S: Simd>(simd: S, best: S::Vector, of: &LaneState<S>) -> Chosen<S> {
    let distance = field(simd, best, 0, BEHIND) + simd.splat(1);
    let lookahead = simd.splat(LOOKAHEAD as i32 - 1) - field(simd, best, LOOKAHEAD_RANK, WORTH);
    let start = of.first + lookahead - field(simd, best, BEHIND, CANDIDATE);
    let doublings = distance.biased_log2() - simd.splat(S::Vector::LOG2_BIAS);
    const { assert!(LATER_BONUS == 1) };
    let of_len = best.shr(WORTH) - lookahead + doublings - simd.splat(MORE);
    // A fifth of a multiple of five up to 5 * 32: the product is too large by less than one.
    let len = of_len.mul_u16(simd.splat(205)).shr(10);
    // A match that the end of the lane would cut below the minimum length is none.
    let is_whole = (of.end + simd.splat(1)).greater(start + simd.splat(MIN_MATCH as i32));
    let is_match = best.greater(simd.splat(0)) & len.greater(simd.splat(MIN_LEN as i32 - 1)) & is_whole;
    Chosen { is_match, start, len, distance }
}

/// Returns the bits of numbers from one up to another.
#[inline(always)]
fn field<S: Simd>(simd: S, numbers: S::Vector, from: u32, to: u32) -> S::Vector {
    numbers.shr(from) & simd.splat((1 << (to - from)) - 1)
}

/// Sets `found` for a chunk of `len` positions: the bits of those with links.
#[inline(always)]
pub(crate) fn mark<S: Simd>(simd: S, chains: &mut Chains, len: usize) {
    let (parts, _) = chains.distances[WINDOW..].as_chunks::<32>();
    let (found, _) = chains.found.as_chunks_mut::<4>();
    for (found, distances) in found.iter_mut().zip(&parts[..len.div_ceil(32)]) {
        *found = simd.non_zeros(distances).to_le_bytes();
    }
}
