//! A greedy look at what a piece of data is like.

use super::sample::runs;
use super::symbols::{Match, len_of};
use crate::deflate::encoder::block::splitter;
use crate::deflate::encoder::match_finder::buckets::HASHED;

/// A piece is dull if fewer positions than one in this many have a match.
const DULL: usize = 32;

/// One run of bytes in how many is looked at for their distribution, in an input that is not short.
const ONE_RUN_IN: usize = 16;
/// Bytes that are looked at at least, if there are as many: see [`DENSE`].
const SAMPLED: usize = 1300;
/// Bits a byte from which a literal code gains nothing worth its time. As not all values occur equally often among few, `n` bytes seem to have
/// 255 / (2 * n * ln 2) bits less than they have: 1,300 random ones 7.86, with a deviation of 0.013. So what is stored for it has 7.94 bits or more,
/// and of 64 KB 7.85: a code would make it shorter by 1 to 2%, if it is alike all over.
const DENSE: f32 = 7.8;

/// Whether hardly a position has a match.
pub(crate) fn is_dull(matches: &[Match]) -> bool {
    found(matches) * DULL < matches.len()
}

/// As [`has_enough_links`], of matches.
pub(crate) fn has_enough_matches(matches: &[Match]) -> bool {
    found(matches) * FEW >= matches.len()
}

/// How many positions have a match.
fn found(matches: &[Match]) -> usize {
    matches.iter().filter(|&&found| len_of(found) >= HASHED).count()
}

/// Whether hardly a position has a link to another.
pub(crate) fn has_few_links(distances: &[u16]) -> bool {
    linked(distances) * DULL < distances.len()
}

/// Whether positions have links though of a skipped piece before them one position in four is insert_step, or in eight where every other is. With an eighth of
/// the links of a piece that is not dull, one in this many has one; by chance, as few as one in 65,536 do.
const FEW: usize = 256;

/// Whether enough positions have links to look for more: see [`FEW`].
pub(crate) fn has_enough_links(distances: &[u16]) -> bool {
    linked(distances) * FEW >= distances.len()
}

/// How many of fewer than 2^16 positions have a link to another.
pub(crate) fn linked(distances: &[u16]) -> usize {
    // In 16 bits, as vectors of distances are.
    let linked: u16 = distances.iter().map(|&distance| u16::from(distance != 0)).sum();
    usize::from(linked)
}

/// How many positions of one in [`ONE_IN`] of [`NEARS`], of which the first has `by` bytes before it, have no link and the same four bytes as those
/// `by` before them.
pub(crate) fn repeated_near(uncompressed: &[u8], by: usize, distances: &[u16]) -> usize {
    let mut count = 0;
    for (number, distances) in distances.chunks(NEARS).enumerate().step_by(ONE_IN) {
        let mut equal = [0; NEARS + 3];
        let at = number * NEARS;
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

/// Positions whose count a byte holds.
const NEARS: usize = 128;
/// With two, it was 2% of level 1's time for 64 KB and 4% for 4 KB.
pub(crate) const ONE_IN: usize = 4;

/// Whether bytes are distributed so evenly that they are better stored, unless they repeat.
pub(crate) fn has_high_entropy(uncompressed: &[u8]) -> bool {
    let mut counts = [0; 256];
    let mut len = 0;
    for run in runs(uncompressed, (uncompressed.len() / SAMPLED).clamp(1, ONE_RUN_IN)) {
        run.iter().for_each(|&byte| counts[usize::from(byte)] += 1);
        len += run.len();
    }
    splitter::entropy(&counts) > DENSE * len as f32
}

/// Whether bytes are like those 8 before rather than those 7 before: numbers of 8 bytes, all alike. In text, both are equally
/// rare; in columns of numbers whose high bytes are alike, they differ by a tenth of the bytes or more.
pub(crate) fn is_numeric(uncompressed: &[u8]) -> bool {
    // Up to 128 a sum, so that vectors of bytes hold them.
    let equal_of = |(a, b): (&[u8], &[u8])| -> u8 { a.iter().zip(b).map(|(a, b)| u8::from(a == b)).sum() };
    let equal = |by: usize| -> usize {
        let pairs = uncompressed.chunks(128).zip(uncompressed.get(by..).unwrap_or(&[]).chunks(128));
        pairs.map(|pair| usize::from(equal_of(pair))).sum()
    };
    equal(8) > equal(7) + uncompressed.len() / NUMERIC
}

/// One byte in this many: floats of one range differ by 0.26 of the bytes, TPC-H's columns of numbers by 0.12, and text by less
/// than 0.06.
const NUMERIC: usize = 5;
