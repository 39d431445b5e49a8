//! Division of a chunk into lanes.

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

/// Minimum length of lanes, if there are several: shorter ones cut more matches than `join`
/// repairs, longer ones leave vectors idle in short blocks.
const MIN_LANE_LEN: usize = 256;

/// Lanes of this length and more ...
const LONG_LANE: usize = 960;
/// ... get this padding. Lanes of 2 KB, all about equally far, would compete for one or two sets of
/// a first-level cache.
const LANE_PADDING: usize = 16;

impl LaneRanges {
    /// Vectors of lanes for a whole chunk. Two run in turn: one computes while the other waits for
    /// its comparisons.
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

    /// Returns the number of lanes, empty ones included.
    pub(crate) fn lanes(&self) -> usize {
        self.groups * GROUP
    }

    /// Returns the end of a lane.
    pub(crate) fn end(&self, lane: usize) -> usize {
        (self.range.start + (lane + 1) * self.len).min(self.range.end)
    }

    /// The positions of a lane.
    pub(crate) fn of(&self, lane: usize) -> Range<usize> {
        (self.range.start + lane * self.len).min(self.range.end)..self.end(lane)
    }
}
