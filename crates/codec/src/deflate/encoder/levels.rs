//! Encoder parameters of each level, the match window, and the sizes of tables.

use std::collections::TryReserveError;

use super::symbols::{MAX_MATCH, WINDOW};

/// Parser of a level, with its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LevelParameters {
    /// The greedy parser, in lanes.
    Greedy(GreedyParameters),
    /// The near-optimal parser over the matches of all positions.
    NearOptimal(EncoderParameters),
    /// The lazy parser, one position after the other.
    Sequential(SequentialParameters),
    /// The greedy parser that hashes only positions where a token begins.
    Fastest,
}

/// Parameters of the sequential parser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SequentialParameters {
    /// Candidates that are compared at each position; half of them at the next one, and a quarter
    /// at the one after that.
    pub(crate) depth: usize,
    /// A match of this length is taken without a further search.
    pub(crate) nice: usize,
    /// A match of this length is taken without a search at later positions.
    pub(crate) max_lazy: usize,
    /// Positions after a match that may have a better one: 0 to 2.
    pub(crate) lookahead: usize,
}

/// Parameters of the greedy parser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GreedyParameters {
    /// Candidates that are compared at each position.
    pub(crate) depth: usize,
    /// Logarithm of the number of table entries.
    pub(crate) bits: u32,
    /// Positions after which a block may end, up to a chunk.
    pub(crate) segment: usize,
}

/// Parameters of the match finder and the near-optimal parser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EncoderParameters {
    /// Candidates for each position, by its next 4 and by its next 8 bytes.
    pub(crate) ways: [usize; 2],
    /// Logarithm of the number of buckets, for a full window.
    pub(crate) bits: u32,
    /// Positions that are skipped after each searched one: 0 or 1. Skipping allows twice the
    /// candidates in the same time, which finds more; every other match of the minimum length is
    /// missed.
    pub(crate) skip: usize,
    /// Passes of the near-optimal parser.
    pub(crate) passes: usize,
}

/// Levels 1 to 9, each smaller and slower than the one before (docs/deflate.md). The first two
/// have half the table entries and longer blocks, which saves time and costs little size.
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

/// The fastest parser, and the sequential one at the levels of zlib, with their sizes and order of
/// speed.
pub(crate) const SEQUENTIAL_LEVELS: [LevelParameters; 9] = [
    LevelParameters::Fastest,
    sequential(2, 32, 0, 0),
    sequential(4, 32, 0, 0),
    sequential(6, 64, 16, 1),
    sequential(8, 128, 32, 1),
    sequential(12, 128, 32, 1),
    sequential(20, 128, 64, 1),
    sequential(40, 128, MAX_MATCH, 2),
    sequential(64, 128, MAX_MATCH, 2),
];

/// Returns a level of the sequential parser.
const fn sequential(depth: usize, nice: usize, max_lazy: usize, lookahead: usize) -> LevelParameters {
    LevelParameters::Sequential(SequentialParameters { depth, nice, max_lazy, lookahead })
}

/// Added to a level of the sequential parser.
pub(crate) const SEQUENTIAL: i32 = 16;

/// Returns the parameters of a level: 1 to 9, also with [`SEQUENTIAL`] added.
pub(crate) fn parameters_of(level: i32) -> Option<LevelParameters> {
    let of =
        |levels: &[LevelParameters; 9], level: i32| levels.get(usize::try_from(level - 1).ok()?).copied();
    of(&LEVELS, level).or_else(|| of(&SEQUENTIAL_LEVELS, level - SEQUENTIAL))
}

/// Returns a level of the greedy parser.
const fn greedy(depth: usize, bits: u32, segment: usize) -> LevelParameters {
    LevelParameters::Greedy(GreedyParameters { depth, bits, segment })
}

/// In inputs of up to this length, history included, every position is inserted; in longer ones
/// every other. A match that starts a position late is extended backwards there, and inserting all
/// positions fills the chains of columns with equal candidates. In short inputs it finds more.
const MAX_LEN_TO_INSERT_ALL: usize = 32 << 10;

impl GreedyParameters {
    /// Returns the distance between inserted positions for an input of `len` bytes.
    pub(crate) fn insert_step_for(len: usize) -> usize {
        if len <= MAX_LEN_TO_INSERT_ALL { 1 } else { 2 }
    }

    /// Returns the logarithm of the number of table entries for an input of `len` bytes.
    pub(crate) fn bits_for(self, len: usize) -> u32 {
        bits_for(self.bits, len)
    }
}

impl EncoderParameters {
    /// Returns the logarithm of the number of buckets for an input of `len` bytes.
    pub(crate) fn bits_for(self, len: usize) -> u32 {
        bits_for(self.bits, len)
    }
}

/// Returns the logarithm of a table's size for an input of `len` bytes, where `bits` is the one for
/// a long input: at most twice the number of positions, since tables are cleared for each input.
fn bits_for(bits: u32, len: usize) -> u32 {
    bits.min(usize::BITS - len.max(1 << 8).leading_zeros())
}

/// Reserves memory so that a vector holds `capacity` elements in all.
pub(crate) fn reserve<T>(vector: &mut Vec<T>, capacity: usize) -> Result<(), TryReserveError> {
    vector.try_reserve_exact(capacity.saturating_sub(vector.len()))
}

/// Maximum distance of matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Logarithm of its size in bytes.
    bits: u32,
}

impl Window {
    /// 4 KB, the window of Intel's IAA.
    pub const SMALL: Self = Self { bits: 12 };
    /// 32 KB, the limit of the format.
    pub const FULL: Self = Self { bits: WINDOW.ilog2() };

    /// Returns the window of a size of zlib, in `bits` as for zlib; `None` for other sizes.
    pub const fn of_bits(bits: u32) -> Option<Self> {
        if matches!(bits, 9..=15) { Some(Self { bits }) } else { None }
    }

    /// Returns the largest window of at most `bytes`. `None` below 512, the smallest size.
    pub const fn within(bytes: u32) -> Option<Self> {
        match bytes.checked_ilog2() {
            None => None,
            Some(bits) if bits > Self::FULL.bits => Some(Self::FULL),
            Some(bits) => Self::of_bits(bits),
        }
    }

    /// Returns its size.
    pub const fn bytes(self) -> usize {
        1 << self.bits
    }
}

impl Default for Window {
    fn default() -> Self {
        Self::FULL
    }
}
