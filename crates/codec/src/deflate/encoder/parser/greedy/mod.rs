//! The greedy levels: most of the work in vectors, and bytes compared only where a token may begin.
//!
//! 1. *chains* (`chains.rs`): for every position of a chunk, how far back the last one is whose next bytes have the same
//!    hash. A table holds positions with a tag, the rest of their hash, so that this takes no look at the bytes themselves. The
//!    distances are links of chains: from a candidate, its own distance leads to one before it.
//! 2. *lanes* (`lane.rs`): a chunk is cut into lane_ranges of a quarter of a KB to two, each with a greedy walk of its own that looks two positions
//!    ahead. Nothing in a step depends on another lane, so sixteen or thirty-two go on at once. A step goes to the next position that has
//!    a candidate, compares those of this one and of the next two, to both sides, and takes the best.
//! 3. The tokens of the lanes, one lane after the other, go into blocks as those of the other levels do, after a match that a lane's end cut off
//!    was joined with what it goes on over (`join.rs`).
//!
//! What a lane does is defined by `lane.rs` and `chains.rs`; `arch/` has the same in vectors.

use std::collections::TryReserveError;

pub(crate) mod encode;
mod join;
pub(crate) mod lanes;
pub(crate) mod probe;
pub(crate) mod walk;

use crate::deflate::encoder::levels;
use crate::deflate::encoder::match_finder::chains::Chains;
use crate::deflate::encoder::symbols::WINDOW;
use lanes::LaneRanges;

/// Positions that are searched and parsed at a time.
pub(crate) const CHUNK: usize = 64 << 10;
/// Positions whose links are looked up before any of them is insert_step: those of a vector. So, but for what `Chains::link_near` matches, no match is nearer than the last
/// one of the group before, which costs a run its first few bytes.
pub(crate) const GROUP: usize = 16;
/// Bytes that are hashed. With four, the last position with the same bytes is a worse candidate: by 1% of the size, over six
/// kinds of data.
pub(crate) const HASHED: usize = 5;
/// In inputs of up to this length, with their history, all positions are insert_step, and in longer ones every other: that a match begins a position late makes no
/// difference there, as it is extended backwards. Noting all makes blocks of 4 to 8 KB 1 to 0.5% smaller, and those of 16 and 32 KB of source
/// code 1.5%; in longer ones, it fills chains of columns with candidates that are all alike.
const MAX_LEN_TO_INSERT_ALL: usize = 32 << 10;
/// The shortest match. Those of three bytes mostly cost more than their literals.
pub(crate) const SHORTEST: usize = 4;
/// Bytes that a match is extended backwards: with one, 0.6% of the size is lost, and nothing is gained from more.
pub(crate) const MAX_BACKWARD: usize = 2;
/// Bytes that are compared at once, the `MAX_BACKWARD` before a position among them.
pub(crate) const COMPARED: usize = 32;
/// Positions whose candidates a step compares: the first that has any, and the next ones.
pub(crate) const LOOKAHEAD: usize = 3;
/// What a byte of a match is worth, in doublings of its distance, which cost about a bit each. Of 3, 4, 5, 6 and 8, 5 and 6 give the
/// smallest output, 0.3% less than 4.
pub(crate) const WORTH_PER_BYTE: i32 = 5;
/// What a match is worth more for each position that its look is later: it leads farther. With as much less, as a lazy search
/// that is satisfied with the first good match has it, the output is 1.5% larger.
pub(crate) const LATER_BONUS: i32 = 1;
/// Positions without candidates that a step goes over. With the later looks and a match, that makes the eight tokens of half a vector.
pub(crate) const MAX_SKIPPED: usize = 5;
/// Bytes that follow a position of a lane: what is compared at its last look, and what is loaded with literals.
pub(crate) const MARGIN: usize = LOOKAHEAD + COMPARED;

/// What a greedy level does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GreedyParameters {
    /// Candidates that are compared at each position.
    pub(crate) depth: usize,
    /// The logarithm of the number of the table's entries.
    pub(crate) bits: u32,
    /// Positions after which a block may end, up to a chunk.
    pub(crate) segment: usize,
}

impl GreedyParameters {
    /// One position in how many is insert_step.
    pub(crate) fn insert_step_for(len: usize) -> usize {
        if len <= MAX_LEN_TO_INSERT_ALL { 1 } else { 2 }
    }

    /// The logarithm of the number of entries for an input of `len` bytes: see [`levels::bits_for`].
    pub(crate) fn bits_for(self, len: usize) -> u32 {
        levels::bits_for(self.bits, len)
    }
}

/// IsaLevel of lanes, one of each in a row.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Row(#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))] pub(crate) [u32; GROUP]);

/// The memory of the greedy levels.
pub(crate) struct GreedyParser {
    pub(crate) chains: Chains,
    pub(crate) depth: usize,
    pub(crate) segment: usize,
    /// Written and read by what has vectors.
    pub(crate) rows: Vec<Row>,
}

impl GreedyParser {
    pub(crate) const fn new() -> Self {
        Self { chains: Chains::new(), depth: 0, segment: 0, rows: Vec::new() }
    }

    /// Gets the memory for inputs of `len` bytes, with rows if steps are taken in vectors.
    pub(crate) fn reserve(
        &mut self,
        parameters: GreedyParameters,
        len: usize,
        rows: bool,
    ) -> Result<(), TryReserveError> {
        self.chains.reserve(parameters.bits_for(len))?;
        if rows && self.rows.is_empty() {
            self.rows.try_reserve_exact(LaneRanges::MAX_ROWS)?;
            self.rows.resize(LaneRanges::MAX_ROWS, Row([0; GROUP]));
        }
        Ok(())
    }

    /// Forgets everything, for an input of `len` bytes whose matches reach `window` bytes back, at most `WINDOW`.
    pub(crate) fn reset(&mut self, parameters: GreedyParameters, len: usize, window: usize) {
        assert!(window <= WINDOW);
        self.chains.reset(len, parameters.bits_for(len), GreedyParameters::insert_step_for(len), window);
        (self.depth, self.segment) = (parameters.depth, parameters.segment);
    }
}
