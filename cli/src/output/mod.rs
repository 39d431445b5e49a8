//! Output of a query's rows: a format, and standard output or a file.

mod csv;
mod json;
mod parquet;
mod table;
mod target;

use std::io::Write;
use std::path::Path;

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use clap::ValueEnum;
use pelton::Engine;

use crate::failure::Failure;

pub use target::Target;

/// Format of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Columns lined up, for reading; the first rows only
    Table,
    /// A line a row after a line of names; NULL is an empty field
    Csv,
    /// One array with an object a row
    Json,
    /// A Parquet file, compressed with Zstandard
    Parquet,
}

/// Takes a result batch by batch. Nothing but a table's first rows stays in memory.
pub trait Sink {
    /// Writes some rows.
    fn write(&mut self, batch: &RecordBatch) -> Result<(), Failure>;

    /// Writes the end of the output. Only now does a file appear under its name.
    fn finish(self: Box<Self>) -> Result<(), Failure>;
}

/// Writes a complete text to standard output or a file.
pub fn write_whole(path: Option<&Path>, text: &str) -> Result<(), Failure> {
    let mut target = Target::open(path)?;
    let fault = target.fault();
    target.write_all(text.as_bytes()).map_err(|error| fault.behind(error))?;
    target.commit()
}

/// Opens standard output, or the file, for rows with a schema.
pub fn open(
    engine: &Engine,
    format: Format,
    file: Option<&Path>,
    max_rows: usize,
    schema: &SchemaRef,
) -> Result<Box<dyn Sink>, Failure> {
    // Fails before anything is created if the format can't have these columns.
    match format {
        Format::Csv => csv::check(schema)?,
        Format::Json => json::check(schema)?,
        Format::Table | Format::Parquet => {}
    }
    let target = Target::open(file)?;
    Ok(match format {
        Format::Table => Box::new(table::TableSink::new(target, schema, max_rows)),
        Format::Csv => Box::new(csv::CsvSink::new(target, schema)?),
        Format::Json => Box::new(json::JsonSink::new(target)),
        Format::Parquet => Box::new(parquet::ParquetSink::new(engine, target, schema)?),
    })
}
