//! Ruling out row groups and pages by what the file says of them.

use arrow::array::{Array, ArrayRef, BooleanArray};
use parquet::arrow::arrow_reader::statistics::StatisticsConverter;
use pelton_pages::{ParquetFile, RowRanges, bounds};

use super::range::Range;

/// The rows of a row group that may be in a range of the top-level column `column`.
pub fn rows(file: &ParquetFile, row_group: usize, column: usize, range: &Range) -> RowRanges {
    let rows = file.metadata().row_group(row_group).num_rows() as usize;
    let name = file.schema().field(column).name();
    // statistics are found by name: of two columns of one name they would be the first one's
    let is_unique = file.schema().fields().iter().filter(|field| field.name() == name).count() == 1;
    let believed =
        bounds::converter(file, name).filter(|found| is_unique && bounds::hold(file, found, row_group));
    let Some(converter) = believed else { return vec![0..rows] };
    let group = std::slice::from_ref(file.metadata().row_group(row_group));
    let all = (converter.row_group_mins(group), converter.row_group_maxes(group));
    match all {
        (Ok(mins), Ok(maxes)) if !may_hold(range, &mins, &maxes, 0) => Vec::new(),
        _ => pages(file, row_group, &converter, range).unwrap_or_else(|| vec![0..rows]),
    }
}

/// What can't be decided is kept.
fn may_hold(range: &Range, mins: &ArrayRef, maxes: &ArrayRef, index: usize) -> bool {
    range.may_hold(mins, maxes).map_or(true, |keep| is_kept(&keep, index))
}

fn is_kept(keep: &BooleanArray, index: usize) -> bool {
    index >= keep.len() || keep.is_null(index) || keep.value(index)
}

/// The rows of the pages that may hold a value in the range; `None`: the file has no page index, or not for this column.
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
    let mins = converter.data_page_mins(columns, offsets, &[row_group]).ok()?;
    let maxes = converter.data_page_maxes(columns, offsets, &[row_group]).ok()?;
    let keep = range.may_hold(&mins, &maxes).ok()?;
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
