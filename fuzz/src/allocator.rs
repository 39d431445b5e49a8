//! Global allocator with a limit, for targets with memory that has to follow the size of their
//! input and not its claims.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The system's allocator, with a limit while [`limited`] runs. A program that wants it names it as
/// its global one.
pub struct Limited;

/// Bytes that are allocated, and how many may be.
static IN_USE: AtomicUsize = AtomicUsize::new(0);
static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Runs `work`. Meanwhile the whole process may allocate `bytes` more than it has. Beyond that
/// allocations fail, and Rust ends the process with their size. Without [`Limited`] there is no
/// limit.
pub fn limited<T>(bytes: usize, work: impl FnOnce() -> T) -> T {
    /// Lifts the limit, after a panic too.
    struct Lift;
    impl Drop for Lift {
        fn drop(&mut self) {
            LIMIT.store(usize::MAX, Relaxed);
        }
    }
    LIMIT.store(IN_USE.load(Relaxed).saturating_add(bytes), Relaxed);
    let _lift = Lift;
    work()
}

/// Takes note of bytes that are to be allocated; returns whether they may be.
fn take(bytes: usize) -> bool {
    let before = IN_USE.fetch_add(bytes, Relaxed);
    let may = before.checked_add(bytes).is_some_and(|after| after <= LIMIT.load(Relaxed));
    if !may {
        give_back(bytes);
    }
    may
}

fn give_back(bytes: usize) {
    IN_USE.fetch_sub(bytes, Relaxed);
}

// SAFETY: every block is the system allocator's, which is asked with the layouts of the caller; a
// refusal is the null pointer that the trait has for it.
unsafe impl GlobalAlloc for Limited {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !take(layout.size()) {
            return ptr::null_mut();
        }
        // SAFETY: the caller's promise about the layout.
        let block = unsafe { System.alloc(layout) };
        if block.is_null() {
            give_back(layout.size());
        }
        block
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !take(layout.size()) {
            return ptr::null_mut();
        }
        // SAFETY: the caller's promise about the layout.
        let block = unsafe { System.alloc_zeroed(layout) };
        if block.is_null() {
            give_back(layout.size());
        }
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise: the block is of this allocator, so the system's, with this
        // layout.
        unsafe { System.dealloc(block, layout) };
        give_back(layout.size());
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !take(size) {
            return ptr::null_mut();
        }
        // SAFETY: the caller's promise, as above; `size` is its own.
        let moved = unsafe { System.realloc(block, layout, size) };
        give_back(if moved.is_null() { size } else { layout.size() });
        moved
    }
}

#[cfg(test)]
mod tests;
