//! Rows as one JSON array (RFC 8259), or as JSON lines: an object a line, written as they come.

use std::collections::BTreeSet;
use std::io::Write;

use arrow::array::Array;
use arrow::datatypes::{DataType, Schema};
use arrow::error::ArrowError;
use arrow::json::WriterBuilder;
use arrow::json::writer::{JsonFormat, LineDelimited, Writer};
use arrow::record_batch::RecordBatch;
use arrow::util::display::{ArrayFormatter, FormatOptions};

use super::Sink;
use super::target::{Fault, Target};
use crate::failure::Failure;

/// Fails if two columns have one name: readers of JSON would keep only one.
pub fn check(schema: &Schema) -> Result<(), Failure> {
    let mut names = BTreeSet::new();
    match schema.fields().iter().find(|field| !names.insert(field.name())) {
        Some(field) => {
            let name = field.name();
            Err(Failure::Error(format!("two columns are called {name}; give one another name with AS")))
        }
        None => Ok(()),
    }
}

/// See the module.
pub struct JsonSink<F: JsonFormat> {
    writer: Writer<Target, F>,
    fault: Fault,
}

/// Returns a sink for one array.
pub fn array(target: Target) -> Box<dyn Sink> {
    Box::new(JsonSink::<ArrayOfLines>::new(target))
}

/// Returns a sink for an object a line.
pub fn lines(target: Target) -> Box<dyn Sink> {
    Box::new(JsonSink::<LineDelimited>::new(target))
}

impl<F: JsonFormat> JsonSink<F> {
    /// Nothing is written yet.
    fn new(target: Target) -> Self {
        let fault = target.fault();
        // A key in each object, null or not, is easier for readers.
        JsonSink { writer: WriterBuilder::new().with_explicit_nulls(true).build(target), fault }
    }
}

/// Returns whether values of a type are dates or times, or hold some.
fn has_times(data_type: &DataType) -> bool {
    match data_type {
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::FixedSizeList(item, _)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::Map(item, _) => has_times(item.data_type()),
        DataType::Struct(fields) => fields.iter().any(|field| has_times(field.data_type())),
        DataType::Dictionary(_, values) => has_times(values),
        other => other.is_temporal(),
    }
}

/// Fails if a date or time is outside of the calendar: arrow's writer puts the text of the error in
/// its place.
fn check_calendar(batch: &RecordBatch) -> Result<(), Failure> {
    let options = FormatOptions::new().with_display_error(false);
    let mut text = String::new();
    for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
        if !has_times(column.data_type()) {
            continue;
        }
        let outside = || {
            let what =
                "a date or time is outside of the calendar, and JSON has no word for it; cast it to a number";
            Failure::Error(format!("column {}: {what}", field.name()))
        };
        let formatter = ArrayFormatter::try_new(column, &options).ok().ok_or_else(outside)?;
        for row in (0..column.len()).filter(|&row| column.is_valid(row)) {
            text.clear();
            formatter.value(row).write(&mut text).ok().ok_or_else(outside)?;
        }
    }
    Ok(())
}

impl<F: JsonFormat> Sink for JsonSink<F> {
    fn write(&mut self, batch: &RecordBatch) -> Result<(), Failure> {
        check_calendar(batch)?;
        self.writer.write(batch).map_err(|error| self.fault.behind(error))
    }

    fn finish(mut self: Box<Self>) -> Result<(), Failure> {
        self.writer.finish().map_err(|error| self.fault.behind(error))?;
        self.writer.into_inner().commit()
    }
}

/// An array with line breaks between its objects.
#[derive(Debug, Default)]
struct ArrayOfLines;

impl JsonFormat for ArrayOfLines {
    fn start_stream<W: Write>(&self, writer: &mut W) -> Result<(), ArrowError> {
        Ok(writer.write_all(b"[")?)
    }

    fn start_row<W: Write>(&self, writer: &mut W, is_first_row: bool) -> Result<(), ArrowError> {
        Ok(writer.write_all(if is_first_row { b"\n" } else { b",\n" })?)
    }

    fn end_stream<W: Write>(&self, writer: &mut W) -> Result<(), ArrowError> {
        Ok(writer.write_all(b"\n]\n")?)
    }
}
