//! Rows as a Parquet file.

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

use super::Sink;
use super::target::{Fault, Target};
use crate::failure::Failure;

/// A row group is written when it has so many bytes, so that rows of any size take no more memory than this. Parquet's
/// own advice is 128 MiB to 1 GiB; a million narrow rows, parquet-rs's own bound, stay below.
const ROW_GROUP_BYTES: usize = 128 << 20;

/// See the module.
pub struct ParquetSink {
    writer: ArrowWriter<Target>,
    fault: Fault,
}

impl ParquetSink {
    /// Writes the file's head. Nobody wants these bytes on a terminal.
    pub fn new(target: Target, schema: &SchemaRef) -> Result<Self, Failure> {
        if target.is_terminal() {
            return Err(Failure::Error("Parquet is not for reading: name a file with --output".into()));
        }
        let fault = target.fault();
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_max_row_group_bytes(Some(ROW_GROUP_BYTES))
            .build();
        let writer = ArrowWriter::try_new(target, schema.clone(), Some(properties))
            .map_err(|error| fault.behind(error))?;
        Ok(ParquetSink { writer, fault })
    }
}

impl Sink for ParquetSink {
    fn write(&mut self, batch: &RecordBatch) -> Result<(), Failure> {
        self.writer.write(batch).map_err(|error| self.fault.behind(error))
    }

    fn finish(self: Box<Self>) -> Result<(), Failure> {
        let ParquetSink { writer, fault } = *self;
        writer.into_inner().map_err(|error| fault.behind(error))?.commit()
    }
}
