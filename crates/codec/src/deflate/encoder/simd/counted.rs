//! Counting the places of tokens' literals and lengths, and the symbols of their distances, once they are known: with four sets of
//! counters in turn, as an increment waits for the one before it to the same counter.

use crate::deflate::encoder::parser::lazy::{Counters, DISTANCE_PLACES};
use crate::deflate::encoder::symbols::LITERAL_PLACES;

/// Tokens that are worked on at a time: what is insert_step of them stays in a first-level cache.
pub(crate) const TOKENS: usize = 1 << 10;
/// Sets of counters.
const SETS: usize = 4;

/// Tokens that are counted in the same sets at most: a counter of 16 bits has room for all of a set's.
pub(crate) const COUNTED: usize = 64 * TOKENS;

const _: () = assert!(COUNTED / SETS <= u16::MAX as usize);

/// Sets are less than 4 KB apart, where a load from one would wait for a store to another.
pub(crate) struct Sets {
    places: [[u16; LITERAL_PLACES]; SETS],
    distances: [[u16; DISTANCE_PLACES]; SETS],
}

impl Sets {
    pub(crate) const EMPTY: Self =
        Self { places: [[0; LITERAL_PLACES]; SETS], distances: [[0; DISTANCE_PLACES]; SETS] };

    /// Counts the places of a multiple of four tokens, and the symbols of the matches among them: of `COUNTED` tokens in all.
    #[inline(always)]
    pub(crate) fn count(&mut self, of_tokens: &[u16], of_matches: &[u32]) {
        debug_assert!(of_tokens.len().is_multiple_of(SETS));
        // The remainders are for the compiler, which then needs no checks: there are no more places.
        for places in of_tokens.as_chunks::<SETS>().0 {
            for (set, place) in self.places.iter_mut().zip(places) {
                // SAFETY: a reference can be read from. Without `volatile` the compiler loads four at once and takes them apart, which takes
                // twice the instructions of loading each.
                let place = unsafe { std::ptr::from_ref(place).read_volatile() };
                set[usize::from(place) % LITERAL_PLACES] += 1;
            }
        }
        let (fours, rest) = of_matches.as_chunks::<SETS>();
        for symbols in fours {
            for (set, symbol) in self.distances.iter_mut().zip(symbols) {
                // SAFETY: as above.
                let symbol = unsafe { std::ptr::from_ref(symbol).read_volatile() };
                set[symbol as usize % DISTANCE_PLACES] += 1;
            }
        }
        for (set, &symbol) in self.distances.iter_mut().zip(rest) {
            set[symbol as usize % DISTANCE_PLACES] += 1;
        }
    }

    /// Adds up what was counted.
    pub(crate) fn add_to(&self, counters: &mut Counters) {
        counters.add(&sum(&self.places), &sum(&self.distances));
    }
}

/// The counts of all sets.
fn sum<const PLACES: usize>(sets: &[[u16; PLACES]; SETS]) -> [u32; PLACES] {
    std::array::from_fn(|place| sets.iter().map(|set| u32::from(set[place])).sum())
}
