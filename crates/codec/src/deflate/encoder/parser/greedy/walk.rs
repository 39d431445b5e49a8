//! Greedy walk of one lane, in safe code: the reference for the vectors.

use std::ops::Range;

use super::{COMPARED, LATER_BONUS, LOOKAHEAD, MAX_SKIPPED, MIN_LEN, WORTH_PER_BYTE};
use crate::deflate::encoder::match_finder::chains::{Chains, MAX_BACKWARD};
use crate::deflate::encoder::match_finder::extend::common_prefix_len;
use crate::deflate::encoder::symbols::{self, MAX_MATCH, MIN_MATCH, Token, literal};

/// A match that a step may take.
#[derive(Clone, Copy)]
struct LaneMatch {
    start: usize,
    len: usize,
    distance: usize,
    /// `WORTH_PER_BYTE` a byte, less one for each doubling of the distance.
    worth: i32,
}

/// Appends the tokens of some positions of the chunk. The last token ends with them.
pub(crate) fn walk(
    chains: &Chains,
    depth: usize,
    buffer: &[u8],
    range: Range<usize>,
    tokens: &mut Vec<Token>,
) {
    let mut at = range.start;
    while at < range.end {
        let near = chains.of(at..(at + MAX_SKIPPED).min(range.end));
        let first = at + near.iter().position(|&distance| distance != 0).unwrap_or(near.len());
        let candidates: [_; LOOKAHEAD] = std::array::from_fn(|by| {
            let position = first + by;
            if position < range.end { best_at(chains, depth, buffer, at, position) } else { None }
        });
        match choose(candidates).filter(|found| found.start + MIN_MATCH <= range.end) {
            None => {
                let end = (first + 1).min(range.end);
                tokens.extend(buffer[at..end].iter().map(|&byte| literal(byte)));
                at = end;
            }
            Some(LaneMatch { start, mut len, distance, .. }) => {
                if len >= COMPARED - MAX_BACKWARD {
                    let limit = MAX_MATCH.min(buffer.len() - start);
                    len = common_prefix_len(buffer, start - distance, start, limit);
                }
                len = len.min(range.end - start);
                tokens.extend(buffer[at..start].iter().map(|&byte| literal(byte)));
                // A token has the distance less one.
                tokens.push(symbols::match_of(len, distance - 1));
                at = start + len;
            }
        }
    }
}

/// The match that is worth most, with `LATER_BONUS` for each position that a candidate is later.
fn choose(candidates: [Option<LaneMatch>; LOOKAHEAD]) -> Option<LaneMatch> {
    let mut best: Option<LaneMatch> = None;
    for (number, candidate) in candidates.into_iter().enumerate() {
        let Some(mut found) = candidate else { continue };
        found.worth += LATER_BONUS * number as i32;
        if best.is_none_or(|best| found.worth > best.worth) {
            best = Some(found);
        }
    }
    best.filter(|found| found.len >= MIN_LEN)
}

/// The candidate at a position that is worth most, extended backwards as far as `from`.
fn best_at(chains: &Chains, depth: usize, buffer: &[u8], from: usize, at: usize) -> Option<LaneMatch> {
    let mut best: Option<LaneMatch> = None;
    let mut candidate = at;
    for _ in 0..depth {
        let next = candidate - usize::from(chains.of(candidate..candidate + 1)[0]);
        if next == candidate || at - next > chains.window {
            break;
        }
        candidate = next;
        let limit = (COMPARED - MAX_BACKWARD).min(buffer.len() - at);
        let ahead = common_prefix_len(buffer, candidate, at, limit);
        let is_equal = |back: &usize| buffer[at - back] == buffer[candidate - back];
        let behind = (1..=MAX_BACKWARD.min(at - from)).take_while(is_equal).count();
        let (len, distance) = (ahead + behind, at - candidate);
        let worth = WORTH_PER_BYTE * len as i32 - distance.ilog2() as i32;
        if best.is_none_or(|best| worth > best.worth) {
            best = Some(LaneMatch { start: at - behind, len, distance, worth });
        }
    }
    best
}
