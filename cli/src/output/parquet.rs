//! Rows as a Parquet file.

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use pelton::codec::Format;
use pelton::{Engine, Packing, TableWriter, WriteOptions};

use super::Sink;
use super::target::{Fault, Target};
use crate::failure::Failure;

/// See the module.
pub struct ParquetSink {
    writer: TableWriter<Target>,
    fault: Fault,
}

impl ParquetSink {
    /// Writes the file's head. A terminal is refused, since the bytes are not text.
    pub fn new(engine: &Engine, target: Target, schema: &SchemaRef) -> Result<Self, Failure> {
        if target.is_terminal() {
            return Err(Failure::Error("Parquet is not for reading: name a file with --output".into()));
        }
        let fault = target.fault();
        let options = WriteOptions::new(Packing::Zstd { level: Format::Zstd.default_level() });
        let name = target.name().to_owned();
        let writer =
            engine.table_writer(target, &name, schema, options).map_err(|error| fault.behind(error))?;
        Ok(ParquetSink { writer, fault })
    }
}

impl Sink for ParquetSink {
    fn write(&mut self, batch: &RecordBatch) -> Result<(), Failure> {
        self.writer.write(batch).map_err(|error| self.fault.behind(error))
    }

    fn finish(self: Box<Self>) -> Result<(), Failure> {
        let ParquetSink { writer, fault } = *self;
        let (target, _) = writer.finish().map_err(|error| fault.behind(error))?;
        target.commit()
    }
}
