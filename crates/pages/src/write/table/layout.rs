//! What parquet-rs believes to be its file: it counts, and keeps what lies between the pages and
//! the end.
//!
//! parquet-rs lays a file out as if its pages had no codec. They are in none: they are on their way
//! through the router. Of what it writes, only bloom filters, indexes and the footer are kept, and
//! those get new places later.

use std::io::{self, Write};
use std::ops::Range;
use std::sync::{Arc, Mutex};

use super::lock;

/// Takes what parquet-rs writes. Clones are the same file.
#[derive(Debug, Clone, Default)]
pub(super) struct Layout(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    /// Bytes written.
    at: u64,
    /// Where what is kept begins; none: nothing is.
    keep_from: Option<u64>,
    kept: Vec<u8>,
}

impl Layout {
    /// Keeps what will be written from an offset on, which may be ahead of what has arrived here,
    /// as it is buffered.
    pub fn keep_from(&self, offset: u64) {
        self.state(|state| state.keep_from = Some(offset));
    }

    /// What was kept. Nothing more is.
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

/// A part of the file.
pub(super) struct Kept {
    /// Where it begins.
    from: u64,
    pub bytes: Vec<u8>,
}

impl Kept {
    /// The bytes at a place of the file, as its metadata has it; none if they are not there.
    pub fn get(&self, offset: Option<i64>, length: Option<i32>) -> Option<&[u8]> {
        let start = u64::try_from(offset?).ok()?.checked_sub(self.from)? as usize;
        let length = usize::try_from(length?).ok()?;
        self.bytes.get(Range { start, end: start.checked_add(length)? })
    }
}
