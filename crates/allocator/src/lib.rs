//! The allocators of Pelton's programs, mimalloc in one of two modes, and of libraries in other
//! programs ([`LibraryAllocator`]).
//!
//! Many threads allocate and free result batches and pages, tens of megabytes at a time. mimalloc
//! suits that, but returns freed memory to the system after a second; the next query gets it back
//! zeroed, page by page, which took a tenth of all processor time on TPC-H. A program that runs
//! queries keeps its freed memory up to a bound (`kept.rs`), unless it has a memory limit.
//!
//! Under a limit, freed memory goes back to the system within milliseconds. mimalloc has blocks of
//! up to 512 KiB share 4 MiB with others of their size and thread, and huge pages keep what
//! surrounds a block; both would double the memory of a query that reads spilled rows. So larger
//! blocks get memory of their own there, and huge pages are off.
//!
//! Huge pages are also off in a program that uses little memory: they add a quarter to the memory
//! of queries on small files. Each thread would zero a page for its first small block, which adds
//! as much to the time of `SELECT 1`.

mod kept;
mod library;

use std::alloc::{GlobalAlloc, Layout};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use mimalloc::MiMalloc;

pub use library::LibraryAllocator;

/// `mi_option_purge_delay` in mimalloc 3's `mi_option_t`: milliseconds until freed memory is given
/// back.
const PURGE_DELAY: libmimalloc_sys::mi_option_t = 15;

/// Milliseconds until freed memory is given back under a limit. A batch's buffers are freed and
/// allocated again within a few, and each time that they come from the system, it zeroes them.
const RETURN_DELAY: std::ffi::c_long = 10;

/// Bytes of the largest block that may share memory with others under a limit.
const SHARED_BYTES: usize = 64 << 10;

/// Bytes of the smallest block that mimalloc gives memory of its own (`MI_LARGE_MAX_OBJ_SIZE`).
/// Pages that are never touched take addresses, and no memory.
const OWN_BYTES: usize = (512 << 10) + 1;

static RETURNS_FREED_MEMORY: AtomicBool = AtomicBool::new(false);

/// Allocator that a program names as its `#[global_allocator]`.
pub struct Allocator;

/// Returns the size to allocate for a block of `bytes`.
fn allocated(bytes: usize) -> usize {
    let may_share = bytes <= SHARED_BYTES || !RETURNS_FREED_MEMORY.load(Relaxed);
    if may_share { bytes } else { bytes.max(OWN_BYTES) }
}

/// Returns the layout to allocate for a block.
fn layout(block: Layout) -> Layout {
    note(block.size());
    // an alignment with which the larger size is no layout is left to the allocator to refuse
    Layout::from_size_align(allocated(block.size()), block.align()).unwrap_or(block)
}

// SAFETY: mimalloc allocates every block, in at least the size that was asked for, and finds a
// block's size by its address.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, block: Layout) -> *mut u8 {
        // SAFETY: the caller's promise for a block holds for a larger one.
        unsafe { MiMalloc.alloc(layout(block)) }
    }

    unsafe fn alloc_zeroed(&self, block: Layout) -> *mut u8 {
        // SAFETY: as for `alloc`.
        unsafe { MiMalloc.alloc_zeroed(layout(block)) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, block: Layout) {
        // SAFETY: the caller's promise. mimalloc does not use the size.
        unsafe { MiMalloc.dealloc(pointer, block) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, block: Layout, bytes: usize) -> *mut u8 {
        note(bytes);
        // SAFETY: the caller's promise for a size holds for a larger one that is no overflow, and
        // `OWN_BYTES` is none. mimalloc does not use the old size.
        unsafe { MiMalloc.realloc(pointer, block, allocated(bytes)) }
    }
}

/// Counts a block for the bound of kept memory.
fn note(bytes: usize) {
    if !RETURNS_FREED_MEMORY.load(Relaxed) {
        kept::count(bytes);
    }
}

/// Keeps freed memory for later allocations; to be called first in `main`.
pub fn keep_freed_memory() {
    return_freed_memory(false);
}

/// Returns freed memory to the system soon, or keeps it from now on. It may be called at any
/// time.
pub fn return_freed_memory(returns: bool) {
    RETURNS_FREED_MEMORY.store(returns, Relaxed);
    set_purge_delay(if returns { RETURN_DELAY } else { kept::KEEP_DELAY });
    update_huge_pages();
}

/// Turns huge pages on if the program keeps its memory, and uses much of it, else off.
fn update_huge_pages() {
    let on = !RETURNS_FREED_MEMORY.load(Relaxed) && kept::uses_much();
    #[cfg(target_os = "linux")]
    // SAFETY: the call takes no pointers. A system that refuses it has huge pages as before.
    unsafe {
        libc::prctl(libc::PR_SET_THP_DISABLE, libc::c_ulong::from(!on), 0, 0, 0);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = on;
}

fn set_purge_delay(milliseconds: std::ffi::c_long) {
    // SAFETY: the call sets one of the allocator's own integers, which it reads atomically; the
    // option's number is in range for the version that the lock file pins, and an option that a
    // version doesn't know is ignored.
    unsafe { libmimalloc_sys::mi_option_set(PURGE_DELAY, milliseconds) }
}

#[cfg(test)]
mod tests;
