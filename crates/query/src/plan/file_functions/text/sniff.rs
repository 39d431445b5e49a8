//! The dialect, the columns and the types of a CSV file, from its first rows.

use std::collections::HashSet;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use arrow::csv::reader::Format as CsvFormat;
use arrow::datatypes::DataType;
use arrow::error::ArrowError;
use bytes::{Buf, Bytes, BytesMut};
use pelton_pages::Location;

use super::csv::{CsvFile, Dialect, Rows, Skip};
use super::guess::Guess;
use super::json::Shape;
use super::options::Options;
use super::pieces::{Pieces, damaged, failed};
use crate::error::{Error, Result};

/// Delimiters that are tried. Among those that give the most columns the first is taken.
const DELIMITERS: [u8; 4] = *b",|;\t";

/// Rows that decide on the delimiter.
const DIALECT_ROWS: usize = 1_000;

/// Longest first line.
const LONGEST_LINE: usize = 16 << 20;

/// Rows of which types are found at a time.
const BATCH: usize = 2_048;

/// Reads the first rows of a file. Returns its dialect, and what the texts of each column are.
///
/// # Errors
/// It can't be read, or has rows of different lengths.
pub(super) async fn csv(
    location: &Location,
    dialect: &Dialect,
    options: &Options,
) -> Result<(CsvFile, Vec<Shape>)> {
    let mut pieces = Pieces::new(location.clone(), options.compression.of(location.name()))?;
    let mut skip = Skip(dialect.skip);
    let head = head(location, &mut pieces, &mut skip).await?;
    let lines = match head.iter().rposition(|&byte| byte == b'\n') {
        Some(end) => &head[..=end],
        None => &head,
    };
    let delimiter = match dialect.delimiter {
        Some(delimiter) => delimiter,
        None => delimiter(dialect, lines)?,
    };
    let format = dialect.format(delimiter)?;
    let width = width(&format, lines, 1).map_err(|error| damaged(location, &error, dialect.skip))?;
    let mut file = CsvFile { delimiter, has_header: false, names: vec![String::new(); width] };
    if width == 0 {
        return Ok((file, Vec::new()));
    }
    let types = vec![DataType::Utf8; width];
    let mut rows = dialect.rows(&file, &types, (0..width).collect(), BATCH)?;
    let mut empty_lines = dialect.empty_lines(&file);
    let mut sample = Sample { first: None, rest: vec![Guess::default(); width], rows: 0 };
    let mut piece = head;
    loop {
        if let Some(lines) = &mut empty_lines {
            piece = lines.quoted(piece);
        }
        let is_enough = sample.read(&mut rows, &mut piece, options.sample_rows);
        let is_enough = is_enough.map_err(|error| damaged(location, &error, dialect.skip))?;
        if is_enough {
            break;
        }
        match pieces.next().await? {
            Some(next) => piece = next,
            None => {
                let last = rows.end().and_then(|()| sample.take(&mut rows));
                last.map_err(|error| damaged(location, &error, dialect.skip))?;
                break;
            }
        }
    }
    let first = sample.first.unwrap_or_default();
    file.has_header = dialect.header.unwrap_or_else(|| is_header(&first, &sample.rest));
    let mut guesses = sample.rest;
    if !file.has_header {
        for (guess, text) in guesses.iter_mut().zip(&first) {
            *guess = text.as_deref().map_or(*guess, |text| guess.and(Guess::of(text)));
        }
    }
    file.names = names(&first, file.has_header, &dialect.names);
    if dialect.all_text {
        guesses.iter_mut().for_each(|guess| *guess = Guess::default());
    }
    Ok((file, guesses.into_iter().map(Shape::Text).collect()))
}

/// Returns the beginning of a file, with one line at least.
async fn head(location: &Location, pieces: &mut Pieces, skip: &mut Skip) -> Result<Bytes> {
    let mut head = BytesMut::new();
    while let Some(mut piece) = pieces.next().await? {
        skip.from(&mut piece);
        head.extend_from_slice(&piece);
        if head.contains(&b'\n') {
            break;
        }
        if head.len() > LONGEST_LINE {
            return Err(failed(
                location,
                &format!("no line ends in its first {LONGEST_LINE} bytes: is it CSV?"),
            ));
        }
    }
    Ok(head.freeze())
}

/// Returns the delimiter that gives the most columns, among those that give each row as many.
fn delimiter(dialect: &Dialect, lines: &[u8]) -> Result<u8> {
    let mut best = (1, DELIMITERS[0]);
    for delimiter in DELIMITERS {
        let width = width(&dialect.format(delimiter)?, lines, DIALECT_ROWS);
        if let Ok(width) = width
            && width > best.0
        {
            best = (width, delimiter);
        }
    }
    Ok(best.1)
}

/// Returns the fields of each row.
fn width(format: &CsvFormat, lines: &[u8], rows: usize) -> std::result::Result<usize, ArrowError> {
    let found = format.infer_schema(lines, Some(rows));
    found.map(|(schema, _)| schema.fields().len())
}

/// The first row, and what the texts of the others are.
struct Sample {
    first: Option<Vec<Option<String>>>,
    rest: Vec<Guess>,
    rows: u64,
}

impl Sample {
    /// Reads a piece. Returns whether `most` rows have been read.
    fn read(
        &mut self,
        rows: &mut Rows,
        piece: &mut Bytes,
        most: u64,
    ) -> std::result::Result<bool, ArrowError> {
        while !piece.is_empty() {
            let read = rows.read(piece)?;
            piece.advance(read);
            if rows.is_full() {
                self.take(rows)?;
                if self.rows >= most {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    fn take(&mut self, rows: &mut Rows) -> std::result::Result<(), ArrowError> {
        let Some(batch) = rows.take()? else { return Ok(()) };
        let mut from = 0;
        if self.first.is_none() && batch.num_rows() > 0 {
            let text = |column: &ArrayRef| {
                let column = column.as_string::<i32>();
                column.is_valid(0).then(|| column.value(0).to_owned())
            };
            self.first = Some(batch.columns().iter().map(text).collect());
            from = 1;
        }
        self.add(&batch.slice(from, batch.num_rows() - from));
        Ok(())
    }

    fn add(&mut self, batch: &RecordBatch) {
        self.rows += batch.num_rows() as u64;
        for (guess, column) in self.rest.iter_mut().zip(batch.columns()) {
            for text in column.as_string::<i32>().iter().flatten() {
                if guess.is_seen && guess.is_text() {
                    break;
                }
                *guess = guess.and(Guess::of(text));
            }
        }
    }
}

/// Returns whether the first row has names: one of its texts is none of its column's type or, where
/// all columns are text, none of them is a number, a date or the like.
fn is_header(first: &[Option<String>], rest: &[Guess]) -> bool {
    let columns = || first.iter().zip(rest);
    if rest.iter().any(|guess| !guess.is_text()) {
        return columns()
            .any(|(text, guess)| !guess.is_text() && text.as_ref().is_some_and(|text| !guess.takes(text)));
    }
    columns().all(|(text, _)| text.as_ref().is_some_and(|text| Guess::of(text).is_text()))
}

/// Returns the columns' names: those given, those of the header, and `column0` and so on. A name
/// that is there already gets a number.
fn names(first: &[Option<String>], has_header: bool, given: &[String]) -> Vec<String> {
    let mut taken = HashSet::new();
    let mut names = Vec::with_capacity(first.len());
    for (number, text) in first.iter().enumerate() {
        let of_header = text.clone().filter(|text| has_header && !text.is_empty());
        let name = given.get(number).cloned().or(of_header).unwrap_or_else(|| format!("column{number}"));
        let numbered = (1..).map(|number| format!("{name}_{number}"));
        let name = std::iter::once(name.clone()).chain(numbered).find(|name| !taken.contains(name));
        let name = name.unwrap_or_default();
        taken.insert(name.clone());
        names.push(name);
    }
    names
}

/// Returns the types of a file's columns that options name.
///
/// # Errors
/// There are more of them than columns, or a name is none of a column.
pub(super) fn named_types(
    location: &Location,
    file: &mut CsvFile,
    dialect: &Dialect,
    options: &Options,
) -> Result<Vec<(String, DataType)>> {
    let width = file.names.len();
    if let Some(columns) = &options.columns {
        if columns.len() != width && width > 0 {
            let what = format!("columns names {} columns, and the file has {width}", columns.len());
            return Err(failed(location, &what));
        }
        file.names = columns.iter().map(|(name, _)| name.clone()).collect();
        return Ok(columns.clone());
    }
    if dialect.names.len() > width && width > 0 {
        let what = format!("names has {} names, and the file has {width} columns", dialect.names.len());
        return Err(failed(location, &what));
    }
    if dialect.types_in_order.len() > width {
        let what =
            format!("types has {} types, and the file has {width} columns", dialect.types_in_order.len());
        return Err(failed(location, &what));
    }
    if let Some((name, _)) = dialect.types.iter().find(|(name, _)| !file.names.contains(name)) {
        let names = file.names.join(", ");
        return Err(Error::Table(format!(
            "{}: types names the column {name}, and the file has {names}",
            location.name()
        )));
    }
    let in_order = file.names.iter().cloned().zip(dialect.types_in_order.iter().cloned());
    Ok(in_order.chain(dialect.types.iter().cloned()).collect())
}
