//! Writer that knows its offset in the file.

use std::io::Write;
use std::ops::Range;
use std::sync::Arc;

use crate::error::{Cause, Error, Place, Result};

/// The destination of a new file's bytes.
pub(super) struct Sink<W> {
    to: W,
    at: u64,
    /// Name of the file in errors.
    file: Arc<str>,
}

impl<W: Write> Sink<W> {
    pub fn new(to: W, file: &Arc<str>) -> Self {
        Self { to, at: 0, file: file.clone() }
    }

    /// Returns the bytes written so far.
    pub fn position(&self) -> u64 {
        self.at
    }

    /// Writes slices one after the other, and returns their range in the file.
    ///
    /// # Errors
    /// They can't be written.
    pub fn write(&mut self, pieces: &[&[u8]]) -> Result<Range<u64>> {
        let start = self.at;
        for piece in pieces {
            self.to.write_all(piece).map_err(|e| self.error(&e))?;
            self.at += piece.len() as u64;
        }
        Ok(start..self.at)
    }

    /// Flushes the destination.
    pub fn flush(&mut self) -> Result<()> {
        self.to.flush().map_err(|e| self.error(&e))
    }

    /// Returns the destination.
    pub fn into_inner(self) -> W {
        self.to
    }

    fn error(&self, error: &std::io::Error) -> Error {
        Error::new(Place::file(&self.file), Cause::Write(error.to_string()))
    }
}
