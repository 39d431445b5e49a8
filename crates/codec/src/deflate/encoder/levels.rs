//! What each level does.

use crate::deflate::encoder::parser::greedy;

/// How a level compresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LevelParameters {
    /// In lanes, by `greedy/`.
    Greedy(greedy::GreedyParameters),
    /// By the cheapest path through all that is found.
    NearOptimal(EncoderParameters),
}

/// The work that goes into a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EncoderParameters {
    /// Candidates for each position, by its next 4 and by its next 8 bytes.
    pub(crate) ways: [usize; 2],
    /// The logarithm of the number of buckets, for a full window.
    pub(crate) bits: u32,
    /// Positions that are left out after each that is searched: 0 or 1. Candidates for every other position cost as much as
    /// half as many for all, and find more: what is missed are matches of the shortest length, every other of them.
    pub(crate) skip: usize,
    /// How often the cheapest path is looked for.
    pub(crate) passes: usize,
}

/// Levels 1 to 9, from some sixty that were measured: each is smaller and slower than the one before (docs/deflate.md). The
/// first two have half the entries, and blocks of a chunk and of half of one: with the third's the first is 0.6% smaller and takes a fiftieth longer,
/// and the second 0.5% and a fifteenth.
pub(crate) const LEVELS: [LevelParameters; 9] = [
    greedy(1, 14, 64 << 10),
    greedy(2, 14, 32 << 10),
    greedy(3, 15, 16 << 10),
    greedy(6, 15, 16 << 10),
    greedy(12, 15, 16 << 10),
    LevelParameters::NearOptimal(EncoderParameters { ways: [8, 4], bits: 13, skip: 1, passes: 1 }),
    LevelParameters::NearOptimal(EncoderParameters { ways: [16, 8], bits: 14, skip: 1, passes: 1 }),
    LevelParameters::NearOptimal(EncoderParameters { ways: [16, 8], bits: 14, skip: 1, passes: 2 }),
    LevelParameters::NearOptimal(EncoderParameters { ways: [16, 8], bits: 14, skip: 0, passes: 3 }),
];

/// A greedy level.
const fn greedy(depth: usize, bits: u32, segment: usize) -> LevelParameters {
    LevelParameters::Greedy(greedy::GreedyParameters { depth, bits, segment })
}

impl EncoderParameters {
    /// The logarithm of the number of buckets for an input of `len` bytes.
    pub(crate) fn bits_for(self, len: usize) -> u32 {
        bits_for(self.bits, len)
    }
}

/// The logarithm of the number of places in a table for an input of `len` bytes, if `bits` is that for a long one: no more than
/// twice its positions, as all of them are cleared now and then.
pub(crate) fn bits_for(bits: u32, len: usize) -> u32 {
    bits.min(usize::BITS - len.max(1 << 8).leading_zeros())
}
