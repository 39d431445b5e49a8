//! The bound of kept memory: freed memory goes back to the system when the program exceeds it.
//!
//! mimalloc reuses freed memory of one query for the next one, but not all of it: blocks of other
//! sizes and threads are in between. A process that ran all queries of TPC-H had a third more
//! memory than its largest query takes alone. As in a garbage collector, all freed memory goes back
//! when the resident memory exceeds a bound, and the bound follows the memory that was in use at
//! that moment, so that a program which needs as much again keeps it.

use std::cell::Cell;
use std::fs::File;
use std::io::Read;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// Milliseconds after which mimalloc itself would give freed memory back: never, but the memory is
/// noted, so that it can be given back at once. -1 would not note it.
pub(crate) const KEEP_DELAY: std::ffi::c_long = std::ffi::c_long::MAX / 4;

/// Bytes of the smallest block that is counted.
const COUNTED_BYTES: usize = 16 << 10;

/// Bytes that a thread allocates between two readings of the resident memory, each of which takes
/// some microseconds.
const READING_BYTES: usize = 8 << 20;

/// Bytes below which all freed memory is kept.
const LEAST_BOUND: usize = 64 << 20;

/// Divisor of the memory in use for the freed memory that is kept beside it.
const KEPT_SHARE: usize = 16;

/// Bytes of the bound from which huge pages are used: they save faults and translations of
/// addresses, but are rounded up, which matters less the more memory is in use.
const HUGE_PAGES_BOUND: usize = 512 << 20;

/// Bytes of resident memory beyond which freed memory is given back.
static BOUND: AtomicUsize = AtomicUsize::new(LEAST_BOUND);

/// True while a thread gives memory back.
static GIVING_BACK: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Bytes that the thread allocated since its last reading.
    static ALLOCATED: Cell<usize> = const { Cell::new(0) };
}

/// Returns whether the program has used so much memory that huge pages are worth it.
pub(crate) fn uses_much() -> bool {
    BOUND.load(Relaxed) >= HUGE_PAGES_BOUND
}

/// Counts a block that a thread is about to allocate, and gives freed memory back if the program
/// exceeds its bound.
#[inline]
pub(crate) fn count(bytes: usize) {
    if bytes >= COUNTED_BYTES {
        count_large(bytes);
    }
}

fn count_large(bytes: usize) {
    // a thread that ends has no counter
    let is_due = ALLOCATED.try_with(|allocated| {
        let sum = allocated.get().saturating_add(bytes);
        let is_due = sum >= READING_BYTES;
        allocated.set(if is_due { 0 } else { sum });
        is_due
    });
    if is_due == Ok(true) && resident().is_some_and(|bytes| bytes > BOUND.load(Relaxed)) {
        give_back();
    }
}

/// Gives all freed memory back to the system, and sets the bound by the memory that remains.
fn give_back() {
    if GIVING_BACK.swap(true, Relaxed) {
        return;
    }
    // SAFETY: the call takes no pointers, and may be made by any thread outside of the allocator.
    unsafe { libmimalloc_sys::mi_collect(true) };
    if let Some(used) = resident() {
        let used_little = !uses_much();
        BOUND.fetch_max(used + used / KEPT_SHARE, Relaxed);
        if used_little && uses_much() {
            crate::update_huge_pages();
        }
    }
    GIVING_BACK.store(false, Relaxed);
}

/// Returns the bytes of the program's resident memory; `None` if the system does not say it.
///
/// Source: `proc_pid_statm(5)`, second field, in pages.
fn resident() -> Option<usize> {
    let mut text = [0; 64];
    let length = File::open("/proc/self/statm").ok()?.read(&mut text).ok()?;
    let pages = std::str::from_utf8(text.get(..length)?).ok()?.split(' ').nth(1)?;
    // SAFETY: the call takes no pointers.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    pages.parse::<usize>().ok()?.checked_mul(usize::try_from(page).ok()?)
}

#[cfg(test)]
mod tests;
