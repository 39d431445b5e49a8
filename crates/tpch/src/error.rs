//! Errors of generating, running and measuring: one line each, with the next step where there is
//! one.

use std::error::Error as StdError;
use std::io;
use std::path::{Path, PathBuf};

/// An error of generating, running or measuring.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The caller's argument makes no sense; the text says which ones do.
    #[error("{0}")]
    Argument(String),
    /// A file or folder could not be read or written.
    #[error("{path}: {source}", path = .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Message of the operating system.
        source: io::Error,
    },
    /// The disk filled up.
    #[error(
        "no space left for {path}: free some, or choose a folder on another disk (nothing was left behind)",
        path = .path.display()
    )]
    NoSpace {
        /// The file that was being written.
        path: PathBuf,
    },
    /// Parquet could not be written.
    #[error("{path}: {source}", path = .path.display())]
    Parquet {
        /// The file that was being written.
        path: PathBuf,
        /// Message of the Parquet writer.
        source: parquet::errors::ParquetError,
    },
    /// Arrow refused a batch: a bug of this crate.
    #[error("making a batch failed, which is a bug in Pelton: {0}")]
    Arrow(#[from] arrow::error::ArrowError),
    /// Printing failed.
    #[error("cannot print: {0}")]
    Output(io::Error),
    /// Pelton refused or failed.
    #[error("{0}")]
    Engine(Box<pelton::Error>),
    /// Another engine, or the process that hosts it, refused or failed.
    #[error("{name}: {reason}")]
    Rival {
        /// The engine.
        name: String,
        /// Its message, or the fate of its process.
        reason: String,
    },
    /// A codec on a device failed, or gave a wrong result.
    #[error("{name}: {reason}")]
    Codec {
        /// The codec.
        name: String,
        /// Description of the failure.
        reason: String,
    },
    /// A device that was to be measured is not there, or failed.
    #[error("{0}")]
    Device(String),
    /// A file has unexpected content.
    #[error("{path}: {reason}", path = .path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Description of the content's fault.
        reason: String,
    },
}

impl Error {
    /// Returns an input or output error on `path`; a full disk becomes [`Error::NoSpace`].
    pub fn io(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull => Error::NoSpace { path },
            _ => Error::Io { path, source },
        }
    }

    /// Returns an error on the stream that results are printed on.
    pub fn output(source: io::Error) -> Self {
        Error::Output(source)
    }

    /// Wraps an error of Pelton's engine; boxed, since it is much larger than the others.
    pub fn engine(source: pelton::Error) -> Self {
        Error::Engine(Box::new(source))
    }

    /// Returns a Parquet error on `path`; a full disk below it becomes [`Error::NoSpace`].
    pub fn parquet(path: &Path, source: parquet::errors::ParquetError) -> Self {
        let path = path.to_owned();
        if is_storage_full(&source) { Error::NoSpace { path } } else { Error::Parquet { path, source } }
    }
}

fn is_storage_full(error: &(dyn StdError + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(error) = next {
        if error.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::StorageFull) {
            return true;
        }
        next = error.source();
    }
    false
}
