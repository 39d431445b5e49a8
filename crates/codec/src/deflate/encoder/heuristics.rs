//! Data heuristics: cheap statistics of a sample that choose an encoder or skip the search.

use std::ops::RangeInclusive;

use super::symbols::{Match, len_of};
use crate::deflate::encoder::block::splitter;
use crate::deflate::encoder::match_finder::buckets::{HASHED, SPREAD, spread_long};

// -- Density of matches ------------------------------------------------------------------------

/// A piece has few matches if fewer than one position in this many has one.
const FEW_MATCHES: usize = 32;

/// Density of matches that ends a skip: one position in this many. After a skipped piece only one
/// position in four or eight was inserted, so ordinary data shows an eighth of its matches; random
/// data stays far below.
const ENOUGH_MATCHES: usize = 256;

/// Returns whether hardly any position has a match.
pub(crate) fn has_few_matches(matches: &[Match]) -> bool {
    count_matches(matches) * FEW_MATCHES < matches.len()
}

/// Returns whether enough positions have a match to end a skip.
pub(crate) fn has_enough_matches(matches: &[Match]) -> bool {
    count_matches(matches) * ENOUGH_MATCHES >= matches.len()
}

/// Returns the number of positions that have a match.
fn count_matches(matches: &[Match]) -> usize {
    matches.iter().filter(|&&found| len_of(found) >= HASHED).count()
}

/// Returns whether hardly any position has a chain link.
pub(crate) fn has_few_links(distances: &[u16]) -> bool {
    count_links(distances) * FEW_MATCHES < distances.len()
}

/// Returns whether enough positions have a chain link to end a skip.
pub(crate) fn has_enough_links(distances: &[u16]) -> bool {
    count_links(distances) * ENOUGH_MATCHES >= distances.len()
}

/// Returns the number of positions that have a chain link; there are fewer than 2^16 in all.
pub(crate) fn count_links(distances: &[u16]) -> usize {
    // In 16 bits, the width of the distances, so that the sum is taken in vectors of them.
    let linked: u16 = distances.iter().map(|&distance| u16::from(distance != 0)).sum();
    usize::from(linked)
}

/// Positions that are counted in a byte.
const NEAR_GROUP: usize = 128;
/// One group of [`NEAR_GROUP`] positions in this many is compared by [`count_near_repeats`]. More
/// would cost several percent of the time of level 1.
pub(crate) const NEAR_SAMPLED: usize = 4;

/// Counts the sampled positions without a chain link that repeat the four bytes `by` bytes before.
/// The first position has `by` bytes before it.
pub(crate) fn count_near_repeats(uncompressed: &[u8], by: usize, distances: &[u16]) -> usize {
    let mut count = 0;
    for (number, distances) in distances.chunks(NEAR_GROUP).enumerate().step_by(NEAR_SAMPLED) {
        let mut equal = [0; NEAR_GROUP + 3];
        let at = number * NEAR_GROUP;
        let len = distances.len() + 3;
        for ((equal, a), b) in
            equal.iter_mut().zip(&uncompressed[at..][..len]).zip(&uncompressed[at + by..][..len])
        {
            *equal = u8::from(a == b);
        }
        let four = |i: usize| equal[i] & equal[i + 1] & equal[i + 2] & equal[i + 3];
        // Up to 128, which a byte holds.
        let missed: u8 = (0..distances.len()).map(|i| four(i) & u8::from(distances[i] == 0)).sum();
        count += usize::from(missed);
    }
    count
}

// -- Tables ------------------------------------------------------------------------------------

/// Scratch memory for counts of repeats.
#[derive(Clone, Copy)]
pub(crate) struct RepeatTables {
    /// Last positions by hash.
    last: [u16; MAX_HASHES],
    sample: [u8; MAX_FOURS_SAMPLE],
}

impl RepeatTables {
    pub(crate) const EMPTY: Self = Self { last: [0; MAX_HASHES], sample: [0; MAX_FOURS_SAMPLE] };
}

/// Hashes of the largest table.
const MAX_HASHES: usize = NOISE_HASHES;

/// Returns the first `SIZE` positions, cleared.
fn cleared<const SIZE: usize>(last: &mut [u16; MAX_HASHES]) -> &mut [u16; SIZE] {
    const { assert!(SIZE <= MAX_HASHES) };
    let (last, _) = last.split_first_chunk_mut().expect("no table is larger");
    last.fill(0);
    last
}

// -- Samples -----------------------------------------------------------------------------------

/// Bytes of a run.
const RUN: usize = 64;

/// Step by which each run is moved further from the start of its part than the run before: odd,
/// and prime to the modulus in [`runs`].
const RUN_SHIFT: usize = 37;

/// Returns one run of bytes from each part of `every` runs.
///
/// The bytes of a run are consecutive, so every byte of a number of any width is sampled. The
/// distances between runs all differ: at equal distances, records about as wide as a part would
/// show the same bytes in every run.
fn runs(uncompressed: &[u8], every: usize) -> impl Iterator<Item = &[u8]> {
    let every = every.max(1);
    uncompressed.chunks(RUN * every).enumerate().map(move |(number, part)| {
        let moved = RUN_SHIFT * (number * (number + 1) / 2);
        let start = (moved % (RUN * (every - 1) + 1)).min(part.len().saturating_sub(RUN));
        &part[start..part.len().min(start + RUN)]
    })
}

// -- Entropy and numbers -----------------------------------------------------------------------

/// One run in this many is sampled for the entropy of a long input.
const ENTROPY_RUNS: usize = 16;
/// Minimum bytes in the entropy sample, if the input is that long: see [`HIGH_ENTROPY`].
const ENTROPY_SAMPLE: usize = 1300;
/// Bits a byte from which on a literal code gains too little for its time. A finite sample
/// underestimates the entropy, by 0.14 bits for [`ENTROPY_SAMPLE`] random bytes; the threshold is
/// below that, so random data passes it.
const HIGH_ENTROPY: f32 = 7.8;

/// Returns whether the bytes are distributed so evenly that storing them is better, unless they
/// repeat.
pub(crate) fn has_high_entropy(uncompressed: &[u8]) -> bool {
    let mut counts = [0; 256];
    let mut len = 0;
    for run in runs(uncompressed, (uncompressed.len() / ENTROPY_SAMPLE).clamp(1, ENTROPY_RUNS)) {
        run.iter().for_each(|&byte| counts[usize::from(byte)] += 1);
        len += run.len();
    }
    splitter::entropy(&counts) > HIGH_ENTROPY * len as f32
}

/// Minimum share of numeric bytes: one in this many. Columns of floats exceed it, text and the
/// mixed columns of TPC-H stay below.
const NUMERIC: usize = 5;

/// Returns whether more bytes equal those eight positions before than those seven before, as in
/// wide numbers with similar high bytes. In text both are equally rare.
pub(crate) fn is_numeric(uncompressed: &[u8]) -> bool {
    // Up to 128 a sum, so that vectors of bytes hold them.
    let equal_of = |(a, b): (&[u8], &[u8])| -> u8 { a.iter().zip(b).map(|(a, b)| u8::from(a == b)).sum() };
    let equal = |by: usize| -> usize {
        let pairs = uncompressed.chunks(128).zip(uncompressed.get(by..).unwrap_or(&[]).chunks(128));
        pairs.map(|pair| usize::from(equal_of(pair))).sum()
    };
    equal(8) > equal(7) + uncompressed.len() / NUMERIC
}

// -- Words of four bytes -----------------------------------------------------------------------

/// Maximum bytes that [`has_fours`] samples.
const MAX_FOURS_SAMPLE: usize = 4 << 10;
/// Logarithm of the number of hashes for such a sample.
const FOURS_BITS: u32 = 12;
/// Positions that must repeat four bytes for each one that repeats five ...
const FOURS_PER_FIVE: usize = 4;
/// ... and the minimum share of all positions on top of these: one in this many.
const REPEATED_FOURS: usize = 64;

/// Counts the positions that repeat `N` bytes, four or five, of the last position with the same
/// hash, separately by their two low bits. Ignores the last seven positions.
fn repeated<const N: usize>(uncompressed: &[u8], last: &mut [u16; MAX_HASHES]) -> [usize; 4] {
    let word_of = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes) << (u64::BITS - 8 * N as u32);
    let last = cleared::<{ 1 << FOURS_BITS }>(last);
    let mut repeated = [0; 4];
    // No branch depends on the data. An empty entry stands for the first position of all.
    for (at, bytes) in uncompressed.array_windows().enumerate().skip(1) {
        let word = word_of(bytes);
        let (four, fifth) = if N > 4 { ((word >> 24) as u32, word >> 56) } else { ((word >> 32) as u32, 0) };
        let last = &mut last[(spread_long(four, fifth as u32) >> (u32::BITS - FOURS_BITS)) as usize];
        // It always exists; the fallback spares the compiler a panic.
        let there = uncompressed[usize::from(*last)..].first_chunk().map_or(!word, word_of);
        repeated[at % 4] += usize::from(word == there);
        *last = at as u16;
    }
    repeated
}

/// Returns whether a sample of up to 4 KB repeats four bytes anywhere. If it does not, the more
/// expensive [`repeats_fours`] is not worth calling.
///
/// Half of the sample is the start, where repeats at any distance are found; the other half is
/// spread over the rest, which may differ from the start. Noise never passes; words of four bytes
/// nearly always do. Data that repeats at one large distance only may be missed.
pub(crate) fn has_fours(uncompressed: &[u8], RepeatTables { last, sample }: &mut RepeatTables) -> bool {
    let half = 8 * uncompressed.len().isqrt();
    let (start, rest) = uncompressed.split_at(half.min(uncompressed.len()));
    let mut len = 0;
    for run in std::iter::once(start).chain(runs(rest, rest.len() / half.max(1))) {
        let Some(to) = sample.get_mut(len..len + run.len()) else { break };
        to.copy_from_slice(run);
        len += run.len();
    }
    repeated::<4>(&sample[..len], last) != [0; 4]
}

/// Returns whether far more positions repeat four bytes than the `fives` that repeat five: numbers
/// of four bytes, for example, with a few hundred values.
pub(crate) fn repeats_fours(uncompressed: &[u8], fives: usize, tables: &mut RepeatTables) -> bool {
    repeated::<4>(uncompressed, &mut tables.last).iter().sum::<usize>()
        > FOURS_PER_FIVE * fives + uncompressed.len() / REPEATED_FOURS
}

/// Returns [`repeats_fours`] for aligned words only: text of few letters repeats four bytes as
/// often, but at any alignment.
pub(crate) fn repeats_aligned_fours(uncompressed: &[u8], tables: &mut RepeatTables) -> bool {
    if !has_fours(uncompressed, tables) {
        return false;
    }
    let fours = repeated::<4>(uncompressed, &mut tables.last);
    let (most, all) = (fours.iter().max().copied().unwrap_or(0), fours.iter().sum::<usize>());
    if 4 * most <= 3 * all {
        return false;
    }
    let fives = repeated::<5>(uncompressed, &mut tables.last).iter().sum();
    repeats_fours(uncompressed, fives, tables)
}

// -- Long words --------------------------------------------------------------------------------

/// Bytes of each of three samples: an eighth of the input within these limits.
const WORDS_SAMPLE: RangeInclusive<usize> = 512..=1 << 10;
/// Hashes of three bytes, more than a sample has positions.
const WORDS_HASHES: usize = 1 << 12;
/// Minimum share of positions that repeat three bytes: one in this many. Random digits and short
/// words of few values stay below; rows and source code never do.
const MIN_THREES: usize = 8;
/// Share of those positions that must repeat five bytes too, in text. Rows, source code and JSON
/// are above it; words of up to five bytes, dates and prices are below.
const FIVES_IN_TEXT: (usize, usize) = (3, 8);
/// The same share for other data. Programs are often above the share of text, but the greedy
/// levels lose several percent on them; only data with long repeats is above this share.
const FIVES_ELSEWHERE: (usize, usize) = (3, 5);
/// One byte in this many of a text may be outside printable ASCII.
const NOT_ASCII: usize = 64;

/// Returns whether the start, the middle and the end of an input repeat words of six bytes and
/// more, which the greedy levels find, rather than shorter ones, which they mostly miss.
pub(crate) fn repeats_long_words(input: &[u8], tables: &mut RepeatTables) -> bool {
    let len = (input.len() / 8).clamp(*WORDS_SAMPLE.start(), *WORDS_SAMPLE.end()).min(input.len());
    let samples = [0, (input.len() - len) / 2, input.len() - len].map(|start| &input[start..][..len]);
    let share = if samples.iter().all(|sample| is_text(sample)) { FIVES_IN_TEXT } else { FIVES_ELSEWHERE };
    samples.iter().all(|sample| has_share_of_fives(sample, share, &mut *tables))
}

/// Returns whether the positions that repeat five bytes are at least this share of those that
/// repeat three, and these are enough to tell.
fn has_share_of_fives(
    uncompressed: &[u8],
    (numerator, denominator): (usize, usize),
    tables: &mut RepeatTables,
) -> bool {
    let [threes, fives] = count_repeats::<WORDS_HASHES>(uncompressed, 5, tables);
    threes * MIN_THREES > uncompressed.len() && fives * denominator >= threes * numerator
}

/// Returns whether hardly any byte is outside printable ASCII.
fn is_text(uncompressed: &[u8]) -> bool {
    let is_other = |byte: u8| !(matches!(byte, b' '..=b'~' | b'\t' | b'\n' | b'\r'));
    let others: usize = uncompressed.iter().map(|&byte| usize::from(is_other(byte))).sum();
    others * NOT_ASCII <= uncompressed.len()
}

/// Counts the positions that match the last position with the same hash over three bytes, and over
/// `longer` bytes, up to eight. Ignores the last seven positions. `SIZE` is the number of hashes, a
/// power of two.
///
/// # Panics
/// In builds with debug assertions: if `uncompressed` is longer than 64 KB.
fn count_repeats<const SIZE: usize>(
    uncompressed: &[u8],
    longer: u32,
    tables: &mut RepeatTables,
) -> [usize; 2] {
    const { assert!(SIZE.is_power_of_two()) };
    debug_assert!(uncompressed.len() <= 1 << 16 && (3..=8).contains(&longer));
    let unlike = [3, longer].map(|bytes| u64::BITS - 8 * bytes);
    let last = cleared::<SIZE>(&mut tables.last);
    let mut repeated = [0; 2];
    let words = uncompressed.array_windows().map(|&word| u64::from_le_bytes(word));
    // No branch depends on the data. An empty entry stands for the first position of all.
    for (at, word) in words.enumerate().skip(1) {
        let hash = ((word as u32) << 8).wrapping_mul(SPREAD);
        let last = &mut last[(hash >> (u32::BITS - SIZE.ilog2())) as usize];
        // It always exists; the fallback spares the compiler a panic.
        let there = uncompressed[usize::from(*last)..]
            .first_chunk()
            .map_or(!word, |&there| u64::from_le_bytes(there));
        *last = at as u16;
        for (repeated, unlike) in repeated.iter_mut().zip(unlike) {
            *repeated += usize::from((word ^ there) << unlike == 0);
        }
    }
    repeated
}

// -- Incompressibility -------------------------------------------------------------------------

/// Lengths of inputs that are checked. Shorter ones are compressed in less time than a check is
/// worth; longer ones go to the block encoder, which checks each chunk. Positions fit 16 bits.
const CHECKED_LENGTHS: RangeInclusive<usize> = 2 << 10..=48 << 10;
/// Bytes that share one check of their distribution. A block is hardly ever worth its header for a
/// shorter piece.
const PIECE: usize = 512;
/// Allowed excess of equal pairs over the one in 256 of random bytes: one in this many. By Rényi's
/// entropy of the second order, which Shannon's is never below, a code then gains less than its
/// header costs.
const EXCESS_PAIRS: u64 = 32;
/// Allowed excess of equal pairs in standard deviations, so that hardly any piece of random bytes
/// fails.
const DEVIATIONS: u64 = 6;
/// Share of positions that may repeat three bytes: fewer than one in this many, four times the
/// share of random bytes. A match of three bytes saves at most two of them.
const MAX_THREES: usize = 256;
/// Share of positions that may repeat four bytes, which random bytes hardly ever do.
const MAX_FOURS: usize = 1024;
/// Hashes of three bytes.
const NOISE_HASHES: usize = 1 << 14;

/// Returns whether neither codes nor matches make `uncompressed` shorter by a hundredth, as with
/// encrypted or compressed bytes. Returns `false` for lengths that are not checked.
///
/// Every byte is counted. Compressible data mostly fails by its first piece.
pub(crate) fn is_incompressible(uncompressed: &[u8], tables: &mut RepeatTables) -> bool {
    CHECKED_LENGTHS.contains(&uncompressed.len())
        && is_even_everywhere(uncompressed)
        && !has_repeats(uncompressed, tables)
}

/// Returns whether all bytes are about equally frequent, in each whole piece and overall.
fn is_even_everywhere(uncompressed: &[u8]) -> bool {
    let (pieces, rest) = uncompressed.as_chunks::<PIECE>();
    let mut whole = [0_u32; 256];
    rest.iter().for_each(|&byte| whole[usize::from(byte)] += 1);
    let even = pieces.iter().all(|piece| {
        let mut counts = [0_u32; 256];
        piece.iter().for_each(|&byte| counts[usize::from(byte)] += 1);
        whole.iter_mut().zip(&counts).for_each(|(whole, count)| *whole += count);
        is_even(&counts, PIECE)
    });
    even && is_even(&whole, uncompressed.len())
}

/// Returns whether no more pairs of `len` bytes are equal than by chance.
fn is_even(counts: &[u32; 256], len: usize) -> bool {
    let equal: u64 =
        counts.iter().map(|&count| u64::from(count) * u64::from(count)).sum::<u64>() - len as u64;
    // Ordered pairs: twice the number of pairs, which is also their variance by chance.
    let chance = (len * len.saturating_sub(1)) as u64 / 256;
    equal <= chance + chance / EXCESS_PAIRS + DEVIATIONS * (2 * chance).isqrt()
}

/// Returns whether three or four bytes are repeated more often than by chance.
fn has_repeats(uncompressed: &[u8], tables: &mut RepeatTables) -> bool {
    let [threes, fours] = count_repeats::<NOISE_HASHES>(uncompressed, 4, tables);
    threes * MAX_THREES >= uncompressed.len() || fours * MAX_FOURS >= uncompressed.len()
}

#[cfg(test)]
mod tests;
