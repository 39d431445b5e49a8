//! One table's Parquet file: row groups encoded by any thread, appended in order.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::{
    ArrowColumnChunk, ArrowColumnWriter, ArrowRowGroupWriterFactory, compute_leaves,
};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;

use super::codec::Codec;
use super::generate::generate_part;
use super::table::Table;
use crate::Error;

/// A table's file while it is written.
pub struct TableWriter {
    /// The table.
    pub table: Table,
    /// Number of row groups.
    pub parts: u32,
    path: PathBuf,
    schema: SchemaRef,
    factory: ArrowRowGroupWriterFactory,
    writer: Mutex<SerializedFileWriter<File>>,
}

impl TableWriter {
    /// Creates the table's file in `folder`.
    pub fn create(folder: &Path, table: Table, scale_factor: f64, codec: Codec) -> Result<Self, Error> {
        let path = folder.join(table.file_name());
        let schema = table.schema();
        // The defaults of parquet-rs: data page v1, dictionaries, 1 MiB pages; statistics by page,
        // which writes the column index and the offset index.
        let properties = WriterProperties::builder()
            .set_compression(codec.compression())
            .set_statistics_enabled(EnabledStatistics::Page)
            .build();
        let file = File::create(&path).map_err(|e| Error::io(&path, e))?;
        let (writer, factory) = ArrowWriter::try_new(file, Arc::clone(&schema), Some(properties))
            .and_then(ArrowWriter::into_serialized_writer)
            .map_err(|e| Error::parquet(&path, e))?;
        let parts = table.row_groups(scale_factor);
        Ok(TableWriter { table, path, parts, schema, factory, writer: Mutex::new(writer) })
    }

    /// Generates and encodes row group `part`; `rows_made` is told of each batch's rows.
    pub fn encode(
        &self,
        scale_factor: f64,
        part: u32,
        rows_made: &mut dyn FnMut(usize),
    ) -> Result<Vec<ArrowColumnChunk>, Error> {
        let failed = |e| Error::parquet(&self.path, e);
        let mut columns = self.factory.create_column_writers(part as usize).map_err(failed)?;
        generate_part(self.table, scale_factor, part, self.parts, &mut |batch| {
            self.encode_batch(&mut columns, &batch).map_err(failed)?;
            rows_made(batch.num_rows());
            Ok(())
        })?;
        columns.into_iter().map(ArrowColumnWriter::close).collect::<Result<_, _>>().map_err(failed)
    }

    fn encode_batch(
        &self,
        columns: &mut [ArrowColumnWriter],
        batch: &RecordBatch,
    ) -> Result<(), ParquetError> {
        let arrays = self.schema.fields().iter().zip(batch.columns());
        for ((field, array), column) in arrays.zip(columns) {
            // No column is nested, so each has one leaf.
            for leaf in compute_leaves(field, array)? {
                column.write(&leaf)?;
            }
        }
        Ok(())
    }

    /// Writes an encoded row group. They must come in order.
    pub fn append(&self, chunks: Vec<ArrowColumnChunk>) -> Result<(), Error> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let result = writer.next_row_group().and_then(|mut row_group| {
            chunks.into_iter().try_for_each(|chunk| chunk.append_to_row_group(&mut row_group))?;
            row_group.close()
        });
        result.map(drop).map_err(|e| Error::parquet(&self.path, e))
    }

    /// Writes the footer; returns the table's rows.
    pub fn close(self) -> Result<u64, Error> {
        let writer = self.writer.into_inner().unwrap_or_else(PoisonError::into_inner);
        let metadata = writer.close().map_err(|e| Error::parquet(&self.path, e))?;
        Ok(u64::try_from(metadata.file_metadata().num_rows()).unwrap_or(0))
    }
}
