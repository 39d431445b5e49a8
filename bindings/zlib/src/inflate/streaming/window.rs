//! Window of a decompressing stream: its own, or one that it borrows for a call.
//!
//! The first streams of a process have windows of their own, and so have those on an allocator of
//! the caller's. Others keep only the bytes within reach of matches, and copy them into a window of
//! the process's for each call.

use libz_rs_sys::z_stream;
use pelton_codec::{Progress, STREAM_MAX_KEPT, STREAM_WINDOW, StreamInflater, StreamState, StreamStop};

use crate::buffer::{Buffer, NoMemory};
use crate::memory;
use crate::pool::{Place, Places, Pool};

/// Places of the streams with windows of their own.
static PLACES: Places = Places::new(64);

/// The windows that calls borrow.
static WINDOWS: Pool<Vec<u8>> = Pool::new();

/// Frees the windows that no call has borrowed.
pub fn free_pool() {
    WINDOWS.clear();
}

/// Capacities for kept bytes. With few of them a buffer grows seldom, and wastes little.
const CAPACITIES: [usize; 3] = [2 << 10, 8 << 10, STREAM_MAX_KEPT];

/// Maximum distance of a match.
const MAX_DISTANCE: usize = 32 << 10;

/// The window of a stream between calls.
pub struct StreamWindow {
    /// The whole window, or the kept bytes.
    bytes: Buffer,
    is_own: bool,
    _place: Option<Place>,
}

impl StreamWindow {
    /// Returns the window of a new stream; `None` without memory.
    pub fn new(strm: &z_stream) -> Option<Self> {
        let mut bytes = Buffer::new(strm);
        let place = if memory::uses_malloc(strm) { PLACES.take() } else { None };
        let is_own = place.is_some() || !memory::uses_malloc(strm);
        if is_own {
            bytes.resize(STREAM_WINDOW).ok()?;
        }
        Some(Self { bytes, is_own, _place: place })
    }

    /// Returns a copy for another stream, which has no place.
    pub fn copy(&self) -> Result<Self, NoMemory> {
        Ok(Self { bytes: self.bytes.copy()?, is_own: self.is_own, _place: None })
    }

    /// Forgets all bytes, for another stream.
    pub fn clear(&mut self) {
        if !self.is_own {
            self.bytes.clear();
        }
    }

    /// Returns the bytes between calls.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Decompresses; `None`, with no change, without memory.
    pub fn inflate(
        &mut self,
        inflater: &mut StreamInflater,
        input: &[u8],
        output: &mut [u8],
        stop: StreamStop,
    ) -> Option<(Progress, StreamState)> {
        self.with(inflater, output.len(), |inflater, window| inflater.inflate(window, input, output, stop))
    }

    /// Runs `work`, which appends at most `more` bytes and those of a symbol, with the whole
    /// window. `None`, with no change, without memory.
    pub fn with<R>(
        &mut self,
        inflater: &mut StreamInflater,
        more: usize,
        work: impl FnOnce(&mut StreamInflater, &mut [u8; STREAM_WINDOW]) -> R,
    ) -> Option<R> {
        let Self { bytes, is_own, .. } = self;
        if *is_own {
            return Some(work(inflater, bytes.first_chunk_mut()?));
        }
        let needed = bytes.len().saturating_add(more).saturating_add(STREAM_MAX_KEPT - MAX_DISTANCE);
        let capacity = CAPACITIES.into_iter().find(|&capacity| capacity >= needed);
        bytes.reserve(capacity.unwrap_or(STREAM_MAX_KEPT)).ok()?;
        WINDOWS.try_with(window, |window| {
            let window: &mut [u8; STREAM_WINDOW] = window.first_chunk_mut()?;
            window[..bytes.len()].copy_from_slice(bytes);
            let result = work(inflater, window);
            bytes.clear();
            // The capacity was reserved.
            bytes.extend_from_slice(inflater.keep(window)).ok()?;
            Some(result)
        })?
    }
}

/// Returns a window; `None` without memory.
fn window() -> Option<Vec<u8>> {
    let mut window = Vec::new();
    window.try_reserve_exact(STREAM_WINDOW).ok()?;
    window.resize(STREAM_WINDOW, 0);
    Some(window)
}
