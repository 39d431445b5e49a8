//! Tokens of the steps that lanes took. A step has at most eight tokens, so both widths use a
//! vector of 256 bits.

use crate::deflate::encoder::match_finder::chains::GROUP;
use crate::deflate::encoder::parser::greedy::lanes::LaneRanges;
use crate::deflate::encoder::parser::greedy::{GreedyParser, LOOKAHEAD, MAX_SKIPPED};
use crate::deflate::encoder::symbols::{MIN_MATCH, Token, literal};
use std::arch::x86_64::*;

/// Tokens that a step writes: literals in half a vector, and a match over one of them.
const WRITTEN: usize = 8;

const _: () = assert!(MAX_SKIPPED + LOOKAHEAD - 1 < WRITTEN);

/// Appends the tokens of a lane.
///
/// # Safety
/// The processor has the features, and the rows are those of `lanes::walk` for these lane ranges.
#[target_feature(enable = "avx2,bmi1,bmi2")]
pub(crate) unsafe fn expand(
    greedy: &GreedyParser,
    buffer: &[u8],
    lane_ranges: &LaneRanges,
    lane: usize,
    tokens: &mut Vec<Token>,
) {
    let literals = _mm256_set1_epi32(literal(0) as i32);
    let range = lane_ranges.of(lane);
    if range.is_empty() {
        return;
    }
    // A token for each position, and the excess elements of the last step.
    tokens.reserve(range.len() + WRITTEN);
    assert!(range.end + WRITTEN <= buffer.len());
    let before = tokens.len();
    let (group, lane) = (lane / GROUP, lane % GROUP);
    let mut rows = greedy.rows[group..].iter().step_by(lane_ranges.groups).map(|row| row.0[lane]);
    let mut at = range.start;
    // SAFETY: a step has no more tokens than positions, and starts before the end of the range:
    // there is room for all that it writes, and `WRITTEN` bytes follow. All counted elements are
    // initialised.
    unsafe {
        let first = tokens.as_mut_ptr().add(before);
        let mut to = first;
        while at < range.end {
            let Some(step) = rows.next() else { break };
            let bytes = _mm256_cvtepu8_epi32(_mm_loadl_epi64(buffer.as_ptr().add(at).cast()));
            _mm256_storeu_si256(to.cast(), _mm256_or_si256(bytes, literals));
            let (passed, len, less) = ((step & 7) as usize, step >> 3 & 0x1ff, step >> 12);
            let is_match = len as usize >= MIN_MATCH;
            // Without a match, to a harmless place: the next step overwrites it, or it is beyond
            // the end.
            let place = std::hint::select_unpredictable(is_match, passed, WRITTEN - 1);
            *to.add(place) = len << 16 | less;
            to = to.add(passed + std::hint::select_unpredictable(is_match, 1, len as usize));
            at += passed + len as usize;
        }
        tokens.set_len(before + to.offset_from_unsigned(first));
    }
}
