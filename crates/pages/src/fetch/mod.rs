//! From a row group and the rows wanted of it to page bytes in memory.
//!
//! [`ChunkPlan`] says which byte ranges of a column chunk are needed, [`locate`] cuts what was read into pages.
//! Pages that hold no wanted row are neither read (where the file has an offset index) nor decompressed.

mod chunks;
mod plan;
mod slots;

pub(crate) use chunks::{Request, read};
pub use plan::ChunkPlan;
pub use slots::{Slot, SlotState, locate};

use std::ops::Range;

/// Rows of a row group: disjoint, ascending, none empty.
pub type RowRanges = Vec<Range<usize>>;

/// Says which rows of a row group are wanted.
pub trait Wanted: Sync {
    /// Whether any of these rows is.
    fn any(&self, rows: &Range<usize>) -> bool;

    /// Whether all of these rows are. No may also mean that it is not known.
    fn all(&self, rows: &Range<usize>) -> bool;
}

impl Wanted for Range<usize> {
    fn any(&self, rows: &Range<usize>) -> bool {
        self.start.max(rows.start) < self.end.min(rows.end)
    }

    fn all(&self, rows: &Range<usize>) -> bool {
        self.start <= rows.start && rows.end <= self.end
    }
}

impl Wanted for RowRanges {
    fn any(&self, rows: &Range<usize>) -> bool {
        let first = self.partition_point(|range| range.end <= rows.start);
        rows.start < rows.end && self.get(first).is_some_and(|range| range.start < rows.end)
    }

    fn all(&self, rows: &Range<usize>) -> bool {
        let first = self.partition_point(|range| range.end <= rows.start);
        // ranges that touch are not put together: the answer is then that it is not known
        self.get(first).is_some_and(|range| range.all(rows))
    }
}
