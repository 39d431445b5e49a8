//! Device memory of the host build: an allocation of exactly the size asked for, so that
//! AddressSanitizer sees an access beyond it.
#![allow(unsafe_code)]

use std::alloc::{Layout, alloc, dealloc};
use std::ops::Range;
use std::ptr::NonNull;

use parking_lot::Mutex;

/// The driver's alignment of device memory.
const ALIGNMENT: usize = 256;
/// Value of undefined contents: easy to see, and neither a valid length nor a valid pointer.
const UNDEFINED: u8 = 0xA5;

pub(crate) struct HostMemory {
    start: NonNull<u8>,
    layout: Layout,
    /// Held by safe functions that touch the bytes. A launch is unsafe and has its caller's
    /// promise.
    touched: Mutex<()>,
}

// SAFETY: the memory is owned, and every safe function that touches it holds the lock.
unsafe impl Send for HostMemory {}
// SAFETY: as above.
unsafe impl Sync for HostMemory {}

impl HostMemory {
    /// Allocates memory; `None` if the system has no more. No bytes take no memory, and have an
    /// address that faults on any access.
    pub fn new(bytes: usize) -> Option<HostMemory> {
        let layout = Layout::from_size_align(bytes, ALIGNMENT).ok()?;
        let start = if bytes == 0 {
            NonNull::new(std::ptr::without_provenance_mut(ALIGNMENT))?
        } else {
            // SAFETY: the size is not zero.
            let start = NonNull::new(unsafe { alloc(layout) })?;
            // SAFETY: the allocation has this size.
            unsafe { start.write_bytes(UNDEFINED, bytes) };
            start
        };
        Some(HostMemory { start, layout, touched: Mutex::new(()) })
    }

    pub fn address(&self) -> u64 {
        self.start.as_ptr().expose_provenance() as u64
    }

    fn at(&self, offset: usize, bytes: usize) -> *mut u8 {
        assert!(
            offset.checked_add(bytes).is_some_and(|end| end <= self.layout.size()),
            "inside the allocation"
        );
        // SAFETY: inside the allocation, or one past its end.
        unsafe { self.start.as_ptr().add(offset) }
    }

    pub fn write(&self, offset: usize, data: &[u8]) {
        let to = self.at(offset, data.len());
        let _touched = self.touched.lock();
        // SAFETY: `at` checked the range; `data` is borrowed Rust memory, and so not this
        // allocation.
        unsafe { std::ptr::copy_nonoverlapping(data.as_ptr(), to, data.len()) };
    }

    pub fn read(&self, offset: usize, to: &mut [u8]) {
        let from = self.at(offset, to.len());
        let _touched = self.touched.lock();
        // SAFETY: `at` checked the range, and every byte of it was written at the allocation; `to`
        // is borrowed Rust memory, and so not this allocation.
        unsafe { std::ptr::copy_nonoverlapping(from, to.as_mut_ptr(), to.len()) };
    }

    pub fn fill(&self, range: Range<usize>, byte: u8) {
        let to = self.at(range.start, range.len());
        let _touched = self.touched.lock();
        // SAFETY: `at` checked the range.
        unsafe { std::ptr::write_bytes(to, byte, range.len()) };
    }

    pub fn copy(&self, to_offset: usize, from: &HostMemory, from_offset: usize, bytes: usize) {
        let (to_start, from_start) = (self.at(to_offset, bytes), from.at(from_offset, bytes));
        // lock in the order of addresses, so that two copies in opposite directions don't deadlock
        let (first, second) = if self.start <= from.start { (self, from) } else { (from, self) };
        let _first = first.touched.lock();
        let _second = (!std::ptr::eq(first, second)).then(|| second.touched.lock());
        // SAFETY: `at` checked both ranges; they may overlap.
        unsafe { std::ptr::copy(from_start, to_start, bytes) };
    }
}

impl Drop for HostMemory {
    fn drop(&mut self) {
        if self.layout.size() > 0 {
            // SAFETY: allocated with this layout, and no longer used.
            unsafe { dealloc(self.start.as_ptr(), self.layout) };
        }
    }
}
