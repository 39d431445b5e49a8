//! Which rows of a window are still wanted.

use std::ops::Range;

use arrow::array::{BooleanArray, BooleanBufferBuilder};
use arrow::buffer::BooleanBuffer;
use parquet::arrow::arrow_reader::{RowSelection, RowSelector};

use crate::decode::native::Picked;
use crate::load::fetch::RowRanges;
use crate::load::fetch::Wanted;
use crate::scan::bits::deposit;

/// Rows of a window, as one bit a row. `None`: all of them.
#[derive(Debug, Clone)]
pub(crate) struct Survivors {
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
        self.mask = Some(self.spread(passed));
    }

    /// Keeps of them those that `passed` says; it has one value for each row of the window.
    pub fn and(&mut self, passed: &BooleanBuffer) {
        self.mask = Some(match &self.mask {
            None => passed.clone(),
            Some(mask) => mask & passed,
        });
    }

    /// Of them those that lie in `ranges`.
    pub fn within(&self, ranges: &[Range<usize>]) -> Self {
        let mut within = Self::new(self.window.clone(), ranges);
        if let Some(mask) = &self.mask {
            within.and(mask);
        }
        within
    }

    /// What `passed` says of each of them as what it says of each row of the window; no for all
    /// others.
    pub fn spread(&self, passed: &BooleanBuffer) -> BooleanBuffer {
        match &self.mask {
            None => passed.clone(),
            Some(mask) => deposit(mask, passed),
        }
    }

    /// What `rows`, which has one value for each row of the window, says of each of them: `spread`
    /// turned round.
    pub fn of(&self, rows: &BooleanBuffer) -> BooleanArray {
        let Some(mask) = &self.mask else { return BooleanArray::new(rows.clone(), None) };
        let mut of = BooleanBufferBuilder::new(self.count());
        for (from, to) in mask.set_slices() {
            of.append_buffer(&rows.slice(from, to - from));
        }
        BooleanArray::new(of.finish(), None)
    }

    /// How many runs they are in.
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

    /// Their runs, as ranges of the row group's rows.
    fn ranges(&self) -> RowRanges {
        match &self.mask {
            None => vec![self.window.clone()],
            Some(mask) => {
                let start = self.window.start;
                mask.set_slices().map(|(from, to)| start + from..start + to).collect()
            }
        }
    }

    /// Whether [`Survivors::reading`] finds a way.
    pub fn can_be_read(&self, stretches: &[Range<usize>], rows: usize) -> bool {
        stretches.len() <= 1 || by_runs(self.runs(), rows) || by_runs(stretches.len(), rows)
    }

    /// One bit for each row of the window, if they are in so many runs that parquet-rs would decode
    /// the rows between them.
    pub fn scattered(&self) -> Option<BooleanBuffer> {
        self.mask.clone().filter(|_| !by_runs(self.runs(), self.window.len()))
    }

    /// Them, to be decoded step by step. `stretches` are as for [`Survivors::reading`].
    pub fn picked(&self, stretches: RowRanges) -> Picked {
        Picked::new(self.window.clone(), self.mask.clone(), stretches)
    }

    /// How to read them from columns of a row group of `rows` rows. `stretches` are the rows of the
    /// window whose pages are there in every column. `None`: pages are missing in a pattern that
    /// can't be read; more pages have to be loaded.
    pub fn reading(&self, stretches: &[Range<usize>], rows: usize) -> Option<Reading> {
        if !self.can_be_read(stretches, rows) {
            return None;
        }
        if by_runs(self.runs(), rows) {
            return Some(Reading { selection: selection(&self.ranges(), rows), mask: None });
        }
        if stretches.len() <= 1 {
            return Some(Reading { selection: self.bits(rows), mask: None });
        }
        let mut bits = BooleanBufferBuilder::new(stretches.iter().map(Range::len).sum());
        for rows in stretches {
            match &self.mask {
                None => bits.append_n(rows.len(), true),
                Some(mask) => bits.append_buffer(&mask.slice(rows.start - self.window.start, rows.len())),
            }
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
}

impl Wanted for Survivors {
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

/// A way to read rows: what to select, and which of the selected rows to keep (all, if there is no
/// mask).
#[derive(Debug, Clone)]
pub(crate) struct Reading {
    pub selection: RowSelection,
    pub mask: Option<BooleanArray>,
}

/// Whether parquet-rs will read so many runs of rows run by run. It does for runs of 32 rows and
/// more on average, skipped ones counted (`RowSelectionPolicy::Auto`); otherwise it reads all rows
/// between the first and the last and drops those not wanted, which is faster, but fails on a page
/// that is not there.
fn by_runs(runs: usize, rows: usize) -> bool {
    const RUN: usize = 32;
    // skip, select, skip, select, …, skip
    rows >= (runs * 2 + 1) * RUN
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
