//! Columns of a function's rows, each with the function that reads it of an item.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryViewArray, BooleanArray, Int64Array, ListBuilder, StringBuilder, StringViewArray,
    UInt64Array,
};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::record_batch::{RecordBatch, RecordBatchOptions};

use crate::error::{Error, Result};

/// A column over items of a type.
pub(super) struct Column<T> {
    pub name: &'static str,
    pub get: Get<T>,
}

/// Reads a value of an item.
pub(super) enum Get<T> {
    Integer(fn(&T) -> Option<i64>),
    Unsigned(fn(&T) -> Option<u64>),
    Flag(fn(&T) -> Option<bool>),
    Text(fn(&T) -> Option<String>),
    Bytes(fn(&T) -> Option<Vec<u8>>),
    Texts(fn(&T) -> Vec<String>),
}

/// Returns the schema of some columns.
pub(super) fn schema<T>(columns: &[Column<T>]) -> SchemaRef {
    let field = |column: &Column<T>| {
        let data_type = match column.get {
            Get::Integer(_) => DataType::Int64,
            Get::Unsigned(_) => DataType::UInt64,
            Get::Flag(_) => DataType::Boolean,
            Get::Text(_) => DataType::Utf8View,
            Get::Bytes(_) => DataType::BinaryView,
            Get::Texts(_) => DataType::List(Arc::new(Field::new_list_field(DataType::Utf8, true))),
        };
        Field::new(column.name, data_type, true)
    };
    Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()))
}

/// Returns the rows of some items.
pub(super) fn batch<T>(columns: &[Column<T>], items: &[T]) -> Result<RecordBatch> {
    let array = |column: &Column<T>| -> ArrayRef {
        match column.get {
            Get::Integer(get) => Arc::new(items.iter().map(get).collect::<Int64Array>()),
            Get::Unsigned(get) => Arc::new(items.iter().map(get).collect::<UInt64Array>()),
            Get::Flag(get) => Arc::new(items.iter().map(get).collect::<BooleanArray>()),
            Get::Text(get) => Arc::new(items.iter().map(get).collect::<StringViewArray>()),
            Get::Bytes(get) => Arc::new(items.iter().map(get).collect::<BinaryViewArray>()),
            Get::Texts(get) => {
                let mut lists = ListBuilder::new(StringBuilder::new());
                items.iter().for_each(|item| lists.append_value(get(item).into_iter().map(Some)));
                Arc::new(lists.finish())
            }
        }
    };
    let options = RecordBatchOptions::new().with_row_count(Some(items.len()));
    let arrays = columns.iter().map(array).collect();
    RecordBatch::try_new_with_options(schema(columns), arrays, &options)
        .map_err(|error| Error::Internal(error.to_string()))
}
