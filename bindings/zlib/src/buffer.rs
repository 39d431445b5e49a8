//! Bytes that a stream keeps between calls, in memory of the caller's `zalloc`. A program with an allocator of its own may
//! free all that it gave at once, and never end the stream: nginx does so for a client that went away.

use std::ffi::c_void;
use std::ops::{Deref, DerefMut};
use std::ptr::{self, NonNull};
use std::slice;

use libz_rs_sys::{alloc_func, free_func, z_stream};

use crate::memory;

/// The allocator has no memory left.
#[derive(Debug)]
pub struct NoMemory;

/// A vector of bytes.
pub struct Buffer {
    address: NonNull<u8>,
    len: usize,
    capacity: usize,
    /// What frees the memory that there is.
    free: Option<free_func>,
    alloc: Allocator,
}

/// The functions of a stream.
#[derive(Clone, Copy)]
struct Allocator {
    alloc: Option<alloc_func>,
    free: Option<free_func>,
    opaque: *mut c_void,
}

impl Buffer {
    /// Has nothing, for a stream whose functions are filled in.
    pub fn new(strm: &z_stream) -> Self {
        Self::of(Allocator { alloc: strm.zalloc, free: strm.zfree, opaque: strm.opaque })
    }

    fn of(alloc: Allocator) -> Self {
        Self { address: NonNull::dangling(), len: 0, capacity: 0, free: None, alloc }
    }

    /// Bytes that fit in without more memory.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Gets memory for so many bytes in all.
    pub fn reserve(&mut self, capacity: usize) -> Result<(), NoMemory> {
        let Allocator { alloc, free, .. } = self.alloc;
        if capacity <= self.capacity || self.move_to(alloc, free, capacity) { Ok(()) } else { Err(NoMemory) }
    }

    /// The same where no error can be told: the system is asked if the caller's allocator has none.
    fn insist(&mut self, capacity: usize) {
        if self.reserve(capacity).is_ok() {
            return;
        }
        let has_memory = self.move_to(Some(memory::malloc), Some(memory::free), capacity);
        assert!(has_memory, "there is memory for {capacity} bytes");
    }

    /// Gets new memory from `alloc` and frees what there was; whether there was any.
    fn move_to(&mut self, alloc: Option<alloc_func>, free: Option<free_func>, capacity: usize) -> bool {
        let (Some(alloc), Ok(size)) = (alloc, u32::try_from(capacity)) else { return false };
        // SAFETY: zlib calls it the same way.
        let Some(address) = NonNull::new(unsafe { alloc(self.alloc.opaque, 1, size) }.cast::<u8>()) else {
            return false;
        };
        // SAFETY: the new memory is larger than the old, and apart from it.
        unsafe { ptr::copy_nonoverlapping(self.address.as_ptr(), address.as_ptr(), self.len) };
        self.give_back();
        (self.address, self.capacity, self.free) = (address, capacity, free);
        true
    }

    fn give_back(&mut self) {
        if let Some(free) = self.free {
            // SAFETY: the function that belongs to the one which gave it, and nobody has it any more.
            unsafe { free(self.alloc.opaque, self.address.as_ptr().cast()) };
        }
    }

    /// Appends bytes.
    pub fn extend_from_slice(&mut self, bytes: &[u8]) {
        let len = self.len + bytes.len();
        if len > self.capacity {
            self.insist(len.max(2 * self.capacity).max(64));
        }
        // SAFETY: there is room for them.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), self.address.as_ptr().add(self.len), bytes.len()) };
        self.len = len;
    }

    /// Appends zeros, or takes bytes from the end.
    pub fn resize(&mut self, len: usize) {
        if len > self.len {
            self.insist(len);
            // SAFETY: there is room for that.
            unsafe { self.address.as_ptr().add(self.len).write_bytes(0, len - self.len) };
        }
        self.len = len;
    }

    /// Takes bytes from the end, if it is longer.
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// Takes all bytes away.
    pub fn clear(&mut self) {
        self.len = 0;
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: as many bytes are written.
        unsafe { slice::from_raw_parts(self.address.as_ptr(), self.len) }
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: the same, and the buffer is borrowed.
        unsafe { slice::from_raw_parts_mut(self.address.as_ptr(), self.len) }
    }
}

impl Clone for Buffer {
    fn clone(&self) -> Self {
        let mut copy = Self::of(self.alloc);
        copy.extend_from_slice(self);
        copy
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        self.give_back();
    }
}
