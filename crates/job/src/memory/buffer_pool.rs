//! Buffer pool: memory of dropped inputs and outputs, reused for later ones.
//!
//! Page faults on a fresh buffer take longer than LZ4 takes to fill it. Buffers come and go by the
//! hundred in a few sizes, so most of them can have the memory of an earlier one.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;

use crate::util::lock;

/// Minimum size of a pooled buffer. The allocator has smaller memory at hand, and zeroing it takes
/// less than a microsecond.
const MIN_SIZE: usize = 16 << 10;

/// Buffers of one router that are free for reuse.
pub(crate) struct BufferPool {
    /// Maximum bytes of free buffers.
    limit: usize,
    free: Mutex<FreeBuffers>,
}

/// Free buffers by size, and those of one size by age.
#[derive(Default)]
struct FreeBuffers {
    buffers: BTreeMap<(usize, u64), Vec<u8>>,
    /// Sizes by age.
    ages: BTreeMap<u64, usize>,
    /// Age of the next buffer that returns.
    now: u64,
    bytes: usize,
}

impl FreeBuffers {
    /// Removes the smallest buffer that fits; among several, the one that returned last, which is
    /// still in the cache.
    fn take(&mut self, len: usize) -> Option<Vec<u8>> {
        let fitting = (len, 0)..=(len.saturating_mul(2), u64::MAX);
        let (&(size, _), _) = self.buffers.range(fitting).next()?;
        let (&key, _) = self.buffers.range((size, 0)..=(size, u64::MAX)).next_back()?;
        self.remove(key)
    }

    fn remove(&mut self, key: (usize, u64)) -> Option<Vec<u8>> {
        let buffer = self.buffers.remove(&key)?;
        self.ages.remove(&key.1);
        self.bytes -= key.0;
        Some(buffer)
    }

    fn insert(&mut self, buffer: Vec<u8>) {
        self.bytes += buffer.len();
        self.ages.insert(self.now, buffer.len());
        self.buffers.insert((buffer.len(), self.now), buffer);
        self.now += 1;
    }

    fn remove_oldest(&mut self) -> Option<Vec<u8>> {
        let (&age, &size) = self.ages.first_key_value()?;
        self.remove((size, age))
    }
}

impl BufferPool {
    pub(crate) fn new(limit: usize) -> Arc<BufferPool> {
        Arc::new(BufferPool { limit, free: Mutex::default() })
    }

    /// Returns a buffer of at least `len` bytes; a reused one has at most twice that. The contents
    /// are unspecified.
    pub(crate) fn take(&self, len: usize) -> Vec<u8> {
        let free = if len >= MIN_SIZE { lock(&self.free).take(len) } else { None };
        free.unwrap_or_else(|| vec![0; len])
    }

    /// Returns a buffer to the pool, and frees the oldest ones above the limit.
    fn put_back(&self, buffer: Vec<u8>) {
        let mut evicted = Vec::new();
        if (MIN_SIZE..=self.limit).contains(&buffer.len()) {
            let mut free = lock(&self.free);
            free.insert(buffer);
            while free.bytes > self.limit
                && let Some(oldest) = free.remove_oldest()
            {
                evicted.push(oldest);
            }
        }
        // Freed here, without the lock.
        drop(evicted);
    }
}

/// A buffer that returns to its pool when it is dropped.
pub(crate) struct PooledBuffer {
    pub(crate) buffer: Vec<u8>,
    /// Bytes in use, from the start.
    pub(crate) used: usize,
    pub(crate) pool: Arc<BufferPool>,
}

impl PooledBuffer {
    /// Returns the used bytes, with an unlimited lifetime. They are copied to memory of their own
    /// size if that frees more than half of the buffer: compressed output is far smaller than the
    /// capacity that it needs.
    pub(crate) fn into_bytes(mut self) -> Bytes {
        if self.used < self.buffer.len() / 2 {
            Bytes::copy_from_slice(self.as_ref())
        } else if self.buffer.len() < MIN_SIZE {
            let mut buffer = std::mem::take(&mut self.buffer);
            buffer.truncate(self.used);
            Bytes::from(buffer)
        } else {
            Bytes::from_owner(self)
        }
    }
}

impl AsRef<[u8]> for PooledBuffer {
    fn as_ref(&self) -> &[u8] {
        &self.buffer[..self.used]
    }
}

impl Drop for PooledBuffer {
    fn drop(&mut self) {
        self.pool.put_back(std::mem::take(&mut self.buffer));
    }
}

#[cfg(test)]
mod tests;
