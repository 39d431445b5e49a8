//! JSON: its layout, the types of its values, and Arrow's reader.

use std::io::Read;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::{DataType, Field, SchemaRef};
use arrow::error::ArrowError;
use arrow::json::ReaderBuilder;
use arrow::json::reader::Decoder;
use bytes::{Buf, Bytes, BytesMut};
use datafusion_datasource_json::utils::JsonArrayToNdjsonReader;
use parking_lot::Mutex;
use pelton_pages::Location;
use serde_json::{Deserializer, Value};

use super::guess::Guess;
use super::json_array::Commas;
use super::options::Options;
use super::pieces::{Pieces, failed};
use crate::error::Result;
use crate::plan::file_functions::call::Call;

/// Bytes of a buffer between an array's text and that of its objects.
const BUFFER: usize = 64 << 10;

/// Longest object that types are found in.
const LONGEST_OBJECT: usize = 64 << 20;

/// Layout of JSON files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// As each file begins.
    Any,
    /// Objects one after another.
    Objects,
    /// An array of objects.
    Array,
}

impl Layout {
    /// Removes the option of a call.
    pub fn take(call: &mut Call, lines: bool) -> Result<Self> {
        let name = call.text(&["format"])?;
        Ok(match name.as_deref() {
            None if lines => Layout::Objects,
            None | Some("auto") => Layout::Any,
            Some("newline_delimited" | "nd" | "unstructured") => Layout::Objects,
            Some("array") => Layout::Array,
            Some(other) => {
                return Err(call.error(format_args!(
                    "format is auto, newline_delimited, unstructured or array, and not '{other}'"
                )));
            }
        })
    }
}

/// A part of an array's text, which its reader takes as the whole: it can go on behind an end.
#[derive(Clone, Default)]
struct Fed(Arc<Mutex<Bytes>>);

impl Read for Fed {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        let mut bytes = self.0.lock();
        let length = bytes.len().min(to.len());
        bytes.copy_to_slice(&mut to[..length]);
        Ok(length)
    }
}

/// The objects of a file, as text in pieces.
pub(super) struct Objects {
    location: Location,
    pieces: Pieces,
    layout: Layout,
    array: Option<(Fed, Commas, JsonArrayToNdjsonReader<Fed>)>,
}

impl Objects {
    /// Begins a file.
    ///
    /// # Errors
    /// There is no memory for a decoder.
    pub fn new(location: &Location, layout: Layout, options: &Options) -> Result<Self> {
        let pieces = Pieces::new(location.clone(), options.compression.of(location.name()))?;
        Ok(Self { location: location.clone(), pieces, layout, array: None })
    }

    /// Returns the next piece; `None` at the end.
    ///
    /// # Errors
    /// The file can't be read, or its array is damaged or cut.
    pub async fn next(&mut self) -> Result<Option<Bytes>> {
        loop {
            let Some(piece) = self.pieces.next().await? else {
                return match self.array.take() {
                    None if self.layout == Layout::Array => Err(failed(&self.location, &"it is no array")),
                    None => Ok(None),
                    Some((_, _, reader)) => reader
                        .validate_complete()
                        .map(|()| None)
                        .map_err(|what| failed(&self.location, &what)),
                };
            };
            if self.layout == Layout::Any
                && let Some(first) = piece.iter().find(|byte| !byte.is_ascii_whitespace())
            {
                self.layout = if *first == b'[' { Layout::Array } else { Layout::Objects };
            }
            if self.layout != Layout::Array {
                return Ok(Some(piece));
            }
            let (fed, commas, reader) = self.array.get_or_insert_with(|| {
                let fed = Fed::default();
                (fed.clone(), Commas::default(), JsonArrayToNdjsonReader::with_capacity(fed, BUFFER))
            });
            commas.check(&piece).map_err(|what| failed(&self.location, &what))?;
            *fed.0.lock() = piece;
            let mut objects = BytesMut::new();
            let mut buffer = [0; 4 << 10];
            loop {
                let read = reader.read(&mut buffer).map_err(|what| failed(&self.location, &what))?;
                if read == 0 {
                    break;
                }
                objects.extend_from_slice(&buffer[..read]);
            }
            if !objects.is_empty() {
                return Ok(Some(objects.freeze()));
            }
        }
    }
}

/// Reader of some members of objects.
pub(super) struct Members(Decoder);

impl Members {
    pub fn new(schema: SchemaRef, batch_rows: usize) -> Result<Self, ArrowError> {
        let builder = ReaderBuilder::new(schema).with_batch_size(batch_rows).with_coerce_primitive(true);
        builder.build_decoder().map(Self)
    }

    /// Reads text up to the end of a batch, and returns the bytes read.
    pub fn read(&mut self, text: &[u8]) -> Result<usize, ArrowError> {
        self.0.decode(text)
    }

    /// Returns the rows that were read.
    pub fn take(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        self.0.flush()
    }
}

/// Kind of the values of a column.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shape {
    Null,
    Boolean,
    Integer,
    /// Beyond 64 bits with a sign.
    LongInteger,
    Double,
    Text(Guess),
    List(Box<Shape>),
    Struct(Vec<(String, Shape)>),
    /// Numbers, texts and the like.
    Mixed,
    /// Lists or structs, and others.
    Conflict,
}

impl Shape {
    fn of(value: &Value) -> Self {
        match value {
            Value::Null => Shape::Null,
            Value::Bool(_) => Shape::Boolean,
            Value::Number(number) if number.is_i64() => Shape::Integer,
            Value::Number(number) if number.is_u64() => Shape::LongInteger,
            Value::Number(_) => Shape::Double,
            Value::String(text) => Shape::Text(Guess::of_quoted(text)),
            Value::Array(items) => {
                Shape::List(Box::new(items.iter().map(Shape::of).fold(Shape::Null, Shape::and)))
            }
            Value::Object(members) => {
                Shape::Struct(members.iter().map(|(name, value)| (name.clone(), Shape::of(value))).collect())
            }
        }
    }

    /// Returns the shape of the values of both.
    pub fn and(self, other: Self) -> Self {
        use Shape::{Conflict, Double, Integer, List, LongInteger, Mixed, Null, Struct, Text};
        match (self, other) {
            (a, b) if a == b => a,
            (Null, other) | (other, Null) => other,
            (Integer, LongInteger) | (LongInteger, Integer) => LongInteger,
            (Integer | LongInteger, Double) | (Double, Integer | LongInteger) => Double,
            (Text(a), Text(b)) => Text(a.and(b)),
            (List(a), List(b)) => List(Box::new(a.and(*b))),
            (Struct(mut members), Struct(others)) => {
                for (name, shape) in others {
                    match members.iter_mut().find(|(known, _)| *known == name) {
                        Some((_, known)) => *known = std::mem::replace(known, Null).and(shape),
                        None => members.push((name, shape)),
                    }
                }
                Struct(members)
            }
            (List(_) | Struct(_) | Conflict, _) | (_, List(_) | Struct(_) | Conflict) => Conflict,
            _ => Mixed,
        }
    }

    /// Returns the type of a column, or of a value inside of one; `None` if the values have none in
    /// common.
    pub fn data_type(&self, is_inside: bool) -> Option<DataType> {
        let text = if is_inside { DataType::Utf8 } else { DataType::Utf8View };
        Some(match self {
            Shape::Null | Shape::Mixed => text,
            Shape::Boolean => DataType::Boolean,
            Shape::Integer => DataType::Int64,
            Shape::LongInteger => DataType::Decimal128(38, 0),
            Shape::Double => DataType::Float64,
            Shape::Text(guess) if guess.is_text() => text,
            Shape::Text(guess) => guess.data_type(),
            Shape::List(item) => DataType::List(Arc::new(Field::new_list_field(item.data_type(true)?, true))),
            Shape::Struct(members) => {
                let field =
                    |(name, shape): &(String, Shape)| Some(Field::new(name, shape.data_type(true)?, true));
                DataType::Struct(members.iter().map(field).collect::<Option<Vec<_>>>()?.into())
            }
            Shape::Conflict => return None,
        })
    }
}

/// Reads the first objects of a file. Returns its columns, and whether these were all objects.
///
/// # Errors
/// It can't be read, or is no JSON of objects.
pub(super) async fn sniff(
    location: &Location,
    layout: Layout,
    options: &Options,
) -> Result<(Vec<(String, Shape)>, bool)> {
    let mut objects = Objects::new(location, layout, options)?;
    let mut text = BytesMut::new();
    let (mut all, mut count) = (Shape::Null, 0);
    let is_whole = loop {
        let piece = objects.next().await?;
        let is_last = piece.is_none();
        text.extend_from_slice(&piece.unwrap_or_default());
        let mut values = Deserializer::from_slice(&text).into_iter::<Value>();
        let mut read = 0;
        while count < options.sample_rows {
            match values.next() {
                None => break,
                Some(Ok(value @ Value::Object(_))) => {
                    all = all.and(Shape::of(&value));
                    count += 1;
                    read = values.byte_offset();
                }
                Some(Ok(_)) => {
                    let what = format!("value {} is no object: only objects become rows", count + 1);
                    return Err(failed(location, &what));
                }
                Some(Err(error)) if error.is_eof() && !is_last => break,
                Some(Err(error)) => {
                    return Err(failed(location, &format!("object {} is no JSON: {error}", count + 1)));
                }
            }
        }
        text.advance(read);
        if is_last || count >= options.sample_rows {
            break is_last && count < options.sample_rows;
        }
        if text.len() > LONGEST_OBJECT {
            return Err(failed(
                location,
                &format!("no object ends within {LONGEST_OBJECT} bytes: is it JSON?"),
            ));
        }
    };
    match all {
        Shape::Struct(members) => Ok((members, is_whole)),
        _ => Ok((Vec::new(), is_whole)),
    }
}

#[cfg(test)]
mod tests;
