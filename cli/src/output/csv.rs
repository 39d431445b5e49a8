//! Rows as CSV (RFC 4180).

use arrow::csv::{Writer, WriterBuilder};
use arrow::datatypes::{Schema, SchemaRef};
use arrow::record_batch::RecordBatch;

use super::Sink;
use super::target::{Fault, Target};
use crate::failure::Failure;

/// Fails if a column's values are no single fields.
pub fn check(schema: &Schema) -> Result<(), Failure> {
    match schema.fields().iter().find(|field| field.data_type().is_nested()) {
        Some(field) => Err(Failure::Error(format!(
            "column {} is a {}, which CSV has no words for; use --format json or parquet, or select its parts",
            field.name(),
            field.data_type()
        ))),
        None => Ok(()),
    }
}

/// See the module.
pub struct CsvSink {
    writer: Writer<Target>,
    fault: Fault,
}

impl CsvSink {
    /// Writes the line of names.
    pub fn new(target: Target, schema: &SchemaRef) -> Result<Self, Failure> {
        let fault = target.fault();
        let mut sink = CsvSink { writer: WriterBuilder::new().with_header(true).build(target), fault };
        // The writer has it from the first batch; a result without rows may have none.
        sink.write(&RecordBatch::new_empty(schema.clone()))?;
        Ok(sink)
    }
}

impl Sink for CsvSink {
    fn write(&mut self, batch: &RecordBatch) -> Result<(), Failure> {
        self.writer.write(batch).map_err(|error| self.fault.behind(error))
    }

    fn finish(self: Box<Self>) -> Result<(), Failure> {
        self.writer.into_inner().commit()
    }
}
