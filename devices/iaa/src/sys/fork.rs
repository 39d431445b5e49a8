//! Fork mark: tells the process that opened a queue from its forked children.
//!
//! A queue belongs to the address space that opened it. Its portal is not mapped in a child (the
//! driver's mapping is `VM_DONTCOPY`), and the kernel would look up the addresses of a child's
//! `write()` in the parent.

use std::io;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU8, Ordering};

/// Length of the mapping, which the system rounds up to a page.
const BYTES: usize = 1;

/// A byte that is set in the process that made it and clear in its children. Linux clears the page
/// when it copies the address space without the portal (`MADV_WIPEONFORK`, since 4.14), so the mark
/// is right for any kind of fork. Checking it takes a load; getpid() takes a system call.
#[derive(Debug)]
pub struct ForkMark(NonNull<AtomicU8>);

// SAFETY: it points at an atomic in memory that is mapped until the drop.
unsafe impl Send for ForkMark {}
// SAFETY: as above.
unsafe impl Sync for ForkMark {}

impl ForkMark {
    /// # Errors
    /// The system has no memory, or can't clear it on fork.
    pub fn new() -> io::Result<ForkMark> {
        // SAFETY: a new mapping, which overlaps nothing.
        let address = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                BYTES,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if address == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let mark = ForkMark(NonNull::new(address.cast()).ok_or(io::ErrorKind::OutOfMemory)?);
        // SAFETY: the mapping made above, with no other user.
        if unsafe { libc::madvise(address, BYTES, libc::MADV_WIPEONFORK) } != 0 {
            return Err(io::Error::last_os_error());
        }
        mark.cell().store(1, Ordering::Relaxed);
        Ok(mark)
    }

    /// Returns whether this is the process that made the mark.
    pub fn is_original(&self) -> bool {
        self.cell().load(Ordering::Relaxed) == 1
    }

    fn cell(&self) -> &AtomicU8 {
        // SAFETY: mapped until the drop, in a child too, and only used as an atomic.
        unsafe { self.0.as_ref() }
    }
}

impl Drop for ForkMark {
    fn drop(&mut self) {
        // SAFETY: the mapping made in `new`; a child has a copy of it at the same address.
        unsafe { libc::munmap(self.0.as_ptr().cast(), BYTES) };
    }
}

#[cfg(test)]
mod tests;
