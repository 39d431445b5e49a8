//! Rows of `parquet_file_metadata`, `parquet_kv_metadata` and `parquet_bloom_probe`.

use datafusion::common::ScalarValue;
use parquet::basic::ColumnOrder;
use parquet::file::metadata::KeyValue;
use pelton_job::InputBuffer;
use pelton_pages::{BloomFilters, Cause, ParquetFile};

use super::columns::{Column, Get};
use crate::error::{Error, Result};
use crate::plan::file_functions::call::Argument;
use crate::scan::bloom_value;

/// A file, and the bytes of its footer.
pub(super) struct About<'a> {
    file: &'a ParquetFile,
    footer: u32,
}

impl<'a> About<'a> {
    /// Reads the length of a footer, which is in front of the magic at a file's end.
    pub async fn read(file: &'a ParquetFile) -> Result<Self> {
        let size = file.location().size();
        let length = file.location().read(&[size - 8..size - 4], InputBuffer::fresh).await?.remove(0);
        let length = length.first_chunk().copied().unwrap_or_default();
        Ok(Self { file, footer: u32::from_le_bytes(length) })
    }

    fn column_orders(&self) -> Vec<String> {
        let orders = self.file.metadata().file_metadata().column_orders().into_iter().flatten();
        let name = |order: &ColumnOrder| match order {
            ColumnOrder::TYPE_DEFINED_ORDER(_) => "ColumnOrder(TYPE_ORDER=TypeDefinedOrder())".to_owned(),
            other => format!("ColumnOrder({other:?})"),
        };
        orders.map(name).collect()
    }
}

/// The columns of `parquet_file_metadata`. Names, types and values are DuckDB's.
pub(super) fn columns<'a>() -> [Column<About<'a>>; 10] {
    [
        Column { name: "file_name", get: Get::Text(|f| Some(f.file.location().name().to_string())) },
        Column {
            name: "created_by",
            get: Get::Text(|f| f.file.metadata().file_metadata().created_by().map(str::to_owned)),
        },
        Column {
            name: "num_rows",
            get: Get::Integer(|f| Some(f.file.metadata().file_metadata().num_rows())),
        },
        Column {
            name: "num_row_groups",
            get: Get::Integer(|f| Some(f.file.metadata().num_row_groups() as i64)),
        },
        Column {
            name: "format_version",
            get: Get::Integer(|f| Some(f.file.metadata().file_metadata().version().into())),
        },
        // encrypted files are refused
        Column { name: "encryption_algorithm", get: Get::Text(|_| None) },
        Column { name: "footer_signing_key_metadata", get: Get::Text(|_| None) },
        Column { name: "file_size_bytes", get: Get::Unsigned(|f| Some(f.file.location().size())) },
        Column { name: "footer_size", get: Get::Unsigned(|f| Some(f.footer.into())) },
        Column { name: "column_orders", get: Get::Texts(About::column_orders) },
    ]
}

/// A pair of a key and a value, and the file's name.
pub(super) struct Pair<'a>(&'a str, &'a KeyValue);

/// Returns the pairs that a writer stored in a file's footer.
pub(super) fn key_values(file: &ParquetFile) -> Vec<Pair<'_>> {
    let pairs = file.metadata().file_metadata().key_value_metadata().into_iter().flatten();
    pairs.map(|pair| Pair(file.location().name(), pair)).collect()
}

/// The columns of `parquet_kv_metadata`. Names, types and values are DuckDB's.
pub(super) fn pair_columns<'a>() -> [Column<Pair<'a>>; 3] {
    [
        Column { name: "file_name", get: Get::Text(|pair| Some(pair.0.to_owned())) },
        Column { name: "key", get: Get::Bytes(|pair| Some(pair.1.key.clone().into_bytes())) },
        Column { name: "value", get: Get::Bytes(|pair| pair.1.value.clone().map(String::into_bytes)) },
    ]
}

/// The answer of a row group's filter.
pub(super) struct Answer<'a> {
    file: &'a str,
    row_group: usize,
    excludes: bool,
}

/// The columns of `parquet_bloom_probe`. Names, types and values are DuckDB's.
pub(super) fn answer_columns<'a>() -> [Column<Answer<'a>>; 3] {
    [
        Column { name: "file_name", get: Get::Text(|answer| Some(answer.file.to_owned())) },
        Column { name: "row_group_id", get: Get::Integer(|answer| Some(answer.row_group as i64)) },
        Column { name: "bloom_filter_excludes", get: Get::Flag(|answer| Some(answer.excludes)) },
    ]
}

/// Asks the filters of a column for a value.
///
/// # Errors
/// The file has no such column, the value is none of its type, or the file can't be read.
pub(super) async fn probe<'a>(
    file: &'a ParquetFile,
    column: &str,
    value: &Argument,
) -> Result<Vec<Answer<'a>>> {
    let field = file.schema().field_with_name(column).map_err(|_| {
        let names: Vec<_> = file.schema().fields().iter().map(|field| field.name().as_str()).collect();
        let what = format!("it has no column {column}; it has {}", names.join(", "));
        file.error(Cause::NotParquet(what))
    })?;
    let text = match value {
        Argument::Text(text) | Argument::Number(text) => text.clone(),
        Argument::Boolean(value) => value.to_string(),
        _ => return Err(Error::Query(format!("parquet_bloom_probe: {value} is no value to look for"))),
    };
    let data_type = field.data_type();
    let value = ScalarValue::try_from_string(text.clone(), data_type).map_err(|_| {
        Error::Query(format!(
            "parquet_bloom_probe: '{text}' is no value of column {column}, which is {data_type}"
        ))
    })?;
    let mut answers = Vec::new();
    for row_group in 0..file.metadata().num_row_groups() {
        let filters = BloomFilters::read(file, row_group, &[column.to_owned()]).await?;
        let excludes = match (filters.get(column), bloom_value(&value)) {
            (Some(filter), Some(value)) => !filter.may_contain(value),
            _ => false,
        };
        answers.push(Answer { file: file.location().name(), row_group, excludes });
    }
    Ok(answers)
}
