//! CSV: its options, and Arrow's reader with a check of the last quoted field.

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::csv::ReaderBuilder;
use arrow::csv::reader::{Decoder, Format as CsvFormat};
use arrow::datatypes::{DataType, Field, Schema};
use arrow::error::ArrowError;
use bytes::{Buf, Bytes};
use regex::Regex;

use super::empty_lines::{EmptyLines, Marks};
use super::options::{refuse_equal, types};
use crate::error::{Error, Result};
use crate::plan::file_functions::call::{Argument, Call};
use crate::plan::sql::arrow_type;

/// Options of CSV files. Those that are absent are found in each file.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Dialect {
    pub delimiter: Option<u8>,
    quote: Option<u8>,
    escape: Option<u8>,
    comment: Option<u8>,
    pub header: Option<bool>,
    /// Lines in front of the header.
    pub skip: u64,
    /// Texts that stand for NULL, in place of the empty one.
    nulls: Option<Vec<String>>,
    /// Names of the first columns.
    pub names: Vec<String>,
    /// Types of columns by name.
    pub types: Vec<(String, DataType)>,
    /// Types of the first columns.
    pub types_in_order: Vec<DataType>,
    pub all_text: bool,
    /// Fill short rows with NULL.
    pads: bool,
}

impl Dialect {
    /// Removes the options of a call.
    pub fn take(call: &mut Call) -> Result<Self> {
        let texts = |call: &Call, name: &str, argument: Option<Argument>| match argument {
            None => Ok(None),
            Some(Argument::Text(text)) => Ok(Some(vec![text])),
            Some(Argument::List(texts)) => {
                let texts: Option<Vec<String>> = texts.into_iter().map(Argument::into_text).collect();
                texts.map(Some).ok_or_else(|| call.error(format_args!("{name} is a list of texts")))
            }
            Some(_) => Err(call.error(format_args!("{name} is a text or a list of texts"))),
        };
        for name in ["dateformat", "timestampformat"] {
            if call.take(&[name])?.is_some() {
                return Err(call.error(format_args!(
                    "{name} is not supported: read the column as text, types := {{'column': 'VARCHAR'}}, and convert \
                     it with to_date or to_timestamp"
                )));
            }
        }
        let delimiter = byte(call, &["delim", "sep", "delimiter", "separator"])?;
        let (quote, escape) = (byte(call, &["quote"])?, byte(call, &["escape"])?);
        let comment = byte(call, &["comment"])?;
        let header = call.flag("header")?;
        let skip = call.count("skip")?.unwrap_or(0);
        let nulls = call.take(&["nullstr", "null"])?;
        let nulls = texts(call, "nullstr", nulls)?;
        let names = call.take(&["names", "column_names"])?;
        let names = texts(call, "names", names)?.unwrap_or_default();
        refuse_equal(call, "names", names.iter())?;
        let (mut by_name, mut in_order) = (Vec::new(), Vec::new());
        match call.take(&["types", "dtypes", "column_types"])? {
            None => {}
            Some(list @ Argument::List(_)) => {
                let list = texts(call, "types", Some(list))?.unwrap_or_default();
                in_order = list.iter().map(|name| arrow_type(name)).collect::<Result<_>>()?;
            }
            Some(other) => by_name = types(call, "types", other)?,
        }
        let all_text = call.flag("all_varchar")?.unwrap_or(false);
        let pads = call.flag("null_padding")?.unwrap_or(false);
        Ok(Self {
            delimiter,
            quote,
            escape,
            comment,
            header,
            skip,
            nulls,
            names,
            types: by_name,
            types_in_order: in_order,
            all_text,
            pads,
        })
    }

    /// Returns Arrow's settings for rows with a delimiter; a header is a row like any other.
    pub fn format(&self, delimiter: u8) -> Result<CsvFormat> {
        let mut format = CsvFormat::default().with_delimiter(delimiter).with_truncated_rows(self.pads);
        if let Some(quote) = self.quote {
            format = format.with_quote(quote);
        }
        // a quote that is written twice needs no escape
        if let Some(escape) = self.escape.filter(|escape| *escape != self.quote.unwrap_or(b'"')) {
            format = format.with_escape(escape);
        }
        if let Some(comment) = self.comment {
            format = format.with_comment(comment);
        }
        if let Some(nulls) = &self.nulls {
            let any: Vec<String> = nulls.iter().map(|text| regex::escape(text)).collect();
            let pattern = Regex::new(&format!("^(?:{})$", any.join("|")));
            format = format.with_null_regex(pattern.map_err(|error| Error::Query(error.to_string()))?);
        }
        Ok(format)
    }

    /// Returns a reader of some columns of a file.
    pub fn rows(
        &self,
        file: &CsvFile,
        types: &[DataType],
        wanted: Vec<usize>,
        batch_rows: usize,
    ) -> Result<Rows> {
        let fields = file.names.iter().zip(types).map(|(name, data_type)| {
            let data_type = match data_type {
                // Arrow's reader has no views
                DataType::Utf8View => &DataType::Utf8,
                other => other,
            };
            Field::new(name, data_type.clone(), true)
        });
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let builder = ReaderBuilder::new(schema).with_format(self.format(file.delimiter)?);
        let builder =
            builder.with_header(file.has_header).with_projection(wanted).with_batch_size(batch_rows);
        Ok(Rows(builder.build_decoder()))
    }
}

impl Dialect {
    /// Returns the reader of empty lines for a file in which these are rows: it has one column, and
    /// no other text alone stands for NULL.
    pub fn empty_lines(&self, file: &CsvFile) -> Option<EmptyLines> {
        let is_null = self.nulls.as_ref().is_none_or(|nulls| nulls.iter().any(String::is_empty));
        let quote = self.quote.unwrap_or(b'"');
        let marks = Marks {
            delimiter: file.delimiter,
            quote,
            escape: self.escape.filter(|escape| *escape != quote),
            comment: self.comment,
        };
        (is_null && file.names.len() == 1).then(|| EmptyLines::new(marks))
    }
}

/// Removes an option of one ASCII character.
fn byte(call: &mut Call, names: &[&'static str]) -> Result<Option<u8>> {
    let Some(text) = call.text(names)? else { return Ok(None) };
    match text.replace("\\t", "\t").as_bytes() {
        // a byte that no text has
        [] => Ok(Some(0)),
        [byte] if byte.is_ascii() => Ok(Some(*byte)),
        _ => Err(call.error(format_args!("{} is one ASCII character, and not '{text}'", names[0]))),
    }
}

/// A file's dialect and columns.
#[derive(Debug, Clone)]
pub(super) struct CsvFile {
    pub delimiter: u8,
    pub has_header: bool,
    pub names: Vec<String>,
}

/// Reader of rows.
pub(super) struct Rows(Decoder);

impl Rows {
    /// Reads text up to the end of a batch, and returns the bytes read.
    pub fn read(&mut self, text: &[u8]) -> Result<usize, ArrowError> {
        self.0.decode(text)
    }

    /// Returns whether a batch is complete.
    pub fn is_full(&self) -> bool {
        self.0.capacity() == 0
    }

    /// Ends the last row.
    ///
    /// # Errors
    /// It ends within quotes.
    pub fn end(&mut self) -> Result<(), ArrowError> {
        // a row that is still open after its line is within quotes
        self.0.decode(b"\n")?;
        let open = self.0.capacity();
        self.0.decode(&[])?;
        match self.0.capacity() == open {
            true => Ok(()),
            false => Err(ArrowError::CsvError("the file ends within quotes: is it cut short?".to_owned())),
        }
    }

    /// Returns the rows that were read.
    pub fn take(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        self.0.flush()
    }
}

/// Lines that are left out at the beginning of a file.
pub(super) struct Skip(pub u64);

impl Skip {
    /// Removes the lines, or the part of them that a piece has.
    pub fn from(&mut self, piece: &mut Bytes) {
        while self.0 > 0 && !piece.is_empty() {
            match piece.iter().position(|&byte| byte == b'\n') {
                Some(end) => {
                    piece.advance(end + 1);
                    self.0 -= 1;
                }
                None => piece.clear(),
            }
        }
    }
}
