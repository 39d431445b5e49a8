//! Reading of the selected rows' pages from a row group.
//!
//! [`ChunkPlan`] gives the byte ranges of a column chunk that are needed, and [`locate`] splits the
//! bytes that were read into pages. Pages without a selected row are neither read (if the file has
//! an offset index) nor decompressed.

mod chunks;
mod plan;
mod slots;

pub(crate) use crate::load::fetch::chunks::Request;
pub(crate) use crate::load::fetch::chunks::read;
pub use crate::load::fetch::plan::ChunkPlan;
pub use crate::load::fetch::slots::Slot;
pub use crate::load::fetch::slots::SlotState;
pub use crate::load::fetch::slots::locate;

use std::ops::Range;

/// Rows of a row group: disjoint, ascending, none empty.
pub type RowRanges = Vec<Range<usize>>;

/// Returns the rows in both. Adjacent ranges are allowed on either side.
pub fn intersect(a: &[Range<usize>], b: &[Range<usize>]) -> RowRanges {
    let mut both = Vec::new();
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        let (start, end) = (a[i].start.max(b[j].start), a[i].end.min(b[j].end));
        if start < end {
            both.push(start..end);
        }
        if a[i].end < b[j].end { i += 1 } else { j += 1 }
    }
    both
}

/// Row selection of a row group.
pub trait Wanted: Sync {
    /// Returns whether any of these rows is selected.
    fn any(&self, rows: &Range<usize>) -> bool;

    /// Returns whether all of these rows are known to be selected. `false` also stands for
    /// "unknown".
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
        // adjacent ranges are not merged; for rows in two of them the result is "unknown"
        self.get(first).is_some_and(|range| range.all(rows))
    }
}

#[cfg(test)]
mod tests;
