//! Counting the places of tokens' literals and lengths, and the symbols of their distances, once they are known: with four sets of
//! counters in turn, as an increment waits for the one before it to the same counter.

use crate::deflate::coder::parse::{Counters, DISTANCE_PLACES};
use crate::deflate::coder::symbols::LITERAL_PLACES;

/// Tokens that are worked on at a time: what is noted of them stays in a first-level cache.
pub(super) const TOKENS: usize = 1 << 10;
/// Sets of counters.
const SETS: usize = 4;

/// The sets of a place are neighbours: 4 KB apart, one would wait for the other.
pub(super) struct Sets {
    places: [[u32; SETS]; LITERAL_PLACES],
    distances: [[u32; SETS]; DISTANCE_PLACES],
}

impl Sets {
    pub(super) const EMPTY: Self =
        Self { places: [[0; SETS]; LITERAL_PLACES], distances: [[0; SETS]; DISTANCE_PLACES] };

    /// Counts the places of a multiple of four tokens, and the symbols of the matches among them.
    #[inline(always)]
    pub(super) fn count(&mut self, of_tokens: &[u16], of_matches: &[u32]) {
        // The remainders are for the compiler, which then needs no checks: there are no more places.
        for places in of_tokens.as_chunks::<SETS>().0 {
            for (set, place) in places.iter().enumerate() {
                // SAFETY: a reference can be read from. Without `volatile` the compiler loads four at once and takes them apart, which takes
                // twice the instructions of loading each.
                let place = unsafe { std::ptr::from_ref(place).read_volatile() };
                self.places[usize::from(place) % LITERAL_PLACES][set] += 1;
            }
        }
        for (number, &symbol) in of_matches.iter().enumerate() {
            self.distances[symbol as usize % DISTANCE_PLACES][number % SETS] += 1;
        }
    }

    /// Adds up what was counted.
    pub(super) fn add_to(&self, counters: &mut Counters) {
        let sum = |sets: [u32; SETS]| sets.into_iter().sum();
        counters.add(&self.places.map(sum), &self.distances.map(sum));
    }
}
