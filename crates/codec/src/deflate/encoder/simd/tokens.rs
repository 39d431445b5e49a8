//! Symbols of tokens in vectors, their counts, and writing pairs of tokens one after the other.

use super::vector::{Mask, Simd, Vector};
use crate::deflate::encoder::bit_writer::BitWriter;
use crate::deflate::encoder::match_finder::GROUP;
use crate::deflate::encoder::symbols::{
    CountLanes, Counters, DISTANCE_PLACES, EXCESS, LITERAL, LITERAL_PLACES, MIN_MATCH, SETS, Sets, TOKENS,
    Token,
};

/// Places of tokens' literals and lengths, and their distances.
pub(crate) struct Places<S: Simd> {
    /// In the order of `symbols::place_of`.
    pub(crate) place: S::Vector,
    /// Distances less one; 0 for literals.
    pub(crate) less: S::Vector,
    /// Extra bits of distances.
    pub(crate) extra: S::Vector,
    /// Symbols of distances; 0 for literals.
    pub(crate) symbol: S::Vector,
    pub(crate) is_literal: Mask<S>,
    pub(crate) is_match: Mask<S>,
}

/// Returns the places and symbols of tokens.
#[inline(always)]
pub(crate) fn places_of<S: Simd>(simd: S, tokens: S::Vector) -> Places<S> {
    let literal = simd.splat(LITERAL as i32);
    let is_literal = (tokens & literal).equals(literal);
    let is_match = (tokens & literal).equals(simd.splat(0));
    let len_place = tokens.shr(16) + simd.splat(256 - MIN_MATCH as i32);
    let place = S::Vector::select(is_literal, tokens & simd.splat(0xff), len_place) & simd.splat(0x1ff);
    let less = (tokens & simd.splat(0x7fff)).keep(is_match);
    let (extra, symbol) = distance_symbols(simd, less);
    Places { place, less, extra, symbol, is_literal, is_match }
}

/// Returns the numbers of extra bits of distances less one, and their symbols.
#[inline(always)]
pub(crate) fn distance_symbols<S: Simd>(simd: S, less: S::Vector) -> (S::Vector, S::Vector) {
    // There is one extra bit fewer than bits after the highest; the symbol is twice that number,
    // plus the bits above the extra ones.
    let extra = (less.biased_log2() - simd.splat(S::Vector::LOG2_BIAS + 1)).max_i32(simd.splat(0));
    (extra, extra + extra + less.shr_each(extra))
}

/// As `Counters::count`.
#[inline(always)]
pub(crate) fn count<S: Simd>(simd: S, tokens: &[Token], counters: &mut Counters) {
    const {
        assert!(TOKENS.is_multiple_of(GROUP) && GROUP.is_multiple_of(S::Vector::LANES));
        assert!(GROUP <= EXCESS);
    }
    let width = S::Vector::LANES;
    let Counters { places: place_counts, distances, lanes } = counters;
    let CountLanes { of_tokens, of_matches, sets } = lanes;
    let (bulk, rest) = tokens.split_at(tokens.len() / width * width);
    for tokens in bulk.chunks(COUNTED) {
        sets.clear();
        for tokens in tokens.chunks(TOKENS) {
            let mut matches = 0;
            for at in (0..tokens.len()).step_by(width) {
                // SAFETY: a vector of tokens follows; `of_tokens` has an element for each, and
                // `of_matches` a vector more than its maximum.
                unsafe {
                    let places = places_of(simd, simd.load(tokens.as_ptr().add(at)));
                    simd.store_narrow(places.place, of_tokens.as_mut_ptr().add(at));
                    let symbols = simd.compress(places.symbol, places.is_match);
                    simd.store(symbols, of_matches.as_mut_ptr().add(matches));
                    matches += S::Vector::bits(places.is_match).count_ones() as usize;
                }
            }
            sets.count(&of_tokens[..tokens.len()], &of_matches[..matches]);
        }
        add(&sets.places, place_counts);
        add(&sets.distances, distances);
    }
    counters.count(rest);
}

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

/// Maximum tokens counted in the same sets, so that counters of 16 bits suffice.
const COUNTED: usize = 64 * TOKENS;

const _: () = assert!(COUNTED / SETS <= u16::MAX as usize);

impl Sets {
    /// Sets all counts to zero.
    #[inline(always)]
    fn clear(&mut self) {
        self.places.as_flattened_mut().fill(0);
        self.distances.as_flattened_mut().fill(0);
    }

    /// Counts the places of a multiple of four tokens, and the symbols of the matches among them;
    /// at most `COUNTED` tokens in all.
    #[inline(always)]
    fn count(&mut self, of_tokens: &[u16], of_matches: &[u32]) {
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
}

/// Adds the counts of all sets to `counts`.
#[inline(always)]
fn add<const PLACES: usize>(sets: &[[u16; PLACES]; SETS], counts: &mut [u32; PLACES]) {
    for (place, count) in counts.iter_mut().enumerate() {
        *count += sets.iter().map(|set| u32::from(set[place])).sum::<u32>();
    }
}
