//! Pruning: rows of a row group that may pass a condition, by its statistics and page index.
//!
//! The callers differ in their conditions: the engine has DataFusion's predicates, DuckDB's scan
//! has ranges. Both ask for the pages that may hold a row ([`PageRows`]).

use arrow::array::{Array, BooleanArray, UInt64Array};
use parquet::arrow::arrow_reader::statistics::StatisticsConverter;

use super::ParquetFile;
use super::bounds::{self, Bounds};
use crate::RowRanges;

/// The rows of each page of a column in a row group, by the offset index.
pub struct PageRows {
    /// First row of each page, and the row group's row count at the end.
    starts: Vec<usize>,
}

impl PageRows {
    /// Reads the page index; `None` if the file has none for this column, or if its pages are not
    /// in order.
    pub fn new(file: &ParquetFile, converter: &StatisticsConverter<'_>, row_group: usize) -> Option<Self> {
        let leaf = converter.parquet_column_index()?;
        let metadata = file.metadata();
        metadata.column_index()?.get(row_group)?.get(leaf)?;
        let locations = metadata.offset_index()?.get(row_group)?.get(leaf)?.page_locations();
        let rows = metadata.row_group(row_group).num_rows() as usize;
        let mut starts: Vec<usize> = locations.iter().map(|page| page.first_row_index as usize).collect();
        starts.push(rows);
        let is_ascending = starts.windows(2).all(|pair| pair[0] <= pair[1]);
        (starts.len() > 1 && starts[0] == 0 && is_ascending).then_some(Self { starts })
    }

    /// Returns the number of pages.
    pub fn pages(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the number of rows of each page.
    pub fn counts(&self) -> UInt64Array {
        UInt64Array::from_iter_values(self.starts.windows(2).map(|pair| (pair[1] - pair[0]) as u64))
    }

    /// Returns the rows of the pages for which `keep` is true, in ascending ranges.
    pub fn kept(&self, keep: impl Fn(usize) -> bool) -> RowRanges {
        let mut ranges = RowRanges::new();
        for (page, pair) in self.starts.windows(2).enumerate() {
            if pair[0] == pair[1] || !keep(page) {
                continue;
            }
            match ranges.last_mut() {
                Some(last) if last.end == pair[0] => last.end = pair[1],
                _ => ranges.push(pair[0]..pair[1]),
            }
        }
        ranges
    }
}

/// Returns the rows of a row group that may pass a condition on the top-level column `column`.
/// `may_hold` returns for each pair of bounds whether a value between them may pass; null, an error
/// and a missing entry keep the rows.
pub fn rows<E>(
    file: &ParquetFile,
    row_group: usize,
    column: usize,
    may_hold: impl Fn(&Bounds) -> Result<BooleanArray, E>,
) -> RowRanges {
    let rows = file.metadata().row_group(row_group).num_rows() as usize;
    let all = || vec![0..rows];
    let name = file.schema().field(column).name();
    // Statistics are found by name, and two columns of one name would both get those of the first.
    let is_unique = file.schema().fields().iter().filter(|field| field.name() == name).count() == 1;
    let Some(converter) = bounds::converter(file, name).filter(|_| is_unique) else { return all() };
    if let Some(bounds) = bounds::of_row_group(file, &converter, row_group)
        && may_hold(&bounds).is_ok_and(|keep| !is_kept(&keep, 0))
    {
        return Vec::new();
    }
    let of_pages = || {
        let pages = PageRows::new(file, &converter, row_group)?;
        let keep = may_hold(&bounds::of_pages(file, &converter, row_group)?).ok()?;
        Some(pages.kept(|page| is_kept(&keep, page)))
    };
    of_pages().unwrap_or_else(all)
}

fn is_kept(keep: &BooleanArray, index: usize) -> bool {
    index >= keep.len() || keep.is_null(index) || keep.value(index)
}
