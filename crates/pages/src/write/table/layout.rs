//! Layout of the file as parquet-rs writes it, without a codec.
//!
//! parquet-rs writes placeholders instead of pages, because the real pages are in the router. These
//! are only counted. The bloom filters, indexes and the footer that follow them are kept, and get
//! their final offsets later.

use std::io::{self, Write};
use std::ops::Range;
use std::sync::{Arc, Mutex};

use super::lock;

/// Destination of parquet-rs's output. Clones share the same layout.
#[derive(Debug, Clone, Default)]
pub(super) struct Layout(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    /// Bytes written.
    at: u64,
    /// Offset from which bytes are kept; `None` if they are only counted.
    keep_from: Option<u64>,
    kept: Vec<u8>,
}

impl Layout {
    /// Keeps the bytes from an offset on. The offset may exceed the bytes that have arrived,
    /// because parquet-rs buffers its output.
    pub fn keep_from(&self, offset: u64) {
        self.state(|state| state.keep_from = Some(offset));
    }

    /// Returns the kept bytes, and stops keeping them.
    pub fn take(&self) -> Kept {
        self.state(|state| {
            let from = state.keep_from.take().unwrap_or(state.at);
            Kept { from, bytes: std::mem::take(&mut state.kept) }
        })
    }

    fn state<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        change(&mut lock(&self.0))
    }
}

impl Write for Layout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.state(|state| {
            if let Some(from) = state.keep_from {
                let skip = from.saturating_sub(state.at).min(bytes.len() as u64) as usize;
                state.kept.extend_from_slice(&bytes[skip..]);
            }
            state.at += bytes.len() as u64;
        });
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Bytes of a part of the file.
pub(super) struct Kept {
    /// Offset of the first byte.
    from: u64,
    pub bytes: Vec<u8>,
}

impl Kept {
    /// Returns the bytes at an offset in the file's metadata; `None` if they were not kept.
    pub fn get(&self, offset: Option<i64>, length: Option<i32>) -> Option<&[u8]> {
        let start = u64::try_from(offset?).ok()?.checked_sub(self.from)? as usize;
        let length = usize::try_from(length?).ok()?;
        self.bytes.get(Range { start, end: start.checked_add(length)? })
    }
}
