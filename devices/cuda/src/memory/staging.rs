//! Pool of pinned host memory for data on its way from files to the GPU.
//!
//! From memory that is not pinned the driver copies in pieces, through pinned memory of its own, at
//! a fraction of the bus's speed, and a queued copy may block the caller until it is done. Pinning
//! memory takes the system about as long as copying it, so pinned memory is kept for the next scan
//! range.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use super::buffer::Pinned;
use crate::Gpu;

/// Minimum size of a piece: smaller copies return at once for any memory (CUDA driver API, "API
/// synchronization behavior").
const SMALLEST: usize = 64 << 10;

/// Pool of pinned memory, in pieces of powers of two.
pub struct StagingPool {
    gpu: Gpu,
    /// Maximum number of bytes in all pieces. While some are freed for others, both exist for a
    /// moment.
    limit: usize,
    state: Mutex<State>,
    taken: AtomicU64,
    refused: AtomicU64,
}

#[derive(Default)]
struct State {
    /// Unused pieces, by size.
    free: BTreeMap<usize, Vec<Pinned>>,
    /// Bytes of all pieces.
    pinned: usize,
}

impl State {
    /// Returns a free piece.
    fn take(&mut self, size: usize) -> Option<Pinned> {
        self.free.get_mut(&size)?.pop()
    }

    /// Counts `bytes` more as pinned, and returns the free pieces to unpin, outside the lock, to
    /// stay below `limit`. `None` if the pieces in use leave too little.
    fn make_room(&mut self, bytes: usize, limit: usize) -> Option<Vec<Pinned>> {
        let free: usize = self.free.iter().map(|(size, pieces)| size * pieces.len()).sum();
        if (self.pinned - free).saturating_add(bytes) > limit {
            return None;
        }
        let mut let_go = Vec::new();
        while self.pinned + bytes > limit {
            let piece = self.free.values_mut().rev().find_map(Vec::pop)?;
            self.pinned -= piece.len();
            let_go.push(piece);
        }
        self.pinned += bytes;
        Some(let_go)
    }
}

/// Counts of requests for pinned memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StagingStats {
    /// Requests that got a piece.
    pub taken: u64,
    /// Requests that got none, because of the limit or of the system.
    pub refused: u64,
}

impl StagingPool {
    /// Makes a pool of up to `limit` bytes.
    pub fn new(gpu: &Gpu, limit: usize) -> Arc<StagingPool> {
        let (taken, refused) = (AtomicU64::new(0), AtomicU64::new(0));
        Arc::new(StagingPool { gpu: gpu.clone(), limit, state: Mutex::default(), taken, refused })
    }

    /// Takes a piece of at least `bytes` bytes, with undefined contents. `None` if no pinned memory
    /// is left, or the size is too small to matter.
    pub fn take(self: &Arc<Self>, bytes: usize) -> Option<Staging> {
        if bytes < SMALLEST {
            return None;
        }
        let found = bytes.checked_next_power_of_two().and_then(|size| self.piece(size));
        let counter = if found.is_some() { &self.taken } else { &self.refused };
        counter.fetch_add(1, Relaxed);
        Some(Staging { memory: Some(found?), pool: Arc::downgrade(self) })
    }

    fn piece(&self, size: usize) -> Option<Pinned> {
        let let_go = {
            let mut state = self.state.lock();
            if let Some(piece) = state.take(size) {
                return Some(piece);
            }
            state.make_room(size, self.limit)?
        };
        drop(let_go);
        let piece = self.gpu.pinned(size).ok();
        if piece.is_none() {
            self.state.lock().pinned -= size;
        }
        piece
    }

    fn give_back(&self, piece: Pinned) {
        self.state.lock().free.entry(piece.len()).or_default().push(piece);
    }

    /// Returns the counts so far.
    pub fn stats(&self) -> StagingStats {
        StagingStats { taken: self.taken.load(Relaxed), refused: self.refused.load(Relaxed) }
    }

    /// Returns the bytes that are pinned.
    pub fn pinned(&self) -> usize {
        self.state.lock().pinned
    }
}

impl std::fmt::Debug for StagingPool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (limit, pinned, stats) = (self.limit, self.pinned(), self.stats());
        f.debug_struct("StagingPool")
            .field("limit", &limit)
            .field("pinned", &pinned)
            .field("stats", &stats)
            .finish()
    }
}

/// A piece of pinned memory, which goes back to its pool when it is dropped.
pub struct Staging {
    /// Some until it is dropped.
    memory: Option<Pinned>,
    pool: Weak<StagingPool>,
}

impl AsRef<[u8]> for Staging {
    fn as_ref(&self) -> &[u8] {
        self.memory.as_deref().unwrap_or_default()
    }
}

impl AsMut<[u8]> for Staging {
    fn as_mut(&mut self) -> &mut [u8] {
        self.memory.as_deref_mut().unwrap_or_default()
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if let (Some(memory), Some(pool)) = (self.memory.take(), self.pool.upgrade()) {
            pool.give_back(memory);
        }
    }
}

impl std::fmt::Debug for Staging {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Staging({} bytes)", self.as_ref().len())
    }
}
