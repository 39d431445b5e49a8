//! Division of a scan into units of fixed rows: for output in the files' order, or by ranges of a
//! column's values ([`key_ranges`]).

mod key_ranges;

pub(super) use key_ranges::key_ranges;

use std::collections::BTreeSet;

use datafusion::error::Result as DataFusionResult;
use pelton_pages::windows;

use super::predicate;
use super::source::{PeltonSource, RowRange};
use crate::error::wrap;
use crate::table::TableFile;

/// Least units for each thread, where the rows suffice. With fewer, threads idle at the end of a
/// scan.
const UNITS_PER_THREAD: u64 = 4;

/// Cuts all rows of a scan into units, in the order of its files: a unit is a window, or several
/// small ones in a row. The division does not depend on dynamic conditions, so that a unit has the
/// same rows each time that it is read.
pub(super) fn units(source: &PeltonSource, threads: usize) -> DataFusionResult<Vec<Vec<RowRange>>> {
    let mut ranges: Vec<(RowRange, u64)> = Vec::new();
    let tested: BTreeSet<usize> = source.predicates.iter().flat_map(predicate::columns).collect();
    for (number, file) in source.files.files.iter().enumerate() {
        let mut columns: BTreeSet<usize> = source.projection.iter().copied().collect();
        columns.extend(&tested);
        let columns: BTreeSet<usize> = columns.into_iter().filter_map(|column| file.column(column)).collect();
        let columns: Vec<usize> = columns.into_iter().collect();
        for (row_group, metadata) in file.file.metadata().row_groups().iter().enumerate() {
            let rows = metadata.num_rows().max(0) as usize;
            let whole = 0..rows;
            let bytes = bytes(file, row_group, &columns);
            let cut = windows(&file.file, row_group, &[whole], &columns, source.context.window_bytes)
                .map_err(wrap)?;
            ranges.extend(cut.into_iter().map(|window| {
                let share = bytes as f64 * window.rows.len() as f64 / rows as f64;
                (RowRange { file: number, row_group, rows: window.rows }, share as u64)
            }));
        }
    }
    let total: u64 = ranges.iter().map(|(_, bytes)| bytes).sum();
    let target = (total / (UNITS_PER_THREAD * threads as u64)).min(source.context.window_bytes);
    let mut units: Vec<Vec<RowRange>> = Vec::new();
    let mut last = u64::MAX;
    for (range, bytes) in ranges {
        match units.last_mut() {
            Some(unit) if last.saturating_add(bytes) <= target => {
                last += bytes;
                unit.push(range);
            }
            _ => {
                last = bytes;
                units.push(vec![range]);
            }
        }
    }
    Ok(units)
}

/// Returns the decompressed bytes of some top-level columns in a row group.
fn bytes(file: &TableFile, row_group: usize, columns: &[usize]) -> u64 {
    let metadata = file.file.metadata();
    let schema = metadata.file_metadata().schema_descr();
    let chunks = metadata.row_group(row_group).columns().iter().enumerate();
    let wanted = chunks.filter(|(leaf, _)| columns.contains(&schema.get_column_root_idx(*leaf)));
    wanted.map(|(_, chunk)| chunk.uncompressed_size().max(0) as u64).sum()
}
