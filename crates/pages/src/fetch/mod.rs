//! From a row group and the rows wanted of it to page bytes in memory.
//!
//! [`ChunkPlan`] says which byte ranges of a column chunk are needed, [`locate`] cuts what was read into pages.
//! Pages that hold no wanted row are neither read (where the file has an offset index) nor decompressed.

mod plan;
mod slots;

pub use plan::ChunkPlan;
pub use slots::{Slot, SlotState, locate};

use std::ops::Range;

/// Rows of a row group: disjoint, ascending, none empty.
pub type RowRanges = Vec<Range<usize>>;

/// Whether any of `wanted` falls into `rows`.
pub(crate) fn overlaps(wanted: &[Range<usize>], rows: &Range<usize>) -> bool {
    let first = wanted.partition_point(|range| range.end <= rows.start);
    wanted.get(first).is_some_and(|range| range.start < rows.end)
}
