//! Which rows of a window are still wanted.

use std::ops::Range;

use arrow::array::{BooleanArray, BooleanBufferBuilder};
use arrow::buffer::BooleanBuffer;
use parquet::arrow::arrow_reader::{RowSelection, RowSelector};

use crate::fetch::RowRanges;

/// Rows of a window, as one bit a row. `None`: all of them.
#[derive(Debug, Clone)]
pub(super) struct Survivors {
    window: Range<usize>,
    mask: Option<BooleanBuffer>,
}

impl Survivors {
    /// Rows of the window that lie in `ranges`.
    pub fn new(window: Range<usize>, ranges: &[Range<usize>]) -> Self {
        if ranges.len() == 1 && ranges[0] == window {
            return Self { window, mask: None };
        }
        let mut mask = BooleanBufferBuilder::new(window.len());
        for range in ranges {
            mask.append_n(range.start - window.start - mask.len(), false);
            mask.append_n(range.len(), true);
        }
        mask.append_n(window.len() - mask.len(), false);
        Self { window, mask: Some(mask.finish()) }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.mask.as_ref().map_or(self.window.len(), BooleanBuffer::count_set_bits)
    }

    /// Keeps of them those that `passed` says; it has one value for each.
    pub fn and_then(&mut self, passed: &BooleanBuffer) {
        self.mask = Some(match &self.mask {
            None => passed.clone(),
            Some(mask) => {
                let mut bits = BooleanBufferBuilder::new(mask.len());
                bits.append_n(mask.len(), false);
                for (index, row) in mask.set_indices().enumerate() {
                    if passed.value(index) {
                        bits.set_bit(row, true);
                    }
                }
                bits.finish()
            }
        });
    }

    /// Their runs, as ranges of the row group's rows.
    pub fn ranges(&self) -> RowRanges {
        match &self.mask {
            None => vec![self.window.clone()],
            Some(mask) => {
                let start = self.window.start;
                mask.set_slices().map(|(from, to)| start + from..start + to).collect()
            }
        }
    }

    /// How to read them from columns of a row group of `rows` rows. `stretches` are the rows whose pages are there in
    /// every column. `None`: pages are missing in a pattern that can't be read; more pages have to be loaded.
    pub fn reading(&self, stretches: &[Range<usize>], rows: usize) -> Option<Reading> {
        let ranges = self.ranges();
        let has_holes = stretches.len() > 1;
        if by_runs(&ranges, rows) {
            return Some(Reading { selection: selection(&ranges, rows), mask: None });
        }
        if !has_holes {
            return Some(Reading { selection: self.bits(rows), mask: None });
        }
        if !by_runs(stretches, rows) {
            return None;
        }
        let mut bits = BooleanBufferBuilder::new(stretches.iter().map(Range::len).sum());
        for row in stretches.iter().cloned().flatten() {
            bits.append(self.contains(row));
        }
        Some(Reading {
            selection: selection(stretches, rows),
            mask: Some(BooleanArray::new(bits.finish(), None)),
        })
    }

    /// One bit for each row of the row group: what parquet-rs makes of short runs in the end.
    fn bits(&self, rows: usize) -> RowSelection {
        let mut bits = BooleanBufferBuilder::new(rows);
        bits.append_n(self.window.start, false);
        match &self.mask {
            Some(mask) => bits.append_buffer(mask),
            None => bits.append_n(self.window.len(), true),
        }
        bits.append_n(rows - self.window.end, false);
        RowSelection::from_boolean_buffer(bits.finish())
    }

    fn contains(&self, row: usize) -> bool {
        self.window.contains(&row)
            && self.mask.as_ref().is_none_or(|mask| mask.value(row - self.window.start))
    }
}

/// A way to read rows: what to select, and which of the selected rows to keep (all, if there is no mask).
#[derive(Debug, Clone)]
pub(super) struct Reading {
    pub selection: RowSelection,
    pub mask: Option<BooleanArray>,
}

/// Whether parquet-rs will read these ranges run by run. It does for runs of 32 rows and more on average, skipped ones
/// counted (`RowSelectionPolicy::Auto`); otherwise it reads all rows between the first and the last and drops those not
/// wanted, which is faster, but fails on a page that is not there.
fn by_runs(ranges: &[Range<usize>], rows: usize) -> bool {
    const RUN: usize = 32;
    // skip, select, skip, select, …, skip
    let runs = ranges.len() * 2 + 1;
    rows >= runs * RUN
}

fn selection(ranges: &[Range<usize>], rows: usize) -> RowSelection {
    let mut selectors = Vec::with_capacity(ranges.len() * 2 + 1);
    let mut last = 0;
    for range in ranges {
        if range.start > last {
            selectors.push(RowSelector::skip(range.start - last));
        }
        selectors.push(RowSelector::select(range.len()));
        last = range.end;
    }
    if last < rows {
        selectors.push(RowSelector::skip(rows - last));
    }
    RowSelection::from(selectors)
}
