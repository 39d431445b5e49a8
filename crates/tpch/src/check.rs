//! Comparison of a result with the expected one.
//!
//! The rules are stricter than clause 2.1.3.5 of the TPC-H specification, which allows a percent on
//! averages and ratios, and a hundred dollars on sums:
//! * the numbers of rows and columns are equal;
//! * whole numbers, dates and text exactly;
//! * decimals exactly; where one side has fewer digits after the point, at that side's digits, as
//!   [`Number::agrees`] has it;
//! * rows in the order expected, except that rows which are equal in every ORDER BY column may come
//!   in any order among themselves, since SQL leaves that open.

use std::fmt;

use crate::engine::number::Number;
use crate::engine::result::{Kind, ResultSet};

/// First difference between a result and the expected one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// The number of columns differs.
    Columns {
        /// Expected number.
        expected: usize,
        /// Number found.
        found: usize,
    },
    /// The number of rows differs.
    Rows {
        /// Expected number.
        expected: usize,
        /// Number found.
        found: usize,
    },
    /// A value differs.
    Value {
        /// The row, counted from 1.
        row: usize,
        /// The column's name as the engine gave it.
        column: String,
        /// The value that was expected; `None` is null.
        expected: Option<String>,
        /// The value found; `None` is null.
        found: Option<String>,
    },
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let or_null = |value: &Option<String>| value.clone().unwrap_or_else(|| "null".to_owned());
        match self {
            Mismatch::Columns { expected, found } => write!(f, "{found} columns, expected {expected}"),
            Mismatch::Rows { expected, found } => write!(f, "{found} rows, expected {expected}"),
            Mismatch::Value { row, column, expected, found } => {
                write!(f, "row {row}, {column}: {}, expected {}", or_null(found), or_null(expected))
            }
        }
    }
}

/// Compares `found` with `expected`; `order_by` are the columns that ORDER BY names, counted
/// from 0.
pub fn check(found: &ResultSet, expected: &ResultSet, order_by: &[usize]) -> Result<(), Mismatch> {
    check_within(found, expected, order_by, 0.0)
}

/// As [`check`], but a double and a decimal may differ by a share of their value: an engine with
/// decimals as quotients rounds each to its digits, and a product of one has that error.
pub fn check_within(
    found: &ResultSet,
    expected: &ResultSet,
    order_by: &[usize],
    share: f64,
) -> Result<(), Mismatch> {
    if found.columns.len() != expected.columns.len() {
        return Err(Mismatch::Columns { expected: expected.columns.len(), found: found.columns.len() });
    }
    if found.rows.len() != expected.rows.len() {
        return Err(Mismatch::Rows { expected: expected.rows.len(), found: found.rows.len() });
    }
    let compare = Comparison { found, expected, share };
    let mut start = 0;
    while start < expected.rows.len() {
        let keys = |row: usize| order_by.iter().map(move |&column| expected.rows[row].get(column));
        let ties = (start..expected.rows.len()).take_while(|&row| keys(row).eq(keys(start))).count();
        compare.tied_rows(start..start + ties)?;
        start += ties;
    }
    Ok(())
}

struct Comparison<'a> {
    found: &'a ResultSet,
    expected: &'a ResultSet,
    /// Share of a value by which a double and a decimal may differ.
    share: f64,
}

impl Comparison<'_> {
    /// Matches each found row in `rows` with a row of its own among the expected ones there.
    fn tied_rows(&self, rows: std::ops::Range<usize>) -> Result<(), Mismatch> {
        let mut unmatched: Vec<usize> = rows.clone().collect();
        for row in rows {
            let same = unmatched.iter().position(|&other| self.difference(row, other).is_none());
            match (same, unmatched.first()) {
                (Some(index), _) => drop(unmatched.remove(index)),
                (None, Some(&other)) => return self.difference(row, other).map_or(Ok(()), Err),
                (None, None) => return Ok(()),
            }
        }
        Ok(())
    }

    /// Returns the first column in which found row `row` is not expected row `other`.
    fn difference(&self, row: usize, other: usize) -> Option<Mismatch> {
        let null = None;
        self.found.columns.iter().enumerate().find_map(|(index, column)| {
            let found = self.found.rows[row].get(index).unwrap_or(&null);
            let expected = self.expected.rows[other].get(index).unwrap_or(&null);
            let same = self.is_same((column.kind, self.expected.columns[index].kind), found, expected);
            (!same).then(|| Mismatch::Value {
                row: row + 1,
                column: column.name.clone(),
                expected: expected.clone(),
                found: found.clone(),
            })
        })
    }

    /// Compares two values by the kinds of the found and the expected column: a kept answer is only
    /// text and has no kind.
    fn is_same(&self, kinds: (Kind, Kind), found: &Option<String>, expected: &Option<String>) -> bool {
        let (Some(found), Some(expected)) = (found, expected) else { return found == expected };
        if found == expected {
            return true;
        }
        let float = kinds.0 == Kind::Float || kinds.1 == Kind::Float;
        match (kinds.0, Number::parse(found), Number::parse(expected)) {
            (Kind::Number | Kind::Float, Some(found), Some(expected)) => {
                let is_mixed = float && kinds.0 != kinds.1;
                found.agrees(expected, float) || (is_mixed && found.is_within(expected, self.share))
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests;
