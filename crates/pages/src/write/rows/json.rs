//! Rows as JSON (RFC 8259): an object a line, alone or as one array.

use std::collections::BTreeSet;
use std::io::Write;

use arrow::array::{Array, RecordBatch};
use arrow::datatypes::{DataType, Schema};
use arrow::error::ArrowError;
use arrow::json::WriterBuilder;
use arrow::json::writer::{JsonFormat, LineDelimited, Writer};
use arrow::util::display::{ArrayFormatter, FormatOptions};

use super::TimeFormats;

/// Returns the reason for which a table can't be JSON: two columns have one name, and readers keep
/// only one of them.
pub(super) fn check(schema: &Schema, times: &TimeFormats) -> Result<(), String> {
    let forms = [&times.date, &times.timestamp, &times.timestamp_tz];
    // arrow's writer puts formatted times between quotes as they are
    let is_odd = |form: &&String| {
        form.contains(['"', '\\'])
            || form.contains(char::is_control)
            || form.contains("%n")
            || form.contains("%t")
    };
    if let Some(form) = forms.into_iter().flatten().find(is_odd) {
        return Err(format!(
            "{form:?} has a quote, a backslash or a control character, which JSON would need escaped"
        ));
    }
    let mut names = BTreeSet::new();
    match schema.fields().iter().find(|field| !names.insert(field.name())) {
        Some(field) => Err(format!("two columns are called {}; give one another name with AS", field.name())),
        None => Ok(()),
    }
}

/// See the module.
pub(super) enum JsonWriter<W: Write> {
    Array(Writer<W, ArrayOfLines>),
    Lines(Writer<W, LineDelimited>),
}

impl<W: Write> JsonWriter<W> {
    /// Nothing is written yet.
    pub fn new(to: W, is_array: bool, times: &TimeFormats) -> Self {
        // a key in each object, null or not, is easier for readers
        let mut builder = WriterBuilder::new().with_explicit_nulls(true);
        let TimeFormats { date, timestamp, timestamp_tz } = times.clone();
        if let Some(date) = date {
            builder = builder.with_date_format(date);
        }
        if let Some(timestamp) = timestamp {
            builder = builder.with_timestamp_format(timestamp.clone()).with_datetime_format(timestamp);
        }
        if let Some(timestamp) = timestamp_tz {
            builder = builder.with_timestamp_tz_format(timestamp);
        }
        match is_array {
            true => Self::Array(builder.build(to)),
            false => Self::Lines(builder.build(to)),
        }
    }

    pub fn write(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        check_calendar(batch)?;
        match self {
            Self::Array(writer) => writer.write(batch),
            Self::Lines(writer) => writer.write(batch),
        }
    }

    pub fn finish(self) -> Result<W, ArrowError> {
        match self {
            Self::Array(mut writer) => writer.finish().map(|()| writer.into_inner()),
            Self::Lines(mut writer) => writer.finish().map(|()| writer.into_inner()),
        }
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
fn check_calendar(batch: &RecordBatch) -> Result<(), ArrowError> {
    let options = FormatOptions::new().with_display_error(false);
    let mut text = String::new();
    for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
        if !has_times(column.data_type()) {
            continue;
        }
        let outside = || {
            let what =
                "a date or time is outside of the calendar, and JSON has no word for it; cast it to a number";
            ArrowError::JsonError(format!("column {}: {what}", field.name()))
        };
        let formatter = ArrayFormatter::try_new(column, &options).ok().ok_or_else(outside)?;
        for row in (0..column.len()).filter(|&row| column.is_valid(row)) {
            text.clear();
            formatter.value(row).write(&mut text).ok().ok_or_else(outside)?;
        }
    }
    Ok(())
}

/// An array with line breaks between its objects.
#[derive(Debug, Default)]
pub(super) struct ArrayOfLines;

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
