//! Row ranges to decode next, from the row selection of a scan range.

use std::ops::Range;

use arrow::array::{BooleanArray, BooleanBufferBuilder};
use arrow::buffer::BooleanBuffer;

use crate::load::fetch::RowRanges;

/// Gaps between selected rows that have fewer rows than this are decoded and dropped. Starting a
/// new range costs as much as decoding about this number of rows.
const GAP: usize = 32;

/// The remaining selected rows of a scan range.
pub(crate) struct SelectedRanges {
    /// Remaining rows of the scan range.
    left: Range<usize>,
    /// One bit for each remaining row; `None` if all rows are selected.
    mask: Option<BooleanBuffer>,
    /// Contiguous row ranges with loaded pages. Gaps between them are not decoded.
    loaded_ranges: RowRanges,
}

/// Rows of the next batch.
pub(crate) struct NextRows {
    /// Ascending rows to decode.
    pub ranges: RowRanges,
    /// Selected rows among them, if not all are selected.
    pub keep: Option<BooleanArray>,
}

impl SelectedRanges {
    /// Returns the rows of `window` with a set bit in `mask`. All of them lie in `loaded_ranges`,
    /// which ascend.
    pub fn new(window: Range<usize>, mask: Option<BooleanBuffer>, loaded_ranges: RowRanges) -> Self {
        Self { left: window, mask, loaded_ranges }
    }

    /// Selects all of `count` rows.
    pub fn all(count: usize) -> Self {
        Self::new(0..count, None, Vec::new())
    }

    /// Returns up to `count` selected rows; `None` at the end.
    pub(crate) fn next(&mut self, count: usize) -> Option<NextRows> {
        let Some(mask) = self.mask.take() else {
            let range = self.left.start..self.left.end.min(self.left.start.saturating_add(count));
            self.left.start = range.end;
            return (!range.is_empty()).then(|| NextRows { ranges: vec![range], keep: None });
        };
        let (start, mut missing, mut has_gaps) = (self.left.start, count, false);
        let mut ranges: RowRanges = Vec::new();
        for (from, to) in mask.set_slices() {
            if missing == 0 {
                break;
            }
            let run = start + from..start + to.min(from + missing);
            missing -= run.len();
            match ranges.last_mut() {
                Some(last) if run.start - last.end < GAP && self.is_loaded(last.end..run.start) => {
                    last.end = run.end;
                    has_gaps = true;
                }
                _ => ranges.push(run),
            }
        }
        let Some(last) = ranges.last() else {
            self.left.start = self.left.end;
            return None;
        };
        let end = last.end;
        let keep = has_gaps.then(|| {
            let mut bits = BooleanBufferBuilder::new(ranges.iter().map(Range::len).sum());
            ranges.iter().for_each(|rows| bits.append_buffer(&mask.slice(rows.start - start, rows.len())));
            BooleanArray::new(bits.finish(), None)
        });
        self.mask = Some(mask.slice(end - start, self.left.end - end));
        self.left.start = end;
        Some(NextRows { ranges, keep })
    }

    /// Returns whether the pages of a gap are loaded, given that the rows around the gap are.
    fn is_loaded(&self, rows: Range<usize>) -> bool {
        let next = self.loaded_ranges.partition_point(|range| range.end < rows.start);
        self.loaded_ranges.get(next).is_some_and(|range| rows.end < range.end)
    }
}

#[cfg(test)]
mod tests;
