//! The match that each lane's step takes: everything about a match in one number, so that the best is the greatest.

use std::arch::x86_64::*;

use super::candidates::{BIAS, biased_log2};
use super::set;
use crate::deflate::encoder::parser::greedy::{
    COMPARED, LATER_BONUS, LOOKAHEAD, MAX_BACKWARD, SHORTEST, WORTH_PER_BYTE,
};
use crate::deflate::encoder::symbols::{MIN_MATCH, WINDOW};

/// From this bit on: what a match is worth as in `greedy::lane`, plus [`MORE`]. A number is 0 if there is none.
const WORTH: u32 = 23;
/// From this bit on: 2 for the first look, and one less for each of the next ones, as the earlier of those that are worth the same is taken.
const LOOK: u32 = 21;
/// From this bit on: 15 for the first candidate of a look, and one less for each of the next ones, for the same reason.
const CANDIDATE: u32 = 17;
/// From this bit on: how many bytes a match begins before its look's position. Whatever it is, no two candidates are of the same rank.
const BEHIND: u32 = 15;
/// So that no worth is negative: the doublings of the longest distance, of no length, and one.
const MORE: i32 = WINDOW.ilog2() as i32 + 1;

/// The most that a match is worth fits into the bits above, which are not the sign's; distances less one, and ranks, into those below.
const _: () = {
    let most = WORTH_PER_BYTE * COMPARED as i32 + LATER_BONUS * (LOOKAHEAD as i32 - 1) + MORE;
    assert!(WORTH_PER_BYTE == 5 && most < 1 << (31 - WORTH) && WINDOW <= 1 << BEHIND);
    assert!(LOOKAHEAD <= 3 && MAX_BACKWARD < 1 << (CANDIDATE - BEHIND));
};

/// Candidates of a look that ranks tell from each other.
pub(crate) const DEEPEST: usize = 1 << (LOOK - CANDIDATE);

/// The step that is taken: of each lane.
pub(crate) struct Chosen {
    pub(crate) is_match: __m256i,
    pub(crate) start: __m256i,
    pub(crate) len: __m256i,
    pub(crate) distance: __m256i,
}

/// A look's position in each lane.
#[derive(Clone, Copy)]
pub(crate) struct Look {
    number: usize,
    at: __m256i,
    is_inside: __m256i,
    /// How far back a match may be extended.
    most_behind: __m256i,
}

impl Look {
    /// The look so many positions after `first`, in lanes whose steps begin at `from`, and which end at `end`.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(crate) fn new(number: usize, first: __m256i, from: __m256i, end: __m256i) -> Self {
        let at = _mm256_add_epi32(first, set(number as i32));
        Self { number, at, is_inside: _mm256_cmpgt_epi32(end, at), most_behind: _mm256_sub_epi32(at, from) }
    }

    /// The number of a match with a candidate, given which of the bytes from `MAX_BACKWARD` before on are equal. A candidate that is the
    /// position itself is none.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(crate) fn of(self, order: usize, equal: __m256i, candidate: __m256i) -> __m256i {
        const { assert!(MAX_BACKWARD == 2) };
        let distance = _mm256_sub_epi32(self.at, candidate);
        // By the lowest three bits: the second is of the byte before, and the first of the one before that.
        let of_bits = _mm256_setr_epi32(0, 0, 1, 2, 0, 0, 1, 2);
        let behind = _mm256_min_epu32(_mm256_permutevar8x32_epi32(of_bits, equal), self.most_behind);
        // The lowest bit that is not set, from the position on; above them, none is.
        let ahead = _mm256_srli_epi32::<{ MAX_BACKWARD as i32 }>(equal);
        let end = _mm256_andnot_si256(ahead, _mm256_add_epi32(ahead, set(1)));
        let len = _mm256_add_epi32(biased_log2(end), behind);
        let of_len = _mm256_add_epi32(_mm256_slli_epi32::<2>(len), len);
        let worth = _mm256_sub_epi32(of_len, biased_log2(distance));
        // Both biases are taken off with what is added, and the distance is that less one.
        let added = MORE + LATER_BONUS * self.number as i32 + BIAS - WORTH_PER_BYTE * BIAS;
        let rank = ((LOOKAHEAD - 1 - self.number) << LOOK | (DEEPEST - 1 - order) << CANDIDATE) as i32;
        let rest = _mm256_add_epi32(_mm256_slli_epi32::<{ BEHIND as i32 }>(behind), distance);
        let number = _mm256_add_epi32(
            _mm256_slli_epi32::<{ WORTH as i32 }>(worth),
            _mm256_add_epi32(rest, set((added << WORTH) + rank - 1)),
        );
        let is_none = _mm256_cmpeq_epi32(distance, set(0));
        _mm256_andnot_si256(is_none, _mm256_and_si256(number, self.is_inside))
    }
}

/// What the greatest number stands for, as `choose` of `greedy::lane` has it, in lanes that end at `end`.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn choose(best: __m256i, first: __m256i, end: __m256i) -> Chosen {
    let field = |from: u32, to: u32| {
        _mm256_and_si256(_mm256_srl_epi32(best, count(from)), set((1 << (to - from)) - 1))
    };
    let distance = _mm256_add_epi32(field(0, BEHIND), set(1));
    let look = _mm256_sub_epi32(set(LOOKAHEAD as i32 - 1), field(LOOK, WORTH));
    let start = _mm256_sub_epi32(_mm256_add_epi32(first, look), field(BEHIND, CANDIDATE));
    let doublings = _mm256_sub_epi32(biased_log2(distance), set(BIAS));
    const { assert!(LATER_BONUS == 1) };
    let worth = _mm256_sub_epi32(_mm256_srli_epi32::<{ WORTH as i32 }>(best), look);
    let of_len = _mm256_sub_epi32(_mm256_add_epi32(worth, doublings), set(MORE));
    let len = fifth(of_len);
    let is_short = _mm256_cmpgt_epi32(set(SHORTEST as i32), len);
    // A match that the end of the lane would cut to less than what a match can be is none.
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

/// A fifth of multiples of five up to 5 * 32: 205 / 1024 is a fifth and a 5,000th more, which is less than one even then.
#[inline]
#[target_feature(enable = "avx2")]
fn fifth(of: __m256i) -> __m256i {
    _mm256_srli_epi32::<10>(_mm256_mullo_epi16(of, set(205)))
}
