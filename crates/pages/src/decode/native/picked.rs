//! Row ranges to decode next, from the row selection of a scan range.

use std::ops::Range;

use arrow::array::{BooleanArray, BooleanBufferBuilder};
use arrow::buffer::BooleanBuffer;

use crate::load::fetch::RowRanges;

/// Gaps between selected rows that have fewer rows than this are decoded and dropped. Starting a
/// new range costs as much as decoding about this number of rows.
const GAP: usize = 32;

/// The remaining selected rows of a scan range.
pub(crate) struct Picked {
    /// Remaining rows of the scan range.
    left: Range<usize>,
    /// One bit for each remaining row; `None` if all rows are selected.
    mask: Option<BooleanBuffer>,
    /// Contiguous row ranges with loaded pages. Gaps between them are not decoded.
    stretches: RowRanges,
}

/// Rows of the next batch.
pub(crate) struct Next {
    /// Ascending rows to decode.
    pub ranges: RowRanges,
    /// Selected rows among them, if not all are selected.
    pub keep: Option<BooleanArray>,
}

impl Picked {
    /// Returns the rows of `window` with a set bit in `mask`. All of them lie in `stretches`, which
    /// ascend.
    pub fn new(window: Range<usize>, mask: Option<BooleanBuffer>, stretches: RowRanges) -> Self {
        Self { left: window, mask, stretches }
    }

    /// Selects all of `count` rows.
    pub fn all(count: usize) -> Self {
        Self::new(0..count, None, Vec::new())
    }

    /// Returns the number of remaining selected rows.
    pub(crate) fn count(&self) -> usize {
        self.mask.as_ref().map_or(self.left.len(), BooleanBuffer::count_set_bits)
    }

    /// Returns up to `count` selected rows; `None` at the end.
    pub(crate) fn next(&mut self, count: usize) -> Option<Next> {
        let Some(mask) = self.mask.take() else {
            let range = self.left.start..self.left.end.min(self.left.start.saturating_add(count));
            self.left.start = range.end;
            return (!range.is_empty()).then(|| Next { ranges: vec![range], keep: None });
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
                Some(last) if run.start - last.end < GAP && self.is_there(last.end..run.start) => {
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
        Some(Next { ranges, keep })
    }

    /// Returns whether the pages of a gap are loaded, given that the rows around the gap are.
    fn is_there(&self, rows: Range<usize>) -> bool {
        let next = self.stretches.partition_point(|stretch| stretch.end < rows.start);
        self.stretches.get(next).is_some_and(|stretch| rows.end < stretch.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the batches of selected rows of a mask, which is given as runs: length, and whether
    /// the rows are selected.
    fn steps(runs: &[(usize, bool)], stretches: RowRanges, count: usize) -> Vec<(RowRanges, Vec<bool>)> {
        let mut bits = BooleanBufferBuilder::new(0);
        runs.iter().for_each(|&(len, bit)| bits.append_n(len, bit));
        let mask = bits.finish();
        let mut picked = Picked::new(100..100 + mask.len(), Some(mask), stretches);
        assert_eq!(picked.count(), runs.iter().filter(|run| run.1).map(|run| run.0).sum::<usize>());
        let steps: Vec<_> = std::iter::from_fn(|| picked.next(count)).collect();
        assert!(picked.next(count).is_none(), "rows behind the last wanted one");
        let keep = |keep: Option<BooleanArray>| keep.map_or(vec![], |keep| keep.values().iter().collect());
        steps.into_iter().map(|Next { ranges, keep: kept }| (ranges, keep(kept))).collect()
    }

    #[test]
    fn all_rows_come_in_steps() {
        let mut picked = Picked::new(5..30, None, vec![0..100]);
        let ranges: Vec<_> = std::iter::from_fn(|| picked.next(10)).map(|next| next.ranges).collect();
        assert_eq!(ranges, [vec![5..15], vec![15..25], vec![25..30]]);
    }

    #[test]
    fn runs_are_split_where_a_step_is_full() {
        let found = steps(&[(10, false), (30, true), (100, false), (5, true), (9, false)], vec![0..1000], 20);
        assert_eq!(found, [(vec![110..130], vec![]), (vec![130..140, 240..245], vec![])]);
    }

    #[test]
    fn small_gaps_are_decoded_too_and_dropped() {
        let found = steps(&[(1, true), (2, false), (1, true), (32, false), (1, true)], vec![100..137], 9);
        assert_eq!(found, [(vec![100..104, 136..137], vec![true, false, false, true, true])]);
    }

    #[test]
    fn gaps_without_their_pages_are_not() {
        let runs = [(10, true), (4, false), (10, true)];
        let found = steps(&runs, vec![100..110, 114..124], 50);
        assert_eq!(found, [(vec![100..110, 114..124], vec![])]);
        let found = steps(&runs, vec![100..112, 112..124], 50);
        assert_eq!(found, [(vec![100..110, 114..124], vec![])]);
    }
}
