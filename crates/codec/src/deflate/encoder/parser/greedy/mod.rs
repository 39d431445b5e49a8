//! Greedy parser with lookahead, in lanes: most of the work in vectors, and bytes compared only
//! where a token may begin.
//!
//! - *Hash chains* (`match_finder/chains.rs`) give each position of a chunk the distance to its
//!   predecessor with the same hash. The table holds positions with a tag, the rest of their hash,
//!   so no byte is compared for it. A candidate's own distance leads to the next candidate.
//! - *Lanes* (`walk.rs`): a chunk is divided into ranges, each with a greedy parse of its own that
//!   looks two positions ahead. Lanes are independent, so vectors run many of them at once. A step
//!   goes to the next position with a candidate, compares the candidates of that position and the
//!   next two, forwards and backwards, and takes the best match.
//! - The tokens of the lanes go into blocks in order. A match that the end of its lane cut off is
//!   first extended over the tokens of the next lane (`join.rs`).
//!
//! `walk.rs` and `chains.rs` define the result; `simd/` computes the same in vectors.

use std::collections::TryReserveError;

pub(crate) mod encode;
mod join;
pub(crate) mod lanes;
pub(crate) mod probe;
pub(crate) mod walk;

use crate::deflate::encoder::levels::{GreedyParameters, reserve};
use crate::deflate::encoder::match_finder::chains::{Chains, GROUP};
use crate::deflate::encoder::symbols::WINDOW;
use lanes::LaneRanges;

/// Minimum length of a match. Shorter ones mostly cost more than their literals.
pub(crate) const MIN_LEN: usize = 4;
/// Bytes that are compared at once, those before a position included.
pub(crate) const COMPARED: usize = 32;
/// Positions in one step, each with its candidates: the first one that has any, and the next ones.
pub(crate) const LOOKAHEAD: usize = 3;
/// Worth of a byte of a match, in doublings of its distance, which cost about a bit each. Smaller
/// and larger values make the output larger.
pub(crate) const WORTH_PER_BYTE: i32 = 5;
/// Added worth of a match for each position that it is later: it leads farther.
pub(crate) const LATER_BONUS: i32 = 1;
/// Positions without candidates that a step passes. With the lookahead and a match, that makes the
/// eight tokens of half a vector.
pub(crate) const MAX_SKIPPED: usize = 5;
/// Bytes after a position of a lane that its last comparison and the load of its literals read.
pub(crate) const MARGIN: usize = LOOKAHEAD + COMPARED;
/// Candidates of the deepest level.
pub(crate) const MAX_DEPTH: usize = 12;
/// Rows for a first position, and for each lookahead position and candidate a candidate and a mask.
pub(crate) const COMPARED_ROWS: usize = LaneRanges::GROUPS * (1 + 2 * LOOKAHEAD * MAX_DEPTH);

/// Steps of the lanes of a vector.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Row(#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))] pub(crate) [u32; GROUP]);

/// The greedy parser and its memory.
pub(crate) struct GreedyParser {
    pub(crate) chains: Chains,
    pub(crate) depth: usize,
    pub(crate) segment: usize,
    /// Written and read by vector code only.
    pub(crate) rows: Vec<Row>,
    /// Scratch memory of vector code: the comparisons of a step.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))]
    pub(crate) compared: Vec<Row>,
}

impl GreedyParser {
    pub(crate) const fn new() -> Self {
        Self { chains: Chains::new(), depth: 0, segment: 0, rows: Vec::new(), compared: Vec::new() }
    }

    /// Reserves the memory for inputs of `len` bytes, with rows if lanes run in vectors.
    fn reserve_chains(
        &mut self,
        parameters: GreedyParameters,
        len: usize,
        has_vectors: bool,
    ) -> Result<(), TryReserveError> {
        self.chains.reserve(parameters.bits_for(len))?;
        // each by itself: one may be there from a call that had no memory for the other
        if has_vectors {
            for (rows, count) in [(&mut self.rows, LaneRanges::MAX_ROWS), (&mut self.compared, COMPARED_ROWS)]
            {
                reserve(rows, count)?;
                rows.resize(count, Row([0; GROUP]));
            }
        }
        Ok(())
    }

    /// Clears the state for an input of `len` bytes with matches of at most `window` bytes back.
    fn reset(&mut self, parameters: GreedyParameters, len: usize, window: usize) {
        assert!(window <= WINDOW);
        self.chains.reset(len, parameters.bits_for(len), GreedyParameters::insert_step_for(len), window);
        (self.depth, self.segment) = (parameters.depth, parameters.segment);
    }
}
