//! Writing pairs of tokens one after the other, however few bits they have.

use crate::deflate::encoder::bit_writer::BitWriter;
use crate::deflate::encoder::symbols::{Counters, DISTANCE_PLACES, LITERAL_PLACES};

/// Bits that a pair may have to be written at once, after up to seven of before.
pub(crate) const PAIR: i64 = 56;

/// Appends pairs to `count` bits that fill no byte, and returns the remaining bits.
///
/// # Safety
/// Eight bytes for each pair may be written, and none has more than `PAIR` bits.
#[inline(always)]
pub(crate) unsafe fn write_pairs<const N: usize>(
    pairs: [u64; N],
    counts: [u64; N],
    (mut bits, mut count): (u64, u32),
    to: &mut BitWriter<'_>,
) -> (u64, u32) {
    let start = to.here();
    let mut out = start;
    for (pair, len) in pairs.into_iter().zip(counts) {
        bits |= pair << (count & 63);
        count += len as u32;
        // SAFETY: a pair fills at most its eight bytes, so none before it reached into these.
        unsafe {
            out.cast::<u64>().write_unaligned(bits.to_le());
            out = out.add(count as usize / 8);
        }
        bits >>= count & 56;
        count &= 7;
    }
    // SAFETY: both are in the output.
    to.skip(unsafe { out.offset_from_unsigned(start) });
    (bits, count)
}

/// Tokens that are counted at a time: their symbols stay in a first-level cache.
pub(crate) const TOKENS: usize = 1 << 10;
/// Sets of counters.
const SETS: usize = 4;

/// Maximum tokens counted in the same sets, so that counters of 16 bits suffice.
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

    /// Counts the places of a multiple of four tokens, and the symbols of the matches among them;
    /// at most `COUNTED` tokens in all.
    #[inline(always)]
    pub(crate) fn count(&mut self, of_tokens: &[u16], of_matches: &[u32]) {
        debug_assert!(of_tokens.len().is_multiple_of(SETS));
        // The remainders spare the compiler bounds checks; there are no larger places.
        for places in of_tokens.as_chunks::<SETS>().0 {
            for (set, place) in self.places.iter_mut().zip(places) {
                // SAFETY: a reference can be read from. Without `volatile` the compiler loads four
                // at once and takes them apart, in twice the instructions.
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

    /// Adds the counts of all sets to counters.
    pub(crate) fn add_to(&self, counters: &mut Counters) {
        counters.add(&sum(&self.places), &sum(&self.distances));
    }
}

/// The counts of all sets.
fn sum<const PLACES: usize>(sets: &[[u16; PLACES]; SETS]) -> [u32; PLACES] {
    std::array::from_fn(|place| sets.iter().map(|set| u32::from(set[place])).sum())
}
