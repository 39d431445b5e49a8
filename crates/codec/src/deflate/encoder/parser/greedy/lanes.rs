//! How a chunk is cut into lanes.

use std::ops::Range;

use crate::deflate::encoder::match_finder::chains::{CHUNK, GROUP};

/// The lane_ranges of a range of positions, a lane for each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LaneRanges {
    pub(crate) range: Range<usize>,
    /// Positions of all lanes but the last that has any.
    pub(crate) len: usize,
    /// Vectors of lanes.
    pub(crate) groups: usize,
}

/// Lanes are no shorter, if there is more than one: what `join` puts together is not all that is cut. Blocks of 4 KB in lanes of 512
/// positions take 1.25 to 1.5 times as long and are 0.2% smaller, in lanes of 128 a twentieth less and 0.2% larger.
const MIN_LANE_LEN: usize = 256;

/// Lanes of so many positions and more ...
const LONG_LANE: usize = 960;
/// ... get as many in addition. Lanes of 2 KB, all about as far, would be at two places modulo 4 KB, and at one of two bytes a position: in one or two sets
/// of a first-level cache, which hold 8 or 12 lines each. Without it, blocks of 64 KB take a twentieth longer, those of 16 KB a hundredth.
const LANE_PADDING: usize = 16;

impl LaneRanges {
    /// Vectors of lanes for a whole chunk. Two take turns: while one waits for what it has compared, the other goes on.
    pub(crate) const GROUPS: usize = 2;
    /// Rows that the steps of all lanes take at most, as a step is at least a position long.
    pub(crate) const MAX_ROWS: usize = CHUNK / GROUP + Self::GROUPS * LANE_PADDING;

    pub(crate) fn new(range: Range<usize>) -> Self {
        // Below that, lanes of one vector are long enough to fill the waiting.
        let groups = if range.len() >= CHUNK / 2 { Self::GROUPS } else { 1 };
        let len = range.len().div_ceil(groups * GROUP).max(MIN_LANE_LEN);
        let padding = if len < LONG_LANE { 0 } else { LANE_PADDING };
        Self { range, len: len + padding, groups }
    }

    /// Lanes, some of which may be empty.
    pub(crate) fn lanes(&self) -> usize {
        self.groups * GROUP
    }

    /// Where a lane ends.
    pub(crate) fn end(&self, lane: usize) -> usize {
        (self.range.start + (lane + 1) * self.len).min(self.range.end)
    }

    /// The positions of a lane.
    pub(crate) fn of(&self, lane: usize) -> Range<usize> {
        (self.range.start + lane * self.len).min(self.range.end)..self.end(lane)
    }
}
