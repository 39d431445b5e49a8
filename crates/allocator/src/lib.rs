//! The allocator of Pelton's programs and of its extension for DuckDB.
//!
//! Many threads allocate and free result batches and pages, tens of megabytes at a time. mimalloc
//! suits that, but returns freed memory to the system after a second; the next query gets it back
//! zeroed, page by page, which took a tenth of all processor time on TPC-H. A program that runs
//! queries keeps its freed memory.

/// Allocator that a program names as its `#[global_allocator]`.
pub use mimalloc::MiMalloc;

/// `mi_option_purge_delay` in mimalloc 3's `mi_option_t`: milliseconds until freed memory is given
/// back; -1: never.
const PURGE_DELAY: libmimalloc_sys::mi_option_t = 15;

/// Keeps freed memory for later allocations; to be called first in `main`.
pub fn keep_freed_memory() {
    set_purge_delay(-1);
}

/// Gives freed memory back to the system after a tenth of a second: for a library in a process that
/// needs the memory for other things between two queries.
pub fn return_freed_memory() {
    set_purge_delay(100);
}

fn set_purge_delay(milliseconds: i64) {
    // SAFETY: the call sets one of the allocator's own integers, which it reads atomically; the
    // option's number is in range for the version that the lock file pins, and an option that a
    // version doesn't know is ignored.
    unsafe { libmimalloc_sys::mi_option_set(PURGE_DELAY, milliseconds as _) }
}
