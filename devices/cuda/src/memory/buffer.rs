//! Memory of a GPU, and pinned host memory.

use std::ops::{Deref, DerefMut, Range};
use std::sync::Arc;

use crate::driver::{Context, DeviceMemory, HostPinned};
use crate::gpu::Inner;
use crate::host::HostMemory;
use crate::{Error, Result};

/// Bytes in a GPU's memory. Freed when dropped, after the work queued on any stream before.
pub struct Buffer {
    inner: Arc<Inner>,
    memory: Memory,
    len: usize,
}

pub(crate) enum Memory {
    Host(HostMemory),
    Cuda(DeviceMemory),
}

impl Memory {
    pub fn host(&self) -> Result<&HostMemory> {
        match self {
            Memory::Host(memory) => Ok(memory),
            Memory::Cuda(_) => Err(Error::bad_call("the buffer is another GPU's")),
        }
    }

    pub fn cuda(&self) -> Result<&DeviceMemory> {
        match self {
            Memory::Cuda(memory) => Ok(memory),
            Memory::Host(_) => Err(Error::bad_call("the buffer is another GPU's")),
        }
    }
}

impl Buffer {
    pub(crate) fn new(inner: Arc<Inner>, memory: Memory, len: usize) -> Buffer {
        Buffer { inner, memory, len }
    }

    /// Returns the address that kernels use: a multiple of 256.
    pub fn address(&self) -> u64 {
        match &self.memory {
            Memory::Host(memory) => memory.address(),
            Memory::Cuda(memory) => memory.address(),
        }
    }

    /// Returns the length in bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether the length is zero.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(crate) fn memory(&self) -> &Memory {
        &self.memory
    }

    pub(crate) fn belongs_to(&self, inner: &Arc<Inner>) -> bool {
        Arc::ptr_eq(&self.inner, inner)
    }

    /// Returns the bytes `offset..offset + bytes`, if they are in the buffer.
    pub(crate) fn range(&self, what: &'static str, offset: usize, bytes: usize) -> Result<Range<usize>> {
        match offset.checked_add(bytes) {
            Some(end) if end <= self.len => Ok(offset..end),
            _ => Err(Error::OutOfBounds { what, offset, bytes, len: self.len }),
        }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        self.inner.budget.release(self.len);
    }
}

impl std::fmt::Debug for Buffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Buffer({:#x}, {} bytes)", self.address(), self.len)
    }
}

/// Host memory that the GPU reads directly, at full speed. `bytes::Bytes::from_owner` takes it.
pub struct Pinned {
    memory: PinnedMemory,
}

enum PinnedMemory {
    Pageable(Vec<u8>),
    Pinned(HostPinned),
}

impl Pinned {
    pub(crate) fn pageable(bytes: usize) -> Pinned {
        Pinned { memory: PinnedMemory::Pageable(vec![0; bytes]) }
    }

    pub(crate) fn page_locked(context: &Arc<Context>, bytes: usize) -> Result<Pinned> {
        Ok(Pinned { memory: PinnedMemory::Pinned(HostPinned::new(context, bytes)?) })
    }
}

impl Deref for Pinned {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.memory {
            PinnedMemory::Pageable(bytes) => bytes,
            PinnedMemory::Pinned(memory) => memory.bytes(),
        }
    }
}

impl DerefMut for Pinned {
    fn deref_mut(&mut self) -> &mut [u8] {
        match &mut self.memory {
            PinnedMemory::Pageable(bytes) => bytes,
            PinnedMemory::Pinned(memory) => memory.bytes_mut(),
        }
    }
}

impl AsRef<[u8]> for Pinned {
    fn as_ref(&self) -> &[u8] {
        self
    }
}
