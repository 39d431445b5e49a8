//! Text of a file in pieces: read, decompressed, and without a byte order mark.

use arrow::error::ArrowError;
use bytes::{Buf, Bytes};
use pelton_codec::{Format as Codec, StreamDecoder};
use pelton_job::InputBuffer;
use pelton_pages::Location;

use crate::error::{Error, Result, in_sql};

/// Bytes of a piece. More add memory; fewer add requests to a store.
const PIECE: usize = 1 << 20;

/// The rest of a file's text.
pub(super) struct Pieces {
    location: Location,
    /// The first byte of the file that is not read yet.
    at: u64,
    decoder: Option<StreamDecoder>,
    /// Bytes that were read and are not decompressed yet.
    read: Bytes,
    is_first: bool,
}

impl Pieces {
    /// Begins a file.
    ///
    /// # Errors
    /// There is no memory for a decoder.
    pub fn new(location: Location, codec: Option<Codec>) -> Result<Self> {
        let decoder = match codec {
            Some(codec) => StreamDecoder::new(codec).map_err(|error| failed(&location, &error))?,
            None => None,
        };
        Ok(Self { location, at: 0, decoder, read: Bytes::new(), is_first: true })
    }

    /// Returns the next piece; `None` at the end.
    ///
    /// # Errors
    /// The file can't be read, or its compressed bytes are damaged or cut.
    pub async fn next(&mut self) -> Result<Option<Bytes>> {
        let piece = match self.decoder {
            Some(_) => self.decompress().await?,
            None => self.fetch().await?,
        };
        let Some(mut piece) = piece else { return Ok(None) };
        if std::mem::take(&mut self.is_first) {
            if piece.starts_with(&[0xEF, 0xBB, 0xBF]) {
                piece.advance(3);
            }
            if piece.starts_with(&[0xFF, 0xFE]) || piece.starts_with(&[0xFE, 0xFF]) {
                return Err(failed(&self.location, &"it is UTF-16; convert it to UTF-8"));
            }
        }
        Ok(Some(piece))
    }

    async fn fetch(&mut self) -> Result<Option<Bytes>> {
        let end = self.location.size().min(self.at + PIECE as u64);
        if self.at == end {
            return Ok(None);
        }
        let piece = self.location.read(&[self.at..end], InputBuffer::fresh).await?.remove(0);
        self.at = end;
        Ok(Some(piece))
    }

    async fn decompress(&mut self) -> Result<Option<Bytes>> {
        let mut output = vec![0; PIECE];
        let mut filled = 0;
        let mut is_at_end = false;
        while filled < output.len() {
            if self.read.is_empty() && !is_at_end {
                match self.fetch().await? {
                    Some(read) => self.read = read,
                    None => is_at_end = true,
                }
            }
            let Some(decoder) = &mut self.decoder else { break };
            let done = decoder.decode(&self.read, &mut output[filled..]);
            let done = done.map_err(|error| failed(&self.location, &error))?;
            self.read.advance(done.consumed);
            filled += done.produced;
            if is_at_end && done.produced == 0 {
                decoder.finish().map_err(|error| failed(&self.location, &error))?;
                break;
            }
        }
        output.truncate(filled);
        Ok((filled > 0).then(|| output.into()))
    }
}

/// Returns an error about a file.
pub(super) fn failed(location: &Location, what: &impl ToString) -> Error {
    /// More of a message would be rows of the file.
    const MOST: usize = 300;
    let line: String = what.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
    let mut text = String::new();
    for c in line.chars().take(MOST) {
        match c.is_control() {
            true => text.extend(c.escape_default()),
            false => text.push(c),
        }
    }
    if line.chars().nth(MOST).is_some() {
        text.push('…');
    }
    Error::Table(format!("{}: {text}", location.name()))
}

/// Returns the error of a parser, with the next step. `skipped` are lines that it has not seen.
pub(super) fn damaged(location: &Location, error: &ArrowError, skipped: u64) -> Error {
    let text = match error {
        ArrowError::CsvError(what) => numbered(what, " for line ", skipped),
        ArrowError::JsonError(what) => what.clone(),
        ArrowError::ParseError(what) => {
            // Arrow counts these lines from 0
            let what = numbered(what, " at line ", skipped + 1);
            let what = no_value(&what).unwrap_or_else(|| in_sql(&what));
            format!(
                "{what}; name its type with types := {{'column': 'VARCHAR'}}, or read more rows for the types with \
                 sample_size := -1"
            )
        }
        other => other.to_string(),
    };
    failed(location, &text)
}

/// Explains a value that is none of its column's type; `None` for other texts. Arrow counts columns
/// from 0, and ends with a dump of the row.
fn no_value(text: &str) -> Option<String> {
    let (value, rest) = text.strip_prefix("Error while parsing value '")?.split_once("' as type '")?;
    let (data_type, rest) = rest.split_once("' for column ")?;
    let (column, rest) = rest.split_once(" at line ")?;
    let line = rest.split('.').next().unwrap_or(rest);
    let column = column.parse::<usize>().ok()? + 1;
    Some(format!("line {line}, column {column}: '{value}' is no {}", in_sql(data_type)))
}

/// Adds to the number behind some words.
fn numbered(text: &str, words: &str, more: u64) -> String {
    let Some((before, rest)) = text.split_once(words) else { return text.to_owned() };
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    match rest[..digits].parse::<u64>() {
        Ok(number) => format!("{before}{words}{}{}", number.saturating_add(more), &rest[digits..]),
        Err(_) => text.to_owned(),
    }
}
