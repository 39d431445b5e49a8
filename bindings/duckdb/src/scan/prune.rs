//! Ruling out row groups and pages by what the file says of them.

use arrow::array::{Array, BooleanArray};
use parquet::arrow::arrow_reader::statistics::StatisticsConverter;
use pelton_pages::bounds::{self, Bounds};
use pelton_pages::{ParquetFile, RowRanges};

use super::range::Range;

/// The rows of a row group that may be in a range of the top-level column `column`.
pub fn rows(file: &ParquetFile, row_group: usize, column: usize, range: &Range) -> RowRanges {
    let rows = file.metadata().row_group(row_group).num_rows() as usize;
    let name = file.schema().field(column).name();
    // statistics are found by name: of two columns of one name they would be the first one's
    let is_unique = file.schema().fields().iter().filter(|field| field.name() == name).count() == 1;
    let Some(converter) = bounds::converter(file, name).filter(|_| is_unique) else { return vec![0..rows] };
    match bounds::of_row_group(file, &converter, row_group) {
        Some(bounds) if !may_hold(range, &bounds) => Vec::new(),
        _ => pages(file, row_group, &converter, range).unwrap_or_else(|| vec![0..rows]),
    }
}

/// Whether a row group may have a value in the range. What can't be decided is kept.
fn may_hold(range: &Range, bounds: &Bounds) -> bool {
    range.may_hold(&bounds.mins, &bounds.maxes).map_or(true, |keep| is_kept(&keep, 0))
}

fn is_kept(keep: &BooleanArray, index: usize) -> bool {
    index >= keep.len() || keep.is_null(index) || keep.value(index)
}

/// The rows of the pages that may hold a value in the range; `None`: the file has no page index, or
/// not for this column.
fn pages(
    file: &ParquetFile,
    row_group: usize,
    converter: &StatisticsConverter<'_>,
    range: &Range,
) -> Option<RowRanges> {
    let metadata = file.metadata();
    let (columns, offsets) = (metadata.column_index()?, metadata.offset_index()?);
    let leaf = converter.parquet_column_index()?;
    columns.get(row_group)?.get(leaf)?;
    let locations = offsets.get(row_group)?.get(leaf)?.page_locations();
    let rows = metadata.row_group(row_group).num_rows() as usize;
    let mut starts: Vec<usize> = locations.iter().map(|page| page.first_row_index as usize).collect();
    starts.push(rows);
    let is_ascending = starts.windows(2).all(|pair| pair[0] <= pair[1]);
    if starts.len() < 2 || starts[0] != 0 || !is_ascending {
        return None;
    }
    let bounds = bounds::of_pages(file, converter, row_group)?;
    let keep = range.may_hold(&bounds.mins, &bounds.maxes).ok()?;
    let mut kept: RowRanges = Vec::new();
    for (index, pair) in starts.windows(2).enumerate() {
        if pair[0] == pair[1] || !is_kept(&keep, index) {
            continue;
        }
        match kept.last_mut() {
            Some(last) if last.end == pair[0] => last.end = pair[1],
            _ => kept.push(pair[0]..pair[1]),
        }
    }
    Some(kept)
}
