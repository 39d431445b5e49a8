//! Row numbers of a file's rows: as a column, and conditions on them.
//!
//! DuckDB asks for them where it reads the remaining columns late: a query with a small LIMIT finds
//! its rows by a few columns, and then reads the others of rows with these numbers only.

use std::ops::Range;

use pelton_pages::{RowRanges, Window};

use crate::sys::native::{Conditions, Duty, OnColumn, Scratch};
use crate::sys::{Type, VECTOR_ROWS};

/// Numbers in the file of the rows that a scan range gives, in order.
#[derive(Debug)]
pub struct RowNumbers {
    /// Number of the row group's first row.
    first: u64,
    /// Rows of the row group.
    left: RowRanges,
}

impl RowNumbers {
    /// Returns the numbers of `rows`, ascending ranges in a row group; `first` is the number of its
    /// first row.
    pub fn new(first: u64, mut rows: RowRanges) -> Self {
        rows.reverse();
        Self { first, left: rows }
    }

    /// Writes the next numbers; none behind the last one.
    pub fn write(&mut self, to: &mut [i64]) {
        let mut written = 0;
        while written < to.len()
            && let Some(range) = self.left.last_mut()
        {
            let count = range.len().min(to.len() - written);
            for (place, row) in to[written..written + count].iter_mut().zip(range.start..) {
                *place = number(self.first, row);
            }
            written += count;
            range.start += count;
            if range.start >= range.end {
                self.left.pop();
            }
        }
    }
}

fn number(first: u64, row: usize) -> i64 {
    i64::try_from(first.saturating_add(row as u64)).unwrap_or(i64::MAX)
}

/// Leaves the rows of a scan range whose numbers pass a condition. Blocks of rows that bounds rule
/// out are not looked at further.
///
/// # Errors
/// DuckDB's error in evaluating the condition.
pub fn narrow(window: &mut Window, first: u64, on: &OnColumn, conditions: Conditions) -> Result<(), String> {
    let blocks: RowRanges = window
        .wanted
        .iter()
        .flat_map(|range| {
            let starts = range.clone().step_by(VECTOR_ROWS);
            starts.map(|start| start..range.end.min(start + VECTOR_ROWS))
        })
        .collect();
    let mut passing = Passing::default();
    for blocks in blocks.chunks(VECTOR_ROWS) {
        let mins = numbers(blocks.iter().map(|block| number(first, block.start)));
        let maxes = numbers(blocks.iter().map(|block| number(first, block.end - 1)));
        let may = conditions.may_hold(on.condition, &mins, &maxes, blocks.len())?;
        for (block, _) in blocks.iter().zip(may).filter(|(_, may)| *may) {
            if on.duty == Duty::BoundsOnly {
                passing.add(block.clone());
                continue;
            }
            let values = numbers(block.clone().map(|row| number(first, row)));
            match conditions.evaluate(on.condition, &values, block.len())? {
                None => passing.add(block.clone()),
                Some(rows) => {
                    let rows = rows.into_iter().map(|row| block.start + row as usize);
                    rows.for_each(|row| passing.add(row..row + 1));
                }
            }
        }
    }
    window.wanted = passing.0;
    Ok(())
}

/// Returns a vector of some numbers, at most [`VECTOR_ROWS`].
fn numbers(values: impl ExactSizeIterator<Item = i64>) -> Scratch {
    let count = values.len();
    let mut vector = Scratch::new(&Type::BigInt, count);
    for (place, value) in vector.empty().values::<i64>(count).iter_mut().zip(values) {
        *place = value;
    }
    vector
}

/// Ascending rows as ranges.
#[derive(Default)]
struct Passing(RowRanges);

impl Passing {
    fn add(&mut self, rows: Range<usize>) {
        match self.0.last_mut() {
            Some(last) if last.end == rows.start => last.end = rows.end,
            _ => self.0.push(rows),
        }
    }
}

#[cfg(test)]
mod tests;
