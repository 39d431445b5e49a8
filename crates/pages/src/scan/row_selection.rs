//! Row selection of a scan range, and its translation for the decoders.

use std::ops::Range;

use arrow::array::{BooleanArray, BooleanBufferBuilder};
use arrow::buffer::BooleanBuffer;
use parquet::arrow::arrow_reader::{RowSelection as ParquetSelection, RowSelector};

use crate::decode::native::SelectedRanges;
use crate::load::fetch::RowRanges;
use crate::load::fetch::Wanted;
use crate::scan::bits::deposit;

/// Selected rows of a scan range, with one bit a row; without a mask all rows are selected.
#[derive(Debug, Clone)]
pub(crate) struct RowSelection {
    window: Range<usize>,
    mask: Option<BooleanBuffer>,
}

impl RowSelection {
    /// Selects the rows in `ranges`.
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

    /// Returns the number of selected rows.
    pub fn count(&self) -> usize {
        self.mask.as_ref().map_or(self.window.len(), BooleanBuffer::count_set_bits)
    }

    /// Keeps the selected rows that are true in `passed`, which has one value for each selected
    /// row.
    pub fn and_then(&mut self, passed: &BooleanBuffer) {
        self.mask = Some(self.spread(passed));
    }

    /// Keeps the selected rows that are true in `passed`, which has one value for each row of the
    /// scan range.
    pub fn and(&mut self, passed: &BooleanBuffer) {
        self.mask = Some(match &self.mask {
            None => passed.clone(),
            Some(mask) => mask & passed,
        });
    }

    /// Returns the selected rows in `ranges`.
    pub fn within(&self, ranges: &[Range<usize>]) -> Self {
        let mut within = Self::new(self.window.clone(), ranges);
        if let Some(mask) = &self.mask {
            within.and(mask);
        }
        within
    }

    /// Turns values for the selected rows into values for all rows of the range; false for rows
    /// that are not selected.
    pub fn spread(&self, passed: &BooleanBuffer) -> BooleanBuffer {
        match &self.mask {
            None => passed.clone(),
            Some(mask) => deposit(mask, passed),
        }
    }

    /// Turns values for all rows of the range into values for the selected rows: the inverse of
    /// `spread`.
    pub fn of(&self, rows: &BooleanBuffer) -> BooleanArray {
        let Some(mask) = &self.mask else { return BooleanArray::new(rows.clone(), None) };
        let mut of = BooleanBufferBuilder::new(self.count());
        for (from, to) in mask.set_slices() {
            of.append_buffer(&rows.slice(from, to - from));
        }
        BooleanArray::new(of.finish(), None)
    }

    /// Returns the number of runs of selected rows.
    fn runs(&self) -> usize {
        let Some(mask) = &self.mask else { return 1 };
        let mut last = 0;
        let starts = mask.bit_chunks().iter_padded().map(|word| {
            let starts = word & !(word << 1 | last);
            last = word >> 63;
            starts.count_ones() as usize
        });
        starts.sum()
    }

    /// Returns the runs of selected rows as ranges in the row group.
    pub fn ranges(&self) -> RowRanges {
        match &self.mask {
            None => vec![self.window.clone()],
            Some(mask) => {
                let start = self.window.start;
                mask.set_slices().map(|(from, to)| start + from..start + to).collect()
            }
        }
    }

    /// Returns whether [`RowSelection::parquet_rows`] returns rows.
    pub fn can_be_read(&self, loaded_ranges: &[Range<usize>], rows: usize) -> bool {
        loaded_ranges.len() <= 1 || by_runs(self.runs(), rows) || by_runs(loaded_ranges.len(), rows)
    }

    /// Returns one bit for each row of the range, if the runs are so short that parquet-rs would
    /// decode the rows between them.
    pub fn scattered(&self) -> Option<BooleanBuffer> {
        self.mask.clone().filter(|_| !by_runs(self.runs(), self.window.len()))
    }

    /// Returns the selected rows for the native decoders. `loaded_ranges` are as for
    /// [`RowSelection::parquet_rows`].
    pub fn selected_ranges(&self, loaded_ranges: RowRanges) -> SelectedRanges {
        SelectedRanges::new(self.window.clone(), self.mask.clone(), loaded_ranges)
    }

    /// Returns parquet-rs's way to read the selected rows from a row group of `rows` rows.
    /// `loaded_ranges` are the rows of the range with loaded pages in every column. `None` if pages
    /// are missing in a pattern that can't be read; then more pages have to be loaded.
    pub fn parquet_rows(&self, loaded_ranges: &[Range<usize>], rows: usize) -> Option<ParquetRows> {
        if !self.can_be_read(loaded_ranges, rows) {
            return None;
        }
        if by_runs(self.runs(), rows) {
            return Some(ParquetRows { selection: selection(&self.ranges(), rows), mask: None });
        }
        if loaded_ranges.len() <= 1 {
            return Some(ParquetRows { selection: self.bits(rows), mask: None });
        }
        let mut bits = BooleanBufferBuilder::new(loaded_ranges.iter().map(Range::len).sum());
        for rows in loaded_ranges {
            match &self.mask {
                None => bits.append_n(rows.len(), true),
                Some(mask) => bits.append_buffer(&mask.slice(rows.start - self.window.start, rows.len())),
            }
        }
        Some(ParquetRows {
            selection: selection(loaded_ranges, rows),
            mask: Some(BooleanArray::new(bits.finish(), None)),
        })
    }

    /// Returns one bit for each row of the row group, the form that parquet-rs gives to short runs.
    fn bits(&self, rows: usize) -> ParquetSelection {
        let mut bits = BooleanBufferBuilder::new(rows);
        bits.append_n(self.window.start, false);
        match &self.mask {
            Some(mask) => bits.append_buffer(mask),
            None => bits.append_n(self.window.len(), true),
        }
        bits.append_n(rows - self.window.end, false);
        ParquetSelection::from_boolean_buffer(bits.finish())
    }
}

impl Wanted for RowSelection {
    fn any(&self, rows: &Range<usize>) -> bool {
        let (start, end) = (rows.start.max(self.window.start), rows.end.min(self.window.end));
        start < end
            && self
                .mask
                .as_ref()
                .is_none_or(|mask| mask.slice(start - self.window.start, end - start).has_true())
    }

    fn all(&self, rows: &Range<usize>) -> bool {
        self.mask.is_none() && self.window.start <= rows.start && rows.end <= self.window.end
    }
}

/// Rows that parquet-rs reads, and a mask over them for the selected ones (all, without a mask).
#[derive(Debug, Clone)]
pub(crate) struct ParquetRows {
    pub selection: ParquetSelection,
    pub mask: Option<BooleanArray>,
}

/// Returns whether parquet-rs reads the runs one by one (`RowSelectionPolicy::Auto`). It does so if
/// the average run, skipped ones included, has at least `RUN` rows. Otherwise it reads all rows
/// between the first and the last and drops those not selected, which is faster, but fails on a
/// missing page.
fn by_runs(runs: usize, rows: usize) -> bool {
    const RUN: usize = 32;
    // skip, select, skip, select, …, skip
    rows >= (runs * 2 + 1) * RUN
}

fn selection(ranges: &[Range<usize>], rows: usize) -> ParquetSelection {
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
    ParquetSelection::from(selectors)
}
