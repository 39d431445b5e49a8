//! Destination of a file's bytes: a file that appears when it is whole, or a stream.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use super::atomic_file::{AtomicFile, is_stream};

/// A file in progress.
#[derive(Debug)]
pub enum OutputFile {
    /// A file that gets its name when it is committed.
    Atomic(AtomicFile),
    /// A file of an [`AtomicFolder`](super::AtomicFolder), which is committed as a whole.
    InFolder(File),
    /// A pipe, a device or a descriptor as `/dev/stdout`, which is written in place.
    Stream(File),
}

impl OutputFile {
    /// Opens a path for writing.
    ///
    /// # Errors
    /// No file can be created there.
    pub fn create(path: &Path) -> io::Result<Self> {
        match is_stream(path) {
            // a file behind a descriptor may hold the output of other commands, which comes first
            true => File::options().write(true).append(path.is_file()).open(path).map(Self::Stream),
            false => AtomicFile::create(path).map(Self::Atomic),
        }
    }

    /// Writes the bytes to disk. Only the name is missing then.
    ///
    /// # Errors
    /// The bytes can't be written.
    pub fn sync(&self) -> io::Result<()> {
        match self {
            Self::Atomic(file) => file.sync(),
            Self::InFolder(file) => file.sync_all(),
            Self::Stream(_) => Ok(()),
        }
    }

    /// Gives an atomic file its name.
    ///
    /// # Errors
    /// The bytes can't be written, or the name can't be given.
    pub fn commit(self) -> io::Result<()> {
        match self {
            Self::Atomic(file) => file.commit(),
            Self::InFolder(_) | Self::Stream(_) => Ok(()),
        }
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Atomic(file) => file.write(bytes),
            Self::InFolder(file) | Self::Stream(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Atomic(file) => file.flush(),
            Self::InFolder(file) | Self::Stream(file) => file.flush(),
        }
    }
}
