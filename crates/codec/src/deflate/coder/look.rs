//! A quick look at what a piece of data is like.

use super::buckets::{HASHED, spread};
use super::split;
use super::symbols::{Find, len_of};

/// A piece is dull if fewer positions than one in this many have a match.
const DULL: usize = 32;

/// Bytes between those that are looked at for their distribution; odd, so that all bytes of numbers of a fixed width have
/// their turn.
const STRIDE: usize = 7;
/// Bits a byte from which a literal code gains nothing worth its time: 16 KB / 7 random bytes seem to have 7.92, as not all
/// values occur equally often among so few; what seems to have less than this saves 1.4% of its size or more.
const DENSE: f32 = 7.8;

/// Whether hardly a position has a match.
pub(super) fn is_dull(finds: &[Find]) -> bool {
    finds.iter().filter(|&&find| len_of(find) >= HASHED).count() * DULL < finds.len()
}

/// Whether hardly a position has a link to another.
pub(super) fn is_unlinked(distances: &[u16]) -> bool {
    linked(distances) * DULL < distances.len()
}

/// How many of fewer than 2^16 positions have a link to another.
pub(super) fn linked(distances: &[u16]) -> usize {
    // In 16 bits, as vectors of distances are.
    let linked: u16 = distances.iter().map(|&distance| u16::from(distance != 0)).sum();
    usize::from(linked)
}

/// How many positions have four bytes like those of an earlier one: of those with the same hash, the last.
pub(super) fn repeated_fours(plain: &[u8]) -> usize {
    let mut last = [0_u16; 1 << FOURS_BITS];
    let mut repeated = 0;
    for (at, four) in plain.windows(4).enumerate() {
        let four = u32::from_le_bytes([four[0], four[1], four[2], four[3]]);
        let last = &mut last[(spread(four) >> (u32::BITS - FOURS_BITS)) as usize];
        let before = usize::from(*last);
        repeated += usize::from(before < at && plain[before..before + 4] == four.to_le_bytes());
        *last = at as u16;
    }
    repeated
}

/// The logarithm of the hashes of four bytes that are looked at, for 4 KB.
const FOURS_BITS: u32 = 12;

/// Whether bytes are distributed so evenly that they are better stored, unless they repeat.
pub(super) fn is_dense(plain: &[u8]) -> bool {
    let mut counts = [0; 256];
    let sample = plain.iter().step_by(STRIDE);
    let len = sample.len();
    sample.for_each(|&byte| counts[usize::from(byte)] += 1);
    split::entropy(&counts) > DENSE * len as f32
}

/// Whether bytes are like those 8 before rather than those 7 before: numbers of 8 bytes, all alike. In text, both are equally
/// rare; in columns of numbers whose high bytes are alike, they differ by a tenth of the bytes or more.
pub(super) fn is_numeric(plain: &[u8]) -> bool {
    // Up to 128 a sum, so that vectors of bytes hold them.
    let equal_of = |(a, b): (&[u8], &[u8])| -> u8 { a.iter().zip(b).map(|(a, b)| u8::from(a == b)).sum() };
    let equal = |by: usize| -> usize {
        let pairs = plain.chunks(128).zip(plain.get(by..).unwrap_or(&[]).chunks(128));
        pairs.map(|pair| usize::from(equal_of(pair))).sum()
    };
    equal(8) > equal(7) + plain.len() / NUMERIC
}

/// One byte in this many: floats of one range differ by 0.26 of the bytes, TPC-H's columns of numbers by 0.12, and text by less
/// than 0.06.
const NUMERIC: usize = 5;
