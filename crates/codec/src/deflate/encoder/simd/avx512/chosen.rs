//! The match that each lane's step takes.

use std::arch::x86_64::*;

use super::set;
use crate::deflate::encoder::parser::greedy::{
    COMPARED, LATER_BONUS, LOOKAHEAD, MAX_BACKWARD, SHORTEST, WORTH_PER_BYTE,
};
use crate::deflate::encoder::symbols::MIN_MATCH;

/// What a look found, or the best of what it found: of each lane.
#[derive(Clone, Copy)]
pub(crate) struct Look {
    /// Where the match starts.
    start: __m512i,
    pub(crate) len: __m512i,
    pub(crate) distance: __m512i,
    /// As in `greedy::lane`, but with the leading zeros of the distance added instead of its doublings taken off, which is 31 more; 0
    /// if there is no match.
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

impl Look {
    /// What was found with candidates for positions `at`, of which those in `is_inside` count, in lanes whose steps begin at
    /// `from`: which of the bytes from `MAX_BACKWARD` before them on differ. A candidate that is the position itself is none.
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
        // The zeros in front of what differs before the position, shifted up, with a one to end them.
        let before = _mm512_or_si512(_mm512_slli_epi32::<AHEAD>(differ), set(1 << (AHEAD - 1)));
        let behind = _mm512_min_epu32(_mm512_lzcnt_epi32(before), _mm512_sub_epi32(at, from));
        // The zeros below what differs from the position on.
        let after = _mm512_or_si512(_mm512_srli_epi32::<{ MAX_BACKWARD as u32 }>(differ), set(1 << AHEAD));
        let below = _mm512_andnot_si512(after, _mm512_add_epi32(after, set(-1)));
        let len = _mm512_add_epi32(_mm512_popcnt_epi32(below), behind);
        let is_match = _mm512_mask_test_epi32_mask(is_inside, distance, distance);
        let of_len = _mm512_add_epi32(_mm512_slli_epi32::<{ WORTH_PER_BYTE.ilog2() }>(len), len);
        let worth = _mm512_maskz_add_epi32(is_match, of_len, _mm512_lzcnt_epi32(distance));
        Self { start: _mm512_sub_epi32(at, behind), len, distance, worth }
    }

    /// Another one where that is worth more with what is `added` to it.
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
pub(crate) fn choose(looks: [Look; LOOKAHEAD], end: __m512i) -> Chosen {
    let mut best = looks[0];
    for (number, &look) in looks.iter().enumerate().skip(1) {
        best = best.or(look, LATER_BONUS * number as i32);
    }
    let Look { start, len, distance, worth } = best;
    let is_match =
        _mm512_mask_cmpge_epu32_mask(_mm512_test_epi32_mask(worth, worth), len, set(SHORTEST as i32));
    // A match that the end of the lane would cut to less than what a match can be is none.
    let is_match =
        _mm512_mask_cmple_epu32_mask(is_match, _mm512_add_epi32(start, set(MIN_MATCH as i32)), end);
    Chosen { is_match, start, len, distance }
}
