//! Rows as CSV, JSON or Parquet, by the writer that COPY has.

use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use pelton::{Engine, RowFormat, RowWriter, WritingMemory};

use super::Sink;
use super::target::{Fault, Target};
use crate::failure::Failure;

/// See the module.
pub struct RowSink {
    writer: RowWriter<Target>,
    fault: Fault,
    /// Held until the writer is dropped.
    _memory: WritingMemory,
}

impl RowSink {
    /// Writes the file's head. A terminal is refused for Parquet, since the bytes are not text.
    pub fn new(
        engine: &Engine,
        target: Target,
        schema: &SchemaRef,
        format: &RowFormat,
    ) -> Result<Self, Failure> {
        if matches!(format, RowFormat::Parquet(_)) && target.is_terminal() {
            return Err(Failure::Error("Parquet is not for reading: name a file with --output".into()));
        }
        let fault = target.fault();
        let name: Arc<str> = target.name().into();
        let memory = engine.writing_memory();
        let format = memory.bounded(format.clone(), 1);
        let writer = RowWriter::new(target, &name, schema, &format, &engine.router());
        Ok(RowSink { writer: writer.map_err(|error| fault.behind(error))?, fault, _memory: memory })
    }
}

impl Sink for RowSink {
    fn write(&mut self, batch: &RecordBatch) -> Result<(), Failure> {
        self.writer.write(batch).map_err(|error| self.fault.behind(error))
    }

    fn finish(self: Box<Self>) -> Result<(), Failure> {
        let RowSink { writer, fault, .. } = *self;
        writer.finish().map_err(|error| fault.behind(error))?.commit()
    }
}
