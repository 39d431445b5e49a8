//! Buffers for a job's input and output.

use std::sync::Arc;

use bytes::Bytes;

use super::buffer_pool::{BufferPool, PooledBuffer};
use crate::job::Job;

/// Buffer for a job's output: the prefix, then capacity for exactly the bytes that the job
/// declares.
pub struct OutputBuffer {
    memory: PooledBuffer,
    prefix_len: usize,
}

impl OutputBuffer {
    pub(crate) fn new(job: &Job, pool: &Arc<BufferPool>) -> OutputBuffer {
        let prefix_len = job.prefix.len();
        let used = prefix_len.saturating_add(job.output.max_len());
        let mut buffer = pool.take(used);
        buffer[..prefix_len].copy_from_slice(&job.prefix);
        OutputBuffer { memory: PooledBuffer { buffer, used, pool: Arc::clone(pool) }, prefix_len }
    }

    /// Returns the slice for the operation's own bytes. Its contents are unspecified, as it may be
    /// the memory of an earlier job.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        &mut self.memory.buffer[self.prefix_len..self.memory.used]
    }

    /// Returns the prefix and the first `produced` bytes after it.
    pub fn finish(mut self, produced: usize) -> Bytes {
        self.memory.used = self.memory.used.min(self.prefix_len.saturating_add(produced));
        self.memory.into_bytes()
    }
}

/// Buffer for bytes that are computed or read to become a job's input.
pub struct InputBuffer {
    memory: InputMemory,
}

enum InputMemory {
    Pooled(PooledBuffer),
    /// Memory of the caller, and the number of bytes in use.
    Owned(Box<dyn HostMemory>, usize),
}

/// Memory that one thread fills and any thread reads afterwards.
pub trait HostMemory: AsRef<[u8]> + AsMut<[u8]> + Send + Sync {}

impl<T: AsRef<[u8]> + AsMut<[u8]> + Send + Sync> HostMemory for T {}

/// Sized wrapper, since [`Bytes`] takes no unsized owner.
struct Owner(Box<dyn HostMemory>);

impl AsRef<[u8]> for Owner {
    fn as_ref(&self) -> &[u8] {
        (*self.0).as_ref()
    }
}

impl InputBuffer {
    pub(crate) fn new(len: usize, pool: &Arc<BufferPool>) -> InputBuffer {
        let (buffer, pool) = (pool.take(len), Arc::clone(pool));
        InputBuffer { memory: InputMemory::Pooled(PooledBuffer { buffer, used: len, pool }) }
    }

    /// Returns a buffer in fresh memory, for callers without a router.
    pub fn fresh(len: usize) -> InputBuffer {
        InputBuffer::new(len, &BufferPool::new(0))
    }

    /// Returns a buffer over the first `len` bytes of other memory, such as memory that a device
    /// copies from. The memory is dropped with the last reference to the bytes.
    ///
    /// # Panics
    /// The memory has fewer than `len` bytes.
    pub fn of(mut memory: impl HostMemory + 'static, len: usize) -> InputBuffer {
        let capacity = memory.as_mut().len();
        assert!(len <= capacity, "{len} bytes in memory of {capacity}");
        InputBuffer { memory: InputMemory::Owned(Box::new(memory), len) }
    }

    /// Returns the slice to fill. Its contents are unspecified, as it may be the memory of an
    /// earlier job.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        match &mut self.memory {
            InputMemory::Pooled(memory) => &mut memory.buffer[..memory.used],
            InputMemory::Owned(memory, len) => &mut (**memory).as_mut()[..*len],
        }
    }

    /// Returns the filled slice.
    pub fn finish(self) -> Bytes {
        match self.memory {
            InputMemory::Pooled(memory) => memory.into_bytes(),
            InputMemory::Owned(memory, len) => Bytes::from_owner(Owner(memory)).slice(..len),
        }
    }
}

#[cfg(test)]
mod tests;
