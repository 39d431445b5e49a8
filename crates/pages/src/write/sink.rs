//! Writing, and knowing where one is.

use std::io::Write;
use std::ops::Range;
use std::sync::Arc;

use crate::error::{Cause, Error, Place, Result};

/// What the new file's bytes go to.
pub(super) struct Sink<W> {
    to: W,
    at: u64,
    /// The name that errors have.
    file: Arc<str>,
}

impl<W: Write> Sink<W> {
    pub fn new(to: W, file: &Arc<str>) -> Self {
        Self { to, at: 0, file: file.clone() }
    }

    /// Bytes written so far.
    pub fn position(&self) -> u64 {
        self.at
    }

    /// Writes some pieces, and says where they are.
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

    /// Passes on what is buffered.
    pub fn flush(&mut self) -> Result<()> {
        self.to.flush().map_err(|e| self.error(&e))
    }

    /// What the bytes went to.
    pub fn into_inner(self) -> W {
        self.to
    }

    fn error(&self, error: &std::io::Error) -> Error {
        Error::new(Place::file(&self.file), Cause::Write(error.to_string()))
    }
}
