//! Lazy parser: a literal instead of a match if one of the next two positions has a better match.

use crate::deflate::encoder::match_finder::buckets::HASHED;
use crate::deflate::encoder::symbols::{Match, Token, distance_of, len_of, literal};

/// Returns the worth of a match in quarters of a byte: four for each byte, less one for each
/// doubling of its distance, which costs about a bit. 0 for none.
fn worth(found: Match) -> i32 {
    let doublings = (distance_of(found) | 1).ilog2() as i32;
    if len_of(found) >= HASHED { 4 * len_of(found) as i32 - doublings } else { 0 }
}

/// A match of no more worth is not taken: four bytes from far away cost about as much as their
/// literals.
pub(crate) const MIN_WORTH: i32 = 2;
/// Added worth that the match at the next position, or at the one after that, needs to be
/// preferred. The values are libdeflate's; others were tried on the same data (docs/deflate.md).
pub(crate) const MIN_GAINS: [i32; 2] = [2, 6];

/// Turns matches into the token to take at each position: the match, or the literal if one of the
/// next two positions has a better match. `matches` has two elements more than there are positions.
pub(crate) fn parse_lazy(uncompressed: &[u8], matches: &mut [Match]) {
    for (place, &byte) in uncompressed.iter().enumerate() {
        let [this, next, after] = [0, 1, 2].map(|by| worth(matches[place + by]));
        let is_match = this > MIN_WORTH && next <= this + MIN_GAINS[0] && after <= this + MIN_GAINS[1];
        matches[place] = if is_match { matches[place] - 1 } else { literal(byte) };
    }
}

/// Walks over the tokens of each position, from `start` past the last one, and appends the tokens
/// on its way. Returns its end, which may lie beyond the last position.
#[inline(always)]
pub(crate) fn walk(at_each: &[Token], start: usize, tokens: &mut Vec<Token>) -> usize {
    let first = tokens.len();
    // A token is at least one byte long.
    tokens.resize(first + at_each.len(), 0);
    let mut at = start;
    let mut used = 0;
    let free = &mut tokens[first..];
    while at < at_each.len() {
        let token = at_each[at];
        free[used] = token;
        used += 1;
        at += len_of(token);
    }
    tokens.truncate(first + used);
    at
}
