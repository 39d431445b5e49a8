//! Rows as CSV (RFC 4180).

use std::io::Write;

use arrow::array::{AsArray, RecordBatch};
use arrow::compute::cast;
use arrow::csv::{QuoteStyle, Writer, WriterBuilder};
use arrow::datatypes::{DataType, Schema, SchemaRef};
use arrow::error::ArrowError;

use super::TimeFormats;

/// Form of CSV text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CsvFormat {
    /// Whether a line with the columns' names comes first.
    pub header: bool,
    /// Byte between the values of a line.
    pub delimiter: u8,
    /// Byte around a value that has a delimiter, a quote or a line break in it.
    pub quote: u8,
    /// Byte before a quote in such a value. The quote itself doubles quotes.
    pub escape: u8,
    /// Text of NULL.
    pub null: String,
    /// Whether every value is quoted.
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
            "column {} is a {}, which CSV has no words for; write JSON or Parquet, or select its parts",
            field.name(),
            field.data_type()
        )),
        None => Ok(()),
    }
}

/// See the module.
pub(super) struct CsvWriter<W: Write> {
    writer: Writer<W>,
    null: String,
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
        let mut writer = Self { writer: builder.build(to), null: format.null.clone() };
        // arrow's writer has the names from the first batch, and a table without rows may have none
        writer.writer.write(&RecordBatch::new_empty(schema.clone()))?;
        Ok(writer)
    }

    pub fn write(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        if !self.null.is_empty() {
            self.check_nulls(batch)?;
        }
        self.writer.write(batch)
    }

    pub fn finish(self) -> W {
        self.writer.into_inner()
    }

    /// Fails if a text is the one that stands for NULL, since no reader could tell them apart.
    fn check_nulls(&self, batch: &RecordBatch) -> Result<(), ArrowError> {
        for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
            let values = match field.data_type() {
                DataType::Dictionary(_, values) => values,
                other => other,
            };
            if !matches!(values, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View) {
                continue;
            }
            let texts = cast(column, &DataType::Utf8View)?;
            if texts.as_string_view().iter().flatten().any(|text| text == self.null) {
                return Err(ArrowError::CsvError(format!(
                    "column {} has the text {:?}, which is to stand for NULL; choose another text for NULL",
                    field.name(),
                    self.null
                )));
            }
        }
        Ok(())
    }
}
