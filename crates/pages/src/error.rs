//! What can go wrong between a Parquet file and decoded rows, and where.

use std::fmt::{self, Write};
use std::sync::Arc;

/// Where in a Parquet file an error was found. Parts that are not known, or that do not apply, are
/// absent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// The file's path or URL as the user would recognise it.
    pub file: Arc<str>,
    /// Index of the row group in the file, from 0.
    pub row_group: Option<usize>,
    /// Dotted path of the leaf column.
    pub column: Option<Arc<str>>,
    /// Index of the page in its column chunk, from 0; a dictionary page counts as one.
    pub page: Option<usize>,
}

impl Place {
    /// A place that names the file only.
    pub fn file(file: &Arc<str>) -> Self {
        Self { file: file.clone(), ..Self::default() }
    }

    /// The same file, in the given row group.
    pub fn row_group(mut self, row_group: usize) -> Self {
        self.row_group = Some(row_group);
        self
    }

    /// The same row group, in the given column.
    pub fn column(mut self, column: impl Into<Arc<str>>) -> Self {
        self.column = Some(column.into());
        self
    }

    /// The same column, in the given page.
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

/// Why reading failed, each with what the caller can do where that is known.
#[derive(Debug, Clone, thiserror::Error, PartialEq, Eq)]
pub enum Cause {
    /// The bytes are no Parquet file, or its footer does not hold together.
    #[error("not a readable Parquet file: {0}")]
    NotParquet(String),
    /// The file ends before something that its footer promises.
    #[error("the file is truncated: {0}")]
    Truncated(String),
    /// The file, or a column of it, is encrypted.
    #[error("the file is encrypted, which Pelton does not read; decrypt it with the tool that wrote it")]
    Encrypted,
    /// The file is not the one whose footer was read.
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
    /// The chunk's codec is one that Parquet does not define, or that nothing here decodes.
    #[error("codec {0} is not supported")]
    UnsupportedCodec(String),
    /// Decompression failed.
    #[error("{0}")]
    Decompress(String),
    /// A column of intervals whose writer did not say which of their parts it uses: Arrow has a
    /// type for each, and parquet-rs drops the parts that its type has not.
    #[error("intervals of months, days and milliseconds are not supported; leave the column out")]
    Interval,
    /// The page's values do not decode.
    #[error("cannot decode: {0}")]
    Decode(String),
    /// A size is over a limit that the caller set.
    #[error("{what} is {size} bytes, over the limit of {limit} bytes")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// Its size in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The store that holds the file failed.
    #[error("cannot read: {0}")]
    Store(String),
    /// What was to be written can't be.
    #[error("cannot write: {0}")]
    Write(String),
    /// A filter over the decoded rows failed.
    #[error("{0}")]
    Predicate(String),
}

/// An error with its place. Displays as one line: `file: row group 2, column a, page 3: cause`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// Where.
    pub place: Place,
    /// Why.
    pub cause: Cause,
}

impl Error {
    /// An error at a place.
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

/// Names come from files, damaged ones too: characters that would break the line or steer a
/// terminal are escaped.
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
