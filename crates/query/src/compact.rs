//! Batches with texts in memory of their own.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, GenericByteViewArray, RecordBatch, RecordBatchOptions};
use arrow::buffer::Buffer;
use arrow::datatypes::{ByteViewType, DataType, Schema};
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
            DataType::Utf8View => own(column, column.as_string_view()),
            DataType::BinaryView => own(column, column.as_binary_view()),
            _ => column.clone(),
        }
    });
    // a batch without columns has rows, too
    let rows = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(batch.schema(), columns.collect(), &rows)
}

/// Copies the texts of a column's views, unless their copy would be about as large as what they
/// keep: the views of a dictionary's values keep each text once.
fn own<T: ByteViewType>(column: &ArrayRef, views: &GenericByteViewArray<T>) -> ArrayRef {
    let kept: usize = views.data_buffers().iter().map(Buffer::capacity).sum();
    let copied = views.total_buffer_bytes_used();
    match copied.saturating_add(copied / 4) < kept {
        true => Arc::new(views.gc()),
        false => column.clone(),
    }
}

#[cfg(test)]
mod tests;
