//! Conversion of the result from the GPU's memory to Arrow.

use std::sync::Arc;

use arrow::array::ArrayData;
use arrow::array::{
    ArrayRef, BinaryBuilder, BinaryViewBuilder, BooleanArray, LargeBinaryBuilder, LargeStringBuilder,
    StringBuilder, StringViewBuilder, make_array,
};
use arrow::buffer::{Buffer as ArrowBuffer, NullBuffer};
use arrow::datatypes::{DataType, SchemaRef};
use arrow::record_batch::{RecordBatch, RecordBatchOptions};
use pelton_device_cuda::from_bytes;

use super::run::Run;
use super::table::{Column, DeviceTable};
use super::{Error, Result};
use crate::ir::{Field, Scalar};

/// Rows of an output batch.
const BATCH_ROWS: usize = 8192;

/// Bytes of a string's view.
const VIEW: usize = 16;

impl Run<'_> {
    /// Returns the rows of the output table.
    pub(super) fn output(&self, schema: &SchemaRef) -> Result<Vec<RecordBatch>> {
        let number = self.query.output;
        let table = self.table(number)?;
        let fields = &self.query.tables[number].fields;
        let heap = match table.heap_used {
            0 => Vec::new(),
            used => self.compute.download(&table.heap, 0..used as usize)?,
        };
        let columns = fields.iter().zip(&table.columns).zip(schema.fields());
        let arrays = columns
            .map(|((field, column), wanted)| self.column(table, field, column, wanted.data_type(), &heap));
        let arrays = arrays.collect::<Result<Vec<_>>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(table.rows as usize));
        let all = RecordBatch::try_new_with_options(schema.clone(), arrays, &options)
            .map_err(|error| Error::Plan(format!("internal error: {error}")))?;
        let starts = (0..all.num_rows()).step_by(BATCH_ROWS);
        Ok(starts.map(|start| all.slice(start, BATCH_ROWS.min(all.num_rows() - start))).collect())
    }

    fn column(
        &self,
        table: &DeviceTable,
        field: &Field,
        column: &Column,
        data_type: &DataType,
        heap: &[u8],
    ) -> Result<ArrayRef> {
        let rows = table.rows as usize;
        let width = field.scalar.bytes();
        let values = match rows {
            0 => Vec::new(),
            _ => self.compute.download(&column.values, 0..rows * width)?,
        };
        let nulls = match &column.valid {
            Some(valid) if rows > 0 => {
                let flags = self.compute.download(valid, 0..rows)?;
                Some(NullBuffer::from_iter(flags.iter().map(|&flag| flag != 0)))
            }
            _ => None,
        };
        let wrong = |what: String| Error::Plan(format!("internal error: column {}: {what}", field.name));
        match field.scalar {
            Scalar::Str => {
                strings(&values, nulls.as_ref(), data_type, heap, table.heap.address()).map_err(wrong)
            }
            Scalar::Bool => {
                let values = values.iter().map(|&value| value != 0).collect();
                Ok(Arc::new(BooleanArray::new(values, nulls)))
            }
            Scalar::I64 if matches!(data_type, DataType::Decimal128(..)) => {
                let values = from_bytes::<i64>(&values).unwrap_or_default();
                let wide: Vec<i128> = values.into_iter().map(i128::from).collect();
                primitive(data_type, ArrowBuffer::from_vec(wide), rows, nulls).map_err(wrong)
            }
            Scalar::I128 => {
                let wide = from_bytes::<i128>(&values).unwrap_or_default();
                primitive(data_type, ArrowBuffer::from_vec(wide), rows, nulls).map_err(wrong)
            }
            _ => primitive(data_type, aligned(&values, width), rows, nulls).map_err(wrong),
        }
    }
}

/// Returns the bytes in a buffer that is aligned for values of their width.
fn aligned(bytes: &[u8], width: usize) -> ArrowBuffer {
    match width {
        8 => ArrowBuffer::from_vec(from_bytes::<u64>(bytes).unwrap_or_default()),
        4 => ArrowBuffer::from_vec(from_bytes::<u32>(bytes).unwrap_or_default()),
        2 => ArrowBuffer::from_vec(from_bytes::<u16>(bytes).unwrap_or_default()),
        _ => ArrowBuffer::from_vec(bytes.to_vec()),
    }
}

fn primitive(
    data_type: &DataType,
    values: ArrowBuffer,
    rows: usize,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef, String> {
    let data = ArrayData::builder(data_type.clone()).len(rows).add_buffer(values).nulls(nulls).build();
    data.map(make_array).map_err(|error| error.to_string())
}

/// Returns strings from their views, which point into the table's heap.
fn strings(
    views: &[u8],
    nulls: Option<&NullBuffer>,
    data_type: &DataType,
    heap: &[u8],
    base: u64,
) -> Result<ArrayRef, String> {
    let one = |(row, view): (usize, &[u8])| {
        if nulls.is_some_and(|nulls| nulls.is_null(row)) {
            return Ok(None);
        }
        let address = from_bytes::<u64>(&view[..8]).and_then(|x| x.first().copied()).unwrap_or_default();
        let length =
            from_bytes::<u32>(&view[8..12]).and_then(|x| x.first().copied()).unwrap_or_default() as usize;
        if length == 0 {
            return Ok(Some(&heap[..0]));
        }
        let start = address.checked_sub(base).and_then(|start| usize::try_from(start).ok());
        let bytes = start.and_then(|start| heap.get(start..start.checked_add(length)?));
        bytes.map(Some).ok_or_else(|| "a string that is not in the table's memory".to_owned())
    };
    let all =
        views.chunks_exact(VIEW).enumerate().map(one).collect::<Result<Vec<Option<&[u8]>>, String>>()?;
    let text = |bytes: Option<&[u8]>| match bytes {
        Some(bytes) => {
            String::from_utf8(bytes.to_vec()).map(Some).map_err(|_| "a string that is no UTF-8".to_owned())
        }
        None => Ok(None),
    };
    macro_rules! build {
        ($builder:expr, $convert:expr) => {{
            let mut builder = $builder;
            for bytes in all {
                builder.append_option($convert(bytes)?);
            }
            Arc::new(builder.finish()) as ArrayRef
        }};
    }
    let bytes = |bytes: Option<&[u8]>| Ok::<_, String>(bytes.map(<[u8]>::to_vec));
    Ok(match data_type {
        DataType::Utf8 => build!(StringBuilder::new(), text),
        DataType::LargeUtf8 => build!(LargeStringBuilder::new(), text),
        DataType::Utf8View => build!(StringViewBuilder::new(), text),
        DataType::Binary => build!(BinaryBuilder::new(), bytes),
        DataType::LargeBinary => build!(LargeBinaryBuilder::new(), bytes),
        DataType::BinaryView => build!(BinaryViewBuilder::new(), bytes),
        other => return Err(format!("strings as {other}")),
    })
}
