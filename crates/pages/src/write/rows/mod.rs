//! Writer of rows as Parquet, CSV, JSON or Arrow, compressed or not.
//!
//! It serves COPY and the results of the command.

mod arrow_ipc;
mod compressed;
mod csv;
mod json;

use std::io::{self, BufWriter, Write};
use std::sync::Arc;

use arrow::array::{ArrayRef, Date32Array, RecordBatch, TimestampNanosecondArray};
use arrow::datatypes::{Schema, SchemaRef};
use arrow::util::display::{ArrayFormatter, FormatOptions};
use pelton_job::Router;

use super::table::{TableWriter, WriteOptions, check_columns};
use crate::error::{Cause, Error, Place, Result};
use arrow_ipc::ArrowWriter;
use compressed::CompressedWriter;
use csv::CsvWriter;
use json::JsonWriter;

pub use compressed::TextCodec;
pub use csv::CsvFormat;

/// Forms of dates and times in text, as of `strftime`; RFC 3339 where there is none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TimeFormats {
    /// Form of dates.
    pub date: Option<String>,
    /// Form of timestamps.
    pub timestamp: Option<String>,
    /// Form of timestamps with a time zone.
    pub timestamp_tz: Option<String>,
}

impl TimeFormats {
    /// Returns the forms of SQL, with a blank between date and time, which other engines read as
    /// timestamps.
    pub fn sql() -> Self {
        Self {
            date: None,
            timestamp: Some("%Y-%m-%d %H:%M:%S%.f".to_owned()),
            timestamp_tz: Some("%Y-%m-%d %H:%M:%S%.f%:z".to_owned()),
        }
    }

    /// Checks that a form is one of dates or timestamps.
    ///
    /// # Errors
    /// It has a specifier that is unknown, or that such values lack.
    pub fn check(form: &str, is_date: bool) -> Result<(), String> {
        let options = FormatOptions::new().with_display_error(false).with_date_format(Some(form));
        let options = options.with_timestamp_format(Some(form));
        let sample: ArrayRef = match is_date {
            true => Arc::new(Date32Array::from(vec![0])),
            false => Arc::new(TimestampNanosecondArray::from(vec![0])),
        };
        let text = ArrayFormatter::try_new(&sample, &options).map(|text| text.value(0).try_to_string());
        match text {
            Ok(Ok(_)) => Ok(()),
            _ => Err(format!("{form:?} is no format of strftime for such values")),
        }
    }
}

/// Format of a file of rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowFormat {
    /// A Parquet file.
    Parquet(WriteOptions),
    /// CSV, compressed as a whole if a codec is given.
    Csv(CsvFormat, Option<TextCodec>),
    /// JSON, compressed as a whole if a codec is given.
    Json {
        /// One array of all objects, in place of an object a line.
        is_array: bool,
        /// Forms of dates and times.
        times: TimeFormats,
        /// Codec of the file.
        codec: Option<TextCodec>,
    },
    /// Arrow's IPC format.
    Arrow {
        /// The streaming format, in place of the one of files.
        is_stream: bool,
    },
}

impl RowFormat {
    /// Checks that a table can have the format.
    ///
    /// # Errors
    /// The format has no values of a column's type, or two columns of one name can't be told apart.
    pub fn check(&self, schema: &Schema) -> Result<(), String> {
        match self {
            Self::Csv(..) => csv::check(schema),
            Self::Json { times, .. } => json::check(schema, times),
            Self::Parquet(_) => check_columns(schema),
            Self::Arrow { .. } => Ok(()),
        }
    }

    /// Returns the usual end of a file's name, with its dot.
    pub fn extension(&self) -> &'static str {
        let of = |codec: &Option<TextCodec>, all: [&'static str; 3]| match codec.map(|codec| codec.format) {
            None => all[0],
            Some(pelton_codec::Format::Zstd) => all[2],
            Some(_) => all[1],
        };
        match self {
            Self::Parquet(_) => ".parquet",
            Self::Csv(_, codec) => of(codec, [".csv", ".csv.gz", ".csv.zst"]),
            Self::Json { codec, .. } => of(codec, [".json", ".json.gz", ".json.zst"]),
            Self::Arrow { is_stream: false } => ".arrow",
            Self::Arrow { is_stream: true } => ".arrows",
        }
    }
}

/// Destination of a text.
enum Text<W: Write> {
    Plain(BufWriter<W>),
    Compressed(CompressedWriter<BufWriter<W>>),
}

impl<W: Write> Text<W> {
    fn new(to: W, codec: Option<TextCodec>, router: &Arc<Router>) -> Self {
        let to = BufWriter::new(to);
        match codec {
            None => Self::Plain(to),
            Some(codec) => Self::Compressed(CompressedWriter::new(to, codec, router)),
        }
    }

    fn finish(self) -> io::Result<W> {
        let to = match self {
            Self::Plain(to) => to,
            Self::Compressed(to) => to.finish()?,
        };
        to.into_inner().map_err(io::IntoInnerError::into_error)
    }
}

impl<W: Write> Write for Text<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(to) => to.write(bytes),
            Self::Compressed(to) => to.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(to) => to.flush(),
            Self::Compressed(to) => to.flush(),
        }
    }
}

/// Writes rows as a file.
///
/// Calls block and do a part of the work. After a failed call, or without
/// [`finish`](Self::finish), the bytes are not a valid file.
pub struct RowWriter<W: Write + Send> {
    writer: Writer<W>,
    name: Arc<str>,
}

enum Writer<W: Write + Send> {
    Parquet(Box<TableWriter<BufWriter<W>>>),
    Csv(Box<CsvWriter<Text<W>>>),
    Json(JsonWriter<Text<W>>),
    Arrow(ArrowWriter<BufWriter<W>>),
}

impl<W: Write + Send> RowWriter<W> {
    /// Begins a file, called `name` in errors.
    ///
    /// # Errors
    /// The format has no type for a column, or `to` can't be written.
    pub fn new(
        to: W,
        name: &Arc<str>,
        schema: &SchemaRef,
        format: &RowFormat,
        router: &Arc<Router>,
    ) -> Result<Self> {
        format.check(schema).map_err(|what| failed(name, what))?;
        let writer = match format {
            RowFormat::Parquet(options) => {
                let writer = TableWriter::new(BufWriter::new(to), name, schema, *options, router)?;
                Writer::Parquet(Box::new(writer))
            }
            RowFormat::Csv(form, codec) => {
                let writer = CsvWriter::new(Text::new(to, *codec, router), schema, form);
                Writer::Csv(Box::new(writer.map_err(|error| failed(name, error))?))
            }
            RowFormat::Json { is_array, times, codec } => {
                Writer::Json(JsonWriter::new(Text::new(to, *codec, router), *is_array, times))
            }
            RowFormat::Arrow { is_stream } => {
                let writer = ArrowWriter::new(BufWriter::new(to), schema, *is_stream);
                Writer::Arrow(writer.map_err(|error| failed(name, error))?)
            }
        };
        Ok(Self { writer, name: name.clone() })
    }

    /// Writes some rows.
    ///
    /// # Errors
    /// A value can't be written in this format, a block can't be compressed by any device, or the
    /// destination fails. Errors of earlier rows may come late.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        match &mut self.writer {
            Writer::Parquet(writer) => writer.write(batch),
            Writer::Csv(writer) => writer.write(batch).map_err(|error| failed(&self.name, error)),
            Writer::Json(writer) => writer.write(batch).map_err(|error| failed(&self.name, error)),
            Writer::Arrow(writer) => writer.write(batch).map_err(|error| failed(&self.name, error)),
        }
    }

    /// Writes the rest of the file, and returns the destination, which is not synced to a disk.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn finish(self) -> Result<W> {
        let name = self.name;
        let inner = |to: BufWriter<W>| to.into_inner().map_err(|error| failed(&name, error.into_error()));
        match self.writer {
            Writer::Parquet(writer) => inner(writer.finish()?.0),
            Writer::Csv(writer) => {
                let text = writer.finish().map_err(|error| failed(&name, error))?;
                text.finish().map_err(|error| failed(&name, error))
            }
            Writer::Json(writer) => {
                let text = writer.finish().map_err(|error| failed(&name, error))?;
                text.finish().map_err(|error| failed(&name, error))
            }
            Writer::Arrow(writer) => inner(writer.finish().map_err(|error| failed(&name, error))?),
        }
    }
}

/// Returns an error with the file's name, and the reason without the words that other libraries put
/// before it.
fn failed(name: &Arc<str>, what: impl ToString) -> Error {
    let what = what.to_string();
    let heads = ["Csv error: ", "Json error: ", "Io error: ", "External error: "];
    let what = heads.iter().find_map(|head| what.strip_prefix(head)).unwrap_or(&what);
    Error::new(Place::file(name), Cause::Write(what.to_owned()))
}
