//! Statistics of a file that can be believed.

use arrow::array::{Array, ArrayRef, BooleanArray, UInt64Array};
use arrow::compute::kernels::cmp;
use arrow::compute::nullif;
use arrow::datatypes::DataType;
use parquet::arrow::arrow_reader::statistics::StatisticsConverter;
use parquet::basic::{ColumnOrder, SortOrder, Type};

use super::ParquetFile;

/// Bytes of fixed-length values whose statistics are read, at most.
const MOST_WIDTH: i32 = 1024;

/// The smallest and the largest values of row groups or pages, an entry for each; null where
/// nothing is known.
#[derive(Debug, Clone)]
pub struct Bounds {
    /// No value is smaller.
    pub mins: ArrayRef,
    /// No value is larger.
    pub maxes: ArrayRef,
}

/// Reads the statistics of a top-level column without children; `None` for others.
pub fn converter<'a>(file: &'a ParquetFile, column: &'a str) -> Option<StatisticsConverter<'a>> {
    let schema = file.metadata().file_metadata().schema_descr();
    let converter = StatisticsConverter::try_new(column, file.schema(), schema).ok()?;
    converter.parquet_column_index()?;
    // parquet-rs takes memory for a thousand values of this width before it looks at any.
    let is_wide = matches!(
        converter.arrow_field().data_type(),
        DataType::FixedSizeBinary(width) if *width > MOST_WIDTH
    );
    // a count of nulls that the writer left out is unknown (parquet.thrift,
    // `Statistics.null_count`)
    (!is_wide).then(|| converter.with_missing_null_counts_as_zero(false))
}

/// The bounds of a row group, one entry each; `None` if they say nothing.
pub fn of_row_group(
    file: &ParquetFile,
    converter: &StatisticsConverter<'_>,
    row_group: usize,
) -> Option<Bounds> {
    if !hold(file, converter, row_group) {
        return None;
    }
    let group = std::slice::from_ref(file.metadata().row_group(row_group));
    in_order(converter.row_group_mins(group).ok()?, converter.row_group_maxes(group).ok()?)
}

/// The bounds of the pages of a row group; `None` if there are none, or they say nothing.
pub fn of_pages(file: &ParquetFile, converter: &StatisticsConverter<'_>, row_group: usize) -> Option<Bounds> {
    if !hold(file, converter, row_group) {
        return None;
    }
    let (columns, offsets) = (file.metadata().column_index()?, file.metadata().offset_index()?);
    let mins = converter.data_page_mins(columns, offsets, &[row_group]).ok()?;
    in_order(mins, converter.data_page_maxes(columns, offsets, &[row_group]).ok()?)
}

/// Drops bounds whose smallest value is larger than the largest: nobody knows what they are.
fn in_order(mins: ArrayRef, maxes: ArrayRef) -> Option<Bounds> {
    let turned = cmp::gt(&mins, &maxes).ok()?;
    if turned.true_count() == 0 {
        return Some(Bounds { mins, maxes });
    }
    let without = |bounds: &ArrayRef| nullif(bounds, &turned).ok();
    Some(Bounds { mins: without(&mins)?, maxes: without(&maxes)? })
}

/// Counts of nulls, of row groups or pages that have so many rows. A count of more nulls than rows
/// is unknown.
pub fn null_counts(counts: &UInt64Array, rows: &UInt64Array) -> Option<UInt64Array> {
    let odd: BooleanArray = cmp::gt(counts, rows).ok()?;
    match odd.true_count() {
        0 => Some(counts.clone()),
        _ => nullif(counts, &odd).ok()?.as_any().downcast_ref().cloned(),
    }
}

/// Whether the row group has a row with the smallest value that its bounds say, and one with the
/// largest. A writer may store values that only lie beyond all others, and one that does not say
/// what it stored may have, too (parquet.thrift, `Statistics`).
pub fn are_exact(file: &ParquetFile, converter: &StatisticsConverter<'_>, row_group: usize) -> (bool, bool) {
    let leaf = converter.parquet_column_index();
    leaf.map_or((false, false), |leaf| file.has_exact_bounds(row_group, leaf))
}

/// Whether every value of the column in a row group lies within the bounds that the file has for
/// it.
///
/// Those of floats leave out NaN, which SQL orders after all numbers (parquet.thrift,
/// `ColumnOrder`). Those of strings, unsigned numbers and decimals in byte arrays are in another
/// order where the writer put them into the fields of before format 2.4, or did not say which order
/// they are in.
pub fn hold(file: &ParquetFile, converter: &StatisticsConverter<'_>, row_group: usize) -> bool {
    let Some(leaf) = converter.parquet_column_index() else { return false };
    let metadata = file.metadata();
    let descriptor = metadata.file_metadata().schema_descr().column(leaf);
    let is_float = matches!(
        converter.arrow_field().data_type(),
        DataType::Float16 | DataType::Float32 | DataType::Float64
    );
    let physical = descriptor.physical_type();
    let is_bytes = matches!(physical, Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY);
    let statistics = metadata.row_group(row_group).column(leaf).statistics();
    let is_old = statistics.is_some_and(|statistics| statistics.is_min_max_deprecated());
    let order = metadata.file_metadata().column_order(leaf);
    !is_float
        && match descriptor.sort_order() {
            // of decimals of many lengths parquet-rs wrote bounds that are none (arrow-rs issue
            // 10860)
            SortOrder::SIGNED if physical == Type::BYTE_ARRAY => false,
            SortOrder::SIGNED => order != ColumnOrder::UNKNOWN && !(is_old && is_bytes),
            SortOrder::UNSIGNED => !is_old && matches!(order, ColumnOrder::TYPE_DEFINED_ORDER(_)),
            SortOrder::UNDEFINED => false,
        }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::Int32Array;

    use super::*;

    #[test]
    fn bounds_in_the_wrong_order_say_nothing() {
        let array = |values: Vec<Option<i32>>| Arc::new(Int32Array::from(values)) as ArrayRef;
        let mins = array(vec![Some(1), Some(9), None, Some(2)]);
        let maxes = array(vec![Some(1), Some(3), Some(4), None]);
        let found = in_order(mins, maxes).expect("bounds of one type");
        assert_eq!(&found.mins, &array(vec![Some(1), None, None, Some(2)]));
        assert_eq!(&found.maxes, &array(vec![Some(1), None, Some(4), None]));
    }

    #[test]
    fn more_nulls_than_rows_are_unknown() {
        let rows = UInt64Array::from(vec![5, 5, 5]);
        let counts = UInt64Array::from(vec![Some(5), Some(u64::MAX), None]);
        let found = null_counts(&counts, &rows).expect("counts");
        assert_eq!(found, UInt64Array::from(vec![Some(5), None, None]));
    }
}
