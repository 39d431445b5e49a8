//! Minimum and maximum values from a file's statistics, where these are reliable.

use arrow::array::{Array, ArrayRef, BooleanArray, UInt64Array};
use arrow::compute::kernels::cmp;
use arrow::compute::nullif;
use arrow::datatypes::DataType;
use parquet::arrow::arrow_reader::statistics::StatisticsConverter;
use parquet::basic::{ColumnOrder, SortOrder, Type};

use super::ParquetFile;

/// Statistics of wider fixed-length values are not read.
const MAX_WIDTH: i32 = 1024;

/// Minimum and maximum of each row group or page; null if unknown.
#[derive(Debug, Clone)]
pub struct Bounds {
    /// Lower bounds.
    pub mins: ArrayRef,
    /// Upper bounds.
    pub maxes: ArrayRef,
}

/// Returns a reader of statistics of a top-level column without children; `None` for other columns.
pub fn converter<'a>(file: &'a ParquetFile, column: &'a str) -> Option<StatisticsConverter<'a>> {
    let schema = file.metadata().file_metadata().schema_descr();
    let converter = StatisticsConverter::try_new(column, file.schema(), schema).ok()?;
    converter.parquet_column_index()?;
    // parquet-rs allocates a thousand values of this width before it reads any
    let is_wide = matches!(
        converter.arrow_field().data_type(),
        DataType::FixedSizeBinary(width) if *width > MAX_WIDTH
    );
    // a missing count of nulls is unknown (parquet.thrift, `Statistics.null_count`)
    (!is_wide).then(|| converter.with_missing_null_counts_as_zero(false))
}

/// Returns the bounds of a row group, with one entry each; `None` if they are unknown or
/// unreliable.
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

/// Returns the bounds of the pages of a row group; `None` if they are missing or unreliable.
pub fn of_pages(file: &ParquetFile, converter: &StatisticsConverter<'_>, row_group: usize) -> Option<Bounds> {
    if !hold(file, converter, row_group) {
        return None;
    }
    let (columns, offsets) = (file.metadata().column_index()?, file.metadata().offset_index()?);
    let mins = converter.data_page_mins(columns, offsets, &[row_group]).ok()?;
    in_order(mins, converter.data_page_maxes(columns, offsets, &[row_group]).ok()?)
}

/// Removes bounds with a minimum above the maximum, since their meaning is unknown.
fn in_order(mins: ArrayRef, maxes: ArrayRef) -> Option<Bounds> {
    let turned = cmp::gt(&mins, &maxes).ok()?;
    if turned.true_count() == 0 {
        return Some(Bounds { mins, maxes });
    }
    let without = |bounds: &ArrayRef| nullif(bounds, &turned).ok();
    Some(Bounds { mins: without(&mins)?, maxes: without(&maxes)? })
}

/// Replaces counts of nulls that exceed the rows of their row group or page by null.
pub fn null_counts(counts: &UInt64Array, rows: &UInt64Array) -> Option<UInt64Array> {
    let odd: BooleanArray = cmp::gt(counts, rows).ok()?;
    match odd.true_count() {
        0 => Some(counts.clone()),
        _ => nullif(counts, &odd).ok()?.as_any().downcast_ref().cloned(),
    }
}

/// Returns whether the minimum and the maximum of the bounds occur in the row group. Writers may
/// store bounds beyond all values, so they count as exact only if the footer says so
/// (parquet.thrift, `Statistics`).
pub fn are_exact(file: &ParquetFile, converter: &StatisticsConverter<'_>, row_group: usize) -> (bool, bool) {
    let leaf = converter.parquet_column_index();
    leaf.map_or((false, false), |leaf| file.has_exact_bounds(row_group, leaf))
}

/// Returns whether all values of the column in a row group lie within its bounds in the file.
///
/// Bounds of floats omit NaN, which SQL orders after all numbers (parquet.thrift, `ColumnOrder`).
/// Bounds of strings, unsigned numbers and decimals in byte arrays are in another order if the
/// writer used the fields from before format 2.4, or did not name their order.
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
            // parquet-rs wrote wrong bounds of decimals of variable length (arrow-rs issue 10860)
            SortOrder::SIGNED if physical == Type::BYTE_ARRAY => false,
            SortOrder::SIGNED => order != ColumnOrder::UNKNOWN && !(is_old && is_bytes),
            SortOrder::UNSIGNED => !is_old && matches!(order, ColumnOrder::TYPE_DEFINED_ORDER(_)),
            SortOrder::UNDEFINED => false,
        }
}

#[cfg(test)]
mod tests;
