//! Choosing tokens from what was found.

use crate::deflate::encoder::match_finder::buckets::HASHED;
use crate::deflate::encoder::symbols::{
    DISTANCES, END, Histogram, LITERAL, LITERAL_PLACES, Match, Token, distance_of, distance_symbol, len_of,
    length_places, literal, place_of,
};

/// What a find is worth, in quarters of a byte: four a byte that it stands for, less one for each doubling of its distance,
/// which costs about a bit. 0 if it is none.
fn worth(found: Match) -> i32 {
    let doublings = (distance_of(found) | 1).ilog2() as i32;
    if len_of(found) >= HASHED { 4 * len_of(found) as i32 - doublings } else { 0 }
}

/// A match that is worth no more is not taken: four bytes from 16 KB away or farther cost about as much as their literals.
pub(crate) const MIN_WORTH: i32 = 2;
/// How much more the next find must be worth, or the one after that, for a literal or two to be taken instead of a match. As in
/// libdeflate, tuned there on many kinds of data; here all of them were tried too (docs/deflate.md).
pub(crate) const MIN_GAINS: [i32; 2] = [2, 6];

/// Turns matches into the token to take at each position: the match, or the literal if one of the next two positions has a better
/// match ("lazy matching"). `matches` has two elements more than there are positions.
pub(crate) fn parse_lazy(uncompressed: &[u8], matches: &mut [Match]) {
    for (place, &byte) in uncompressed.iter().enumerate() {
        let [this, next, after] = [0, 1, 2].map(|by| worth(matches[place + by]));
        let is_match = this > MIN_WORTH && next <= this + MIN_GAINS[0] && after <= this + MIN_GAINS[1];
        matches[place] = if is_match { matches[place] - 1 } else { literal(byte) };
    }
}

/// How often each place of `place_of` and each distance symbol occurs.
pub(crate) struct Counters {
    places: [u32; LITERAL_PLACES],
    distances: [u32; DISTANCE_PLACES],
}

/// Symbols of distances, rounded up to a power of two.
pub(crate) const DISTANCE_PLACES: usize = 32;

impl Counters {
    pub(crate) const EMPTY: Self = Self { places: [0; LITERAL_PLACES], distances: [0; DISTANCE_PLACES] };

    /// Counts tokens.
    pub(crate) fn count(&mut self, tokens: &[Token]) {
        for &token in tokens {
            self.places[place_of(token)] += 1;
            if token & LITERAL == 0 {
                self.distances[distance_symbol(token & 0x7fff) % DISTANCE_PLACES] += 1;
            }
        }
    }

    /// Adds other counts.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn add(&mut self, places: &[u32; LITERAL_PLACES], distances: &[u32; DISTANCE_PLACES]) {
        self.places.iter_mut().zip(places).for_each(|(to, from)| *to += from);
        self.distances.iter_mut().zip(distances).for_each(|(to, from)| *to += from);
    }

    /// The counts by symbol.
    pub(crate) fn histogram(&self) -> Histogram {
        let mut counts = Histogram::EMPTY;
        counts.literals[..END].copy_from_slice(&self.places[..END]);
        for (index, count) in counts.literals[END + 1..].iter_mut().enumerate() {
            *count = self.places[END..][length_places(index)].iter().sum();
        }
        counts.distances.copy_from_slice(&self.distances[..DISTANCES]);
        counts
    }
}

/// Walks from position `start` past the last one, and appends the tokens that it steps on. The last step may lead farther;
/// returns where to.
#[inline(always)]
pub(crate) fn walk(at_each: &[Token], start: usize, tokens: &mut Vec<Token>) -> usize {
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
        at += len_of(token);
    }
    tokens.truncate(first + used);
    at
}
