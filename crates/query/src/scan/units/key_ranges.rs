//! Division of a scan into ranges of a column's values: rows with one value are in one unit.

use arrow::array::{Array, AsArray, UInt64Array};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int64Type};

use crate::scan::source::{PeltonSource, RowRange};
use crate::table::{TableFile, bounds};

/// Most rows of a unit that gets another row group. Each unit costs a start of the operators above.
const UNIT_ROWS: usize = 1 << 19;

/// Units for each thread, where the row groups suffice. With fewer, threads idle at the end.
const UNITS_PER_THREAD: usize = 4;

/// Least units for each thread.
const LEAST_UNITS: usize = 2;

/// Least values of the column, by the bounds of the units: groups of fewer are merged at once.
const LEAST_VALUES: u64 = 1 << 16;

/// A row group of a scan with the least and the greatest value of a column.
struct RowGroup {
    range: RowRange,
    min: i64,
    max: i64,
}

/// A unit under construction.
struct Unit {
    ranges: Vec<RowRange>,
    rows: usize,
    min: i64,
    max: i64,
}

/// Cuts all rows of a scan into units by a column of the table. `None` if the statistics of the
/// files don't tell, or if the units would be too few or too unequal for the threads, or if the
/// column has few values.
pub(in crate::scan) fn key_ranges(
    source: &PeltonSource,
    column: usize,
    threads: usize,
) -> Option<Vec<Vec<RowRange>>> {
    let mut groups = Vec::new();
    for (number, file) in source.files.files.iter().enumerate() {
        groups.extend(row_groups(source, number, file, column)?);
    }
    groups.sort_by_key(|group: &RowGroup| (group.min, group.max));
    let total: usize = groups.iter().map(|group| group.range.rows.len()).sum();
    let target = (total / (UNITS_PER_THREAD * threads)).min(UNIT_ROWS);
    let mut units: Vec<Unit> = Vec::new();
    for RowGroup { range, min, max } in groups {
        let rows = range.rows.len();
        match units.last_mut() {
            // a value of both may be in both
            Some(unit) if unit.max >= min || unit.rows < target => {
                unit.max = unit.max.max(max);
                unit.rows += rows;
                unit.ranges.push(range);
            }
            _ => units.push(Unit { ranges: vec![range], rows, min, max }),
        }
    }
    let largest = units.iter().map(|unit| unit.rows).max()?;
    let values = units.iter().map(|unit| unit.max.abs_diff(unit.min));
    let values = values.fold(0, u64::saturating_add);
    let is_worthwhile =
        units.len() >= LEAST_UNITS * threads && largest <= total / threads && values >= LEAST_VALUES;
    is_worthwhile.then(|| units.into_iter().map(|unit| unit.ranges).collect())
}

/// Returns the row groups of a file that have rows; `None` if bounds are unknown or values are
/// missing.
fn row_groups(
    source: &PeltonSource,
    number: usize,
    file: &TableFile,
    column: usize,
) -> Option<Vec<RowGroup>> {
    let table = &source.files;
    let is_whole = |data_type: &DataType| {
        (data_type.is_integer() && *data_type != DataType::UInt64)
            || matches!(data_type, DataType::Date32 | DataType::Timestamp(..))
    };
    if table.row_number == Some(column)
        || table.constant(file, column).is_some()
        || table.cast(file, column).is_some()
        || !is_whole(table.schema.field(column).data_type())
    {
        return None;
    }
    let name = file.file.schema().field(file.column(column)?).name();
    let converter = bounds::converter(&file.file, name)?;
    let groups = file.file.metadata().row_groups();
    let numbers = |values| cast(&values, &DataType::Int64).ok();
    let mins = numbers(converter.row_group_mins(groups).ok()?)?;
    let maxes = numbers(converter.row_group_maxes(groups).ok()?)?;
    let (mins, maxes) = (mins.as_primitive::<Int64Type>(), maxes.as_primitive::<Int64Type>());
    let rows = UInt64Array::from_iter_values(groups.iter().map(|group| group.num_rows().max(0) as u64));
    let nulls = bounds::null_counts(&converter.row_group_null_counts(groups).ok()?, &rows)?;
    let with_rows = (0..groups.len()).filter(|&row_group| rows.value(row_group) > 0);
    let known = with_rows.map(|row_group| {
        let is_known = mins.is_valid(row_group)
            && maxes.is_valid(row_group)
            && nulls.is_valid(row_group)
            && nulls.value(row_group) == 0
            && mins.value(row_group) <= maxes.value(row_group)
            && bounds::hold(&file.file, &converter, row_group);
        let range = RowRange { file: number, row_group, rows: 0..rows.value(row_group) as usize };
        let (min, max) = (mins.value(row_group), maxes.value(row_group));
        is_known.then_some(RowGroup { range, min, max })
    });
    known.collect()
}
