//! Batches with texts in memory of their own.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use arrow::datatypes::{DataType, Schema};
use arrow::error::ArrowError;

/// Returns whether batches have columns of views, which [`compact`] changes.
pub(crate) fn has_views(schema: &Schema) -> bool {
    let is_view = |data_type: &DataType| matches!(data_type, DataType::Utf8View | DataType::BinaryView);
    schema.fields().iter().any(|field| is_view(field.data_type()))
}

/// Copies the texts of views, so that the batch keeps no others. A view of one text keeps, and is
/// counted with, the texts of all batches that its own was made of.
///
/// # Errors
/// A fault of Arrow's.
pub(crate) fn compact(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let columns = batch.columns().iter().map(|column| -> ArrayRef {
        match column.data_type() {
            DataType::Utf8View => Arc::new(column.as_string_view().gc()),
            DataType::BinaryView => Arc::new(column.as_binary_view().gc()),
            _ => column.clone(),
        }
    });
    RecordBatch::try_new(batch.schema(), columns.collect())
}

#[cfg(test)]
mod tests;
