//! Memory of outputs that were dropped, kept for outputs to come.
//!
//! A fresh megabyte costs 0.4 ms in page faults and 0.03 ms to be zeroed (measured on an AMD EPYC (Zen 5), 2
//! cores, in 2026-11), and LZ4 fills it in 0.1 ms, gzip in 0.7 ms. Outputs come and go in their hundreds, of
//! a few sizes, so most of them can have the memory of an earlier one.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use bytes::Bytes;

use crate::sync::lock;

/// A smaller buffer is the allocator's business: it has such memory at hand, and zeroing it takes under a
/// microsecond.
const SMALLEST: usize = 16 << 10;

/// How many of the kept buffers are looked at for one that fits. Buffers given back last are looked at first:
/// what is in use has few sizes, and what was used last is in the cache still.
const LOOKED_AT: usize = 64;

/// See the module.
pub(crate) struct Recycler {
    /// The most bytes that are kept.
    limit: usize,
    kept: Mutex<Kept>,
}

/// Buffers, that which was given back last at the end, and their bytes.
#[derive(Default)]
struct Kept {
    buffers: VecDeque<Vec<u8>>,
    bytes: usize,
}

impl Recycler {
    pub(crate) fn new(limit: usize) -> Arc<Recycler> {
        Arc::new(Recycler { limit, kept: Mutex::default() })
    }

    /// A buffer of at least `len` bytes and, if it was used before, at most twice that. What it holds is
    /// unspecified.
    pub(crate) fn take(&self, len: usize) -> Vec<u8> {
        if len >= SMALLEST {
            let mut kept = lock(&self.kept);
            let fits = |buffer: &Vec<u8>| (len..=len.saturating_mul(2)).contains(&buffer.len());
            let recent = kept.buffers.len().saturating_sub(LOOKED_AT);
            if let Some(at) = kept.buffers.range(recent..).rposition(fits)
                && let Some(buffer) = kept.buffers.remove(recent + at)
            {
                kept.bytes -= buffer.len();
                return buffer;
            }
        }
        vec![0; len]
    }

    /// Keep a buffer, and let go of the oldest ones if that is too much.
    fn give(&self, buffer: Vec<u8>) {
        let mut let_go = Vec::new();
        if (SMALLEST..=self.limit).contains(&buffer.len()) {
            let mut kept = lock(&self.kept);
            kept.bytes += buffer.len();
            kept.buffers.push_back(buffer);
            while kept.bytes > self.limit
                && let Some(oldest) = kept.buffers.pop_front()
            {
                kept.bytes -= oldest.len();
                let_go.push(oldest);
            }
        }
        // Freed here, without the lock.
        drop(let_go);
    }
}

/// A buffer that goes back when it is dropped.
pub(crate) struct Recycled {
    pub(crate) buffer: Vec<u8>,
    /// How much of it is anybody's business.
    pub(crate) used: usize,
    pub(crate) recycler: Arc<Recycler>,
}

impl Recycled {
    /// The used bytes, to be kept for as long as anybody likes. They are moved to memory of their own size
    /// where that frees more than half of the buffer: compressed output is far smaller than the room that it
    /// has to be given.
    pub(crate) fn into_bytes(mut self) -> Bytes {
        if self.used < self.buffer.len() / 2 {
            Bytes::copy_from_slice(self.as_ref())
        } else if self.buffer.len() < SMALLEST {
            let mut buffer = std::mem::take(&mut self.buffer);
            buffer.truncate(self.used);
            Bytes::from(buffer)
        } else {
            Bytes::from_owner(self)
        }
    }
}

impl AsRef<[u8]> for Recycled {
    fn as_ref(&self) -> &[u8] {
        &self.buffer[..self.used]
    }
}

impl Drop for Recycled {
    fn drop(&mut self) {
        self.recycler.give(std::mem::take(&mut self.buffer));
    }
}

#[cfg(test)]
mod tests;
