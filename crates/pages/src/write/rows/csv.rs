//! Rows as CSV (RFC 4180).

use std::io::{self, Write};
use std::sync::Arc;

use arrow::array::{Array, RecordBatch};
use arrow::buffer::NullBuffer;
use arrow::csv::{QuoteStyle, Writer, WriterBuilder};
use arrow::datatypes::{Schema, SchemaRef};
use arrow::error::ArrowError;
use arrow::util::display::{ArrayFormatter, FormatOptions};
use parking_lot::Mutex;

use super::TimeFormats;
use crate::sql_types::type_in_sql;

/// Form of CSV text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CsvFormat {
    /// A line with the columns' names comes first.
    pub header: bool,
    /// Byte between the values of a line.
    pub delimiter: u8,
    /// Byte around a value that has a delimiter, a quote or a line break in it.
    pub quote: u8,
    /// Byte before a quote in such a value. The quote itself doubles quotes.
    pub escape: u8,
    /// Text of NULL.
    pub null: String,
    /// Every value is quoted.
    pub quote_all: bool,
    /// Forms of dates and times.
    pub times: TimeFormats,
}

impl Default for CsvFormat {
    fn default() -> Self {
        Self {
            header: true,
            delimiter: b',',
            quote: b'"',
            escape: b'"',
            null: String::new(),
            quote_all: false,
            times: TimeFormats::default(),
        }
    }
}

/// Returns the reason for which a table can't be CSV: a column's values are no single fields.
pub(super) fn check(schema: &Schema) -> Result<(), String> {
    match schema.fields().iter().find(|field| field.data_type().is_nested()) {
        Some(field) => Err(format!(
            "column {} is a {}, which CSV has no form for; write JSON or Parquet, or select its parts",
            field.name(),
            type_in_sql(field.data_type())
        )),
        None => Ok(()),
    }
}

/// See the module.
pub(super) struct CsvWriter<W: Write> {
    writer: Writer<Shared<W>>,
    to: Arc<Mutex<W>>,
    format: CsvFormat,
    /// NULL is an empty line, as the table has one column and NULL no text. Readers pass over empty
    /// lines in front of the first other line, so that a NULL there is quoted.
    has_empty_lines: bool,
    /// No line has been written.
    is_at_start: bool,
}

/// Destination that arrow's writer and this one share. This one flushes it, after each batch.
struct Shared<W: Write>(Arc<Mutex<W>>);

impl<W: Write> Write for Shared<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<W: Write> CsvWriter<W> {
    /// Writes the line of names.
    pub fn new(to: W, schema: &SchemaRef, format: &CsvFormat) -> Result<Self, ArrowError> {
        let mut builder = WriterBuilder::new()
            .with_header(format.header)
            .with_delimiter(format.delimiter)
            .with_quote(format.quote)
            .with_double_quote(format.escape == format.quote)
            .with_escape(format.escape)
            .with_null(format.null.clone())
            .with_quote_style(if format.quote_all { QuoteStyle::Always } else { QuoteStyle::Necessary });
        let TimeFormats { date, timestamp, timestamp_tz } = format.times.clone();
        if let Some(date) = date {
            builder = builder.with_date_format(date);
        }
        if let Some(timestamp) = timestamp {
            builder = builder.with_timestamp_format(timestamp.clone()).with_datetime_format(timestamp);
        }
        if let Some(timestamp) = timestamp_tz {
            builder = builder.with_timestamp_tz_format(timestamp);
        }
        let to = Arc::new(Mutex::new(to));
        let mut writer = Self {
            writer: builder.build(Shared(to.clone())),
            to,
            format: format.clone(),
            has_empty_lines: schema.fields().len() == 1 && format.null.is_empty(),
            is_at_start: !format.header,
        };
        // arrow's writer has the names from the first batch, and a table without rows may have none
        writer.writer.write(&RecordBatch::new_empty(schema.clone()))?;
        Ok(writer)
    }

    pub fn write(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        if !self.format.null.is_empty() || self.format.escape != self.format.quote {
            self.check_values(batch)?;
        }
        match self.has_empty_lines.then(|| batch.column(0).logical_nulls()).flatten() {
            Some(nulls) if nulls.null_count() > 0 => self.write_with_empty_lines(batch, &nulls)?,
            _ => {
                self.is_at_start &= batch.num_rows() == 0;
                self.writer.write(batch)?;
            }
        }
        Ok(self.to.lock().flush()?)
    }

    /// Writes rows of one column, of which some are NULL.
    fn write_with_empty_lines(&mut self, batch: &RecordBatch, nulls: &NullBuffer) -> Result<(), ArrowError> {
        let mut row = 0;
        while row < batch.num_rows() {
            let is_null = nulls.is_null(row);
            let rows = (row..batch.num_rows()).take_while(|&row| nulls.is_null(row) == is_null).count();
            match is_null && !self.is_at_start {
                true => (0..rows).try_for_each(|_| self.to.lock().write_all(b"\n"))?,
                false => self.writer.write(&batch.slice(row, rows))?,
            }
            self.is_at_start &= is_null;
            row += rows;
        }
        Ok(())
    }

    /// Returns the destination, with all rows.
    ///
    /// # Errors
    /// A fault of Pelton's: the destination is in use.
    pub fn finish(self) -> io::Result<W> {
        drop(self.writer);
        let to = Arc::into_inner(self.to).ok_or_else(|| io::Error::other("the writer of CSV is in use"))?;
        Ok(to.into_inner())
    }

    /// Fails if a value is the text that stands for NULL, since no reader could tell them apart, or
    /// has the escape character, which arrow's writer does not escape.
    fn check_values(&self, batch: &RecordBatch) -> Result<(), ArrowError> {
        let CsvFormat { null, escape, quote, times, .. } = &self.format;
        let options = FormatOptions::new()
            .with_display_error(false)
            .with_date_format(times.date.as_deref())
            .with_timestamp_format(times.timestamp.as_deref())
            .with_datetime_format(times.timestamp.as_deref())
            .with_timestamp_tz_format(times.timestamp_tz.as_deref());
        let mut text = String::new();
        for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
            let formatter = ArrayFormatter::try_new(column, &options)?;
            let nulls = column.logical_nulls();
            let is_value = |row: &usize| nulls.as_ref().is_none_or(|nulls| nulls.is_valid(*row));
            for row in (0..column.len()).filter(is_value) {
                text.clear();
                formatter.value(row).write(&mut text)?;
                let name = field.name();
                if !null.is_empty() && text == *null {
                    return Err(ArrowError::CsvError(format!(
                        "column {name} has the text {null:?}, which is to stand for NULL; choose another text for NULL"
                    )));
                }
                if escape != quote && text.contains(char::from(*escape)) {
                    return Err(ArrowError::CsvError(format!(
                        "column {name} has the escape character {:?} in a value, which is not written; leave ESCAPE out",
                        char::from(*escape)
                    )));
                }
            }
        }
        Ok(())
    }
}
