//! Errors of reading and writing Parquet files, with the place of each.

use std::fmt::{self, Write};
use std::sync::Arc;

/// Page location: place of an error in a Parquet file. Parts that are unknown or do not apply are
/// absent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// The file's path or URL, as users know it.
    pub file: Arc<str>,
    /// Index of the row group in the file, from 0.
    pub row_group: Option<usize>,
    /// Dotted path of the leaf column.
    pub column: Option<Arc<str>>,
    /// Index of the page in its column chunk, from 0; a dictionary page counts as one.
    pub page: Option<usize>,
}

impl Place {
    /// Returns a place with the file only.
    pub fn file(file: &Arc<str>) -> Self {
        Self { file: file.clone(), ..Self::default() }
    }

    /// Returns the place in a row group of the same file.
    pub fn row_group(mut self, row_group: usize) -> Self {
        self.row_group = Some(row_group);
        self
    }

    /// Returns the place in a column of the same row group.
    pub fn column(mut self, column: impl Into<Arc<str>>) -> Self {
        self.column = Some(column.into());
        self
    }

    /// Returns the place in a page of the same column.
    pub fn page(mut self, page: usize) -> Self {
        self.page = Some(page);
        self
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        let mut separator = ": ";
        if let Some(row_group) = self.row_group {
            write!(f, "{separator}row group {row_group}")?;
            separator = ", ";
        }
        if let Some(column) = &self.column {
            write!(f, "{separator}column {column}")?;
            separator = ", ";
        }
        if let Some(page) = self.page {
            write!(f, "{separator}page {page}")?;
        }
        Ok(())
    }
}

/// Cause of an error, with the user's next step if there is one.
#[derive(Debug, Clone, thiserror::Error, PartialEq, Eq)]
pub enum Cause {
    /// The bytes are not a Parquet file, or its footer contradicts itself.
    #[error("not a readable Parquet file: {0}")]
    NotParquet(String),
    /// The file ends before data that its footer promises.
    #[error("the file is truncated: {0}")]
    Truncated(String),
    /// The file, or a column of it, is encrypted.
    #[error("the file is encrypted, which Pelton does not read; decrypt it with the tool that wrote it")]
    Encrypted,
    /// The file has changed since its footer was read.
    #[error("the file changed while it was being read; run the query again")]
    Changed,
    /// A page header does not parse, or contradicts its column chunk.
    #[error("bad page header: {0}")]
    BadHeader(String),
    /// A page's bytes do not match the CRC-32 that its header carries.
    #[error("page checksum differs: the header says {expected:08x}, the bytes give {found:08x}")]
    PageChecksum {
        /// The header's CRC-32.
        expected: u32,
        /// The CRC-32 of the bytes that follow the header.
        found: u32,
    },
    /// Parquet does not define the chunk's codec, or no decoder for it is here.
    #[error("codec {0} is not supported")]
    UnsupportedCodec(String),
    /// Decompression failed.
    #[error("{0}")]
    Decompress(String),
    /// A column of intervals, without a declaration of the parts in use: parquet-rs drops the parts
    /// that Arrow's type does not have.
    #[error("intervals of months, days and milliseconds are not supported; leave the column out")]
    Interval,
    /// The page's values can't be decoded.
    #[error("cannot decode: {0}")]
    Decode(String),
    /// A size exceeds a limit of the caller.
    #[error("{what} is {size} bytes, over the limit of {limit} bytes")]
    TooLarge {
        /// Name of the object.
        what: &'static str,
        /// Its size in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The file's store failed.
    #[error("cannot read: {0}")]
    Store(String),
    /// The output can't be written.
    #[error("cannot write: {0}")]
    Write(String),
    /// A filter over the decoded rows failed.
    #[error("{0}")]
    Predicate(String),
}

/// An error with its place, displayed as one line: `file: row group 2, column a, page 3: cause`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// Place of the error.
    pub place: Place,
    /// Cause of the error.
    pub cause: Cause,
}

impl Error {
    /// Returns an error at a place.
    pub fn new(place: Place, cause: Cause) -> Self {
        Self { place, cause }
    }
}

impl std::error::Error for Error {}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(OneLine(f), "{}: {}", self.place, self.cause)
    }
}

/// Escapes control characters, which would break the line or steer a terminal: names come from
/// files, damaged ones included.
struct OneLine<'a, 'b>(&'a mut fmt::Formatter<'b>);

impl Write for OneLine<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.chars().try_for_each(|c| match c.is_control() {
            true => write!(self.0, "{}", c.escape_default()),
            false => self.0.write_char(c),
        })
    }
}

/// Result with this crate's error.
pub type Result<T, E = Error> = std::result::Result<T, E>;
