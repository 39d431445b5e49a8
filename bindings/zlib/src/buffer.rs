//! Vector of bytes in memory of the caller's `zalloc`.
//!
//! A program with an allocator of its own may free all its memory at once and never end the stream,
//! as nginx does when a client disconnects. So streams keep no data elsewhere.

use std::ffi::c_void;
use std::ops::{Deref, DerefMut};
use std::ptr::{self, NonNull};
use std::slice;

use libz_rs_sys::{alloc_func, free_func, z_stream};

/// Error: the allocator has no memory left.
#[derive(Debug)]
pub struct NoMemory;

/// A vector of bytes in memory of a stream's allocator.
pub struct Buffer {
    address: NonNull<u8>,
    len: usize,
    capacity: usize,
    alloc: Allocator,
}

/// The memory functions of a stream.
#[derive(Clone, Copy)]
struct Allocator {
    alloc: Option<alloc_func>,
    free: Option<free_func>,
    opaque: *mut c_void,
}

impl Buffer {
    /// Returns an empty buffer for a stream with its memory functions set.
    pub fn new(strm: &z_stream) -> Self {
        Self::of(Allocator { alloc: strm.zalloc, free: strm.zfree, opaque: strm.opaque })
    }

    fn of(alloc: Allocator) -> Self {
        Self { address: NonNull::dangling(), len: 0, capacity: 0, alloc }
    }

    /// Returns the bytes that fit without another allocation.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Makes the capacity at least `capacity` bytes.
    pub fn reserve(&mut self, capacity: usize) -> Result<(), NoMemory> {
        if capacity <= self.capacity || self.move_to(capacity).is_some() { Ok(()) } else { Err(NoMemory) }
    }

    /// Moves the bytes to a new allocation; `None` if there is no memory.
    fn move_to(&mut self, capacity: usize) -> Option<()> {
        let Allocator { alloc, opaque, .. } = self.alloc;
        let (alloc, size) = (alloc?, u32::try_from(capacity).ok()?);
        // SAFETY: zlib calls it the same way.
        let address = NonNull::new(unsafe { alloc(opaque, 1, size) }.cast::<u8>())?;
        // SAFETY: the new memory is larger than the old, and apart from it.
        unsafe { ptr::copy_nonoverlapping(self.address.as_ptr(), address.as_ptr(), self.len) };
        self.release();
        (self.address, self.capacity) = (address, capacity);
        Some(())
    }

    fn release(&mut self) {
        let Allocator { free, opaque, .. } = self.alloc;
        if let Some(free) = free.filter(|_| self.capacity > 0) {
            // SAFETY: the function belongs to the one that allocated the memory, which is not used
            // again.
            unsafe { free(opaque, self.address.as_ptr().cast()) };
        }
    }

    /// Appends bytes.
    pub fn extend_from_slice(&mut self, bytes: &[u8]) -> Result<(), NoMemory> {
        let len = self.len + bytes.len();
        self.reserve(len)?;
        // SAFETY: there is room for them.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), self.address.as_ptr().add(self.len), bytes.len()) };
        self.len = len;
        Ok(())
    }

    /// Appends zeros, or removes bytes at the end.
    pub fn resize(&mut self, len: usize) -> Result<(), NoMemory> {
        if len > self.len {
            self.reserve(len)?;
            // SAFETY: there is room for that.
            unsafe { self.address.as_ptr().add(self.len).write_bytes(0, len - self.len) };
        }
        self.len = len;
        Ok(())
    }

    /// Returns a copy in memory of its own.
    pub fn copy(&self) -> Result<Self, NoMemory> {
        Self::of(self.alloc).filled(self, self.len)
    }

    /// Returns a copy in memory of a stream's, of at least `capacity` bytes.
    pub fn copy_for(&self, strm: &z_stream, capacity: usize) -> Result<Self, NoMemory> {
        Self::new(strm).filled(self, capacity)
    }

    /// Returns this empty buffer with bytes, in memory for at least `capacity`.
    fn filled(mut self, bytes: &[u8], capacity: usize) -> Result<Self, NoMemory> {
        if capacity > 0 {
            self.reserve(capacity)?;
        }
        self.extend_from_slice(bytes)?;
        Ok(self)
    }

    /// Removes the bytes from `len` on, if there are any.
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// Removes all bytes.
    pub fn clear(&mut self) {
        self.len = 0;
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: `len` bytes are initialised.
        unsafe { slice::from_raw_parts(self.address.as_ptr(), self.len) }
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: the same, and the buffer is borrowed.
        unsafe { slice::from_raw_parts_mut(self.address.as_ptr(), self.len) }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        self.release();
    }
}
