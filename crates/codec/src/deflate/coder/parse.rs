//! Choosing tokens from what was found.

use super::buckets::HASHED;
use super::symbols::{
    DISTANCES, END, Find, Histogram, LENGTH_INDEX, LITERAL, LITERAL_PLACES, Token, distance_symbol, len_of,
    literal, place_of,
};

/// Turns finds into the token to take at each position: the match, or the literal if the next position has a longer match
/// ("lazy matching"). `finds` has one element more than there are positions.
#[inline(always)]
pub(super) fn defer(plain: &[u8], finds: &mut [Find]) {
    for (place, &byte) in plain.iter().enumerate() {
        let (this, next) = (finds[place], finds[place + 1]);
        let is_match = len_of(this) >= HASHED && len_of(next) <= len_of(this);
        finds[place] = if is_match { this - 1 } else { literal(byte) };
    }
}

/// How often each place of `place_of` and each distance symbol occurs, spread over several counters: an increment waits
/// for the one before it to the same counter.
pub(super) struct Counters {
    places: [u32; LITERAL_PLACES],
    /// Literals are counted from 32 on, and dropped.
    distances: [u32; 64],
}

impl Counters {
    pub(super) const EMPTY: Self = Self { places: [0; LITERAL_PLACES], distances: [0; 64] };

    /// The counts by symbol.
    pub(super) fn histogram(&self) -> Histogram {
        let mut counts = Histogram::EMPTY;
        counts.literals[..END].copy_from_slice(&self.places[..END]);
        for (less, count) in self.places[END..].iter().enumerate() {
            counts.literals[END + 1 + usize::from(LENGTH_INDEX[less])] += count;
        }
        counts.distances.copy_from_slice(&self.distances[..DISTANCES]);
        counts
    }
}

/// Walks from position `start` past the last one, and appends the tokens that it steps on. The last step may lead farther;
/// returns where to.
#[inline(always)]
pub(super) fn walk(
    at_each: &[Token],
    start: usize,
    tokens: &mut Vec<Token>,
    counters: &mut Counters,
) -> usize {
    let first = tokens.len();
    // A step is at least one byte long.
    tokens.resize(first + at_each.len(), 0);
    let mut at = start;
    let mut used = 0;
    let room = &mut tokens[first..];
    while at < at_each.len() {
        let token = at_each[at];
        room[used] = token;
        used += 1;
        counters.places[place_of(token)] += 1;
        let symbol = distance_symbol(token & 0x7fff);
        let symbol = if token & LITERAL != 0 { 32 + (used & 31) } else { symbol };
        counters.distances[symbol & 63] += 1;
        at += len_of(token);
    }
    tokens.truncate(first + used);
    at
}
