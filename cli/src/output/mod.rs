//! Output of a query's rows: a format, and standard output or a file.

mod lines;
pub mod pager;
mod rows;
mod table;
mod target;

use std::io::Write;
use std::path::Path;

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use clap::ValueEnum;
use pelton::codec;
use pelton::{CsvFormat, Engine, Packing, RowFormat, TimeFormats, WriteOptions};

use crate::failure::Failure;

pub use target::{SharedFile, Target};

/// Format of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Columns lined up, for reading; the first rows only
    Table,
    /// A line a row after a line of names; NULL is an empty field
    Csv,
    /// One array with an object a row
    Json,
    /// A line with an object a row
    #[value(alias = "jsonlines", alias = "jsonl")]
    Ndjson,
    /// A table in Markdown
    #[value(alias = "md")]
    Markdown,
    /// A line a value, with its column's name; for rows with many columns
    Line,
    /// As table, with a frame around it
    #[value(alias = "duckbox")]
    Box,
    /// A Parquet file, compressed with Zstandard
    Parquet,
}

impl Format {
    /// Returns the format of a file's extension.
    pub fn of_path(path: &Path) -> Option<Self> {
        Format::from_str(path.extension()?.to_str()?, true).ok()
    }

    /// Returns the format of a file of rows; `None` for those to be read on a screen.
    fn of_rows(self) -> Option<RowFormat> {
        let json = |is_array| RowFormat::Json { is_array, times: TimeFormats::default(), codec: None };
        match self {
            Format::Table | Format::Box | Format::Markdown | Format::Line => None,
            Format::Csv => Some(RowFormat::Csv(CsvFormat::default(), None)),
            Format::Json => Some(json(true)),
            Format::Ndjson => Some(json(false)),
            Format::Parquet => {
                let level = codec::Format::Zstd.default_level();
                Some(RowFormat::Parquet(WriteOptions::new(Packing::Zstd { level })))
            }
        }
    }
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

/// Way to show the rows of one statement.
#[derive(Clone, Debug)]
pub struct Display {
    /// Format of the rows.
    pub format: Format,
    /// Rows that a table shows; 0 for all.
    pub max_rows: usize,
    /// Program for tables that are longer than the screen.
    pub pager: Option<String>,
}

/// Checks that rows with a schema can be shown, before a statement with an effect runs.
///
/// # Errors
/// The format has no values of a column's type.
pub fn check(display: &Display, schema: &SchemaRef) -> Result<(), Failure> {
    display.format.of_rows().map_or(Ok(()), |rows| rows.check(schema).map_err(Failure::Error))
}

/// Opens a sink into a target for rows with a schema.
pub fn open(
    engine: &Engine,
    display: &Display,
    target: impl FnOnce() -> Result<Target, Failure>,
    schema: &SchemaRef,
) -> Result<Box<dyn Sink>, Failure> {
    let table = |target, style| {
        let (rows, pager) = (display.max_rows, display.pager.clone());
        Box::new(table::TableSink::new(target, schema, style, rows, pager))
    };
    // fails before anything is created
    check(display, schema)?;
    if let Some(rows) = display.format.of_rows() {
        return Ok(Box::new(rows::RowSink::new(engine, target()?, schema, &rows)?));
    }
    let target = target()?;
    Ok(match display.format {
        Format::Box => table(target, table::Style::Box),
        Format::Markdown => Box::new(lines::LinesSink::new(target, schema, lines::Layout::Markdown)?),
        Format::Line => Box::new(lines::LinesSink::new(target, schema, lines::Layout::Line)?),
        _ => table(target, table::Style::Plain),
    })
}
