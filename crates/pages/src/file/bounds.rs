//! Which of a file's statistics can be believed.

use arrow::datatypes::DataType;
use parquet::arrow::arrow_reader::statistics::StatisticsConverter;
use parquet::basic::{ColumnOrder, SortOrder};

use super::ParquetFile;

/// Reads the statistics of a top-level column without children; `None` for others.
pub fn converter<'a>(file: &'a ParquetFile, column: &'a str) -> Option<StatisticsConverter<'a>> {
    let schema = file.metadata().file_metadata().schema_descr();
    let converter = StatisticsConverter::try_new(column, file.schema(), schema).ok()?;
    converter.parquet_column_index()?;
    // a count of nulls that the writer left out is unknown (parquet.thrift, `Statistics.null_count`)
    Some(converter.with_missing_null_counts_as_zero(false))
}

/// Whether every value of the column in a row group lies within the bounds that the file has for it.
///
/// Those of floats leave out NaN, which SQL orders after all numbers, or before them if it has a sign (parquet.thrift,
/// `ColumnOrder`). Those of strings and unsigned numbers are in another order where the writer put them into the
/// fields of before format 2.4, or did not say which order they are in.
pub fn hold(file: &ParquetFile, converter: &StatisticsConverter<'_>, row_group: usize) -> bool {
    let Some(leaf) = converter.parquet_column_index() else { return false };
    let metadata = file.metadata();
    let descriptor = metadata.file_metadata().schema_descr().column(leaf);
    let is_float = matches!(
        converter.arrow_field().data_type(),
        DataType::Float16 | DataType::Float32 | DataType::Float64
    );
    let statistics = metadata.row_group(row_group).column(leaf).statistics();
    let is_old = statistics.is_some_and(|statistics| statistics.is_min_max_deprecated());
    let order = metadata.file_metadata().column_order(leaf);
    !is_float
        && match descriptor.sort_order() {
            SortOrder::SIGNED => order != ColumnOrder::UNKNOWN,
            SortOrder::UNSIGNED => !is_old && matches!(order, ColumnOrder::TYPE_DEFINED_ORDER(_)),
            SortOrder::UNDEFINED => false,
        }
}
