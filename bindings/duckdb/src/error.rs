//! Errors, in the words that DuckDB's users see.

/// An error of Pelton; DuckDB takes its text.
#[derive(Debug, Clone, thiserror::Error, PartialEq, Eq)]
pub enum Error {
    /// An invalid argument or setting.
    #[error("{0}")]
    Argument(String),
    /// The files do not make one table.
    #[error("{0}")]
    Table(String),
    /// Reading a file failed.
    #[error(transparent)]
    Pages(#[from] pelton_pages::Error),
    /// A scan range does not fit into the memory limit.
    #[error(
        "{file}: a window of rows needs {needed} bytes, and of the {limit} that pelton_memory allows {used} are in use; \
         set pelton_memory higher, or pelton_threads lower"
    )]
    OutOfMemory {
        /// The file that was being read.
        file: String,
        /// Requested bytes.
        needed: usize,
        /// Bytes in use.
        used: usize,
        /// Limit in bytes.
        limit: usize,
    },
    /// A value does not fit DuckDB's type.
    #[error("{0}")]
    Value(String),
    /// A device or a thread cannot be had.
    #[error("{0}")]
    Unavailable(String),
}

impl Error {
    /// Returns the error with the file and the column at which it came up, if it does not name them
    /// itself.
    pub fn at(self, file: &str, column: &str) -> Error {
        match self {
            Error::Value(what) => Error::Value(format!("{file}: column {column}: {what}")),
            other => other,
        }
    }
}

impl From<Error> for String {
    fn from(error: Error) -> String {
        error.to_string()
    }
}

/// Result with this crate's error.
pub type Result<T, E = Error> = std::result::Result<T, E>;
