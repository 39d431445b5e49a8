//! Mapped portal: a page with a slot for each of 64 descriptors.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::fork::ForkMark;
use super::{Enqcmd, Movdir64b};
use crate::hw::Descriptor;

/// Size of a portal, which the driver maps completely (`IDXD_PORTAL_SIZE` in its registers.h).
const BYTES: usize = 4096;

/// Number of slots. Any slot will do, but stores to the same address wait for each other on the way
/// to the device, so each descriptor takes the next one.
const SLOTS: usize = BYTES / Descriptor::BYTES;

/// A page of memory that is shared with a device; unmapped on drop.
#[derive(Debug)]
pub struct Page {
    base: NonNull<u8>,
    next: AtomicUsize,
    mark: ForkMark,
}

// SAFETY: a page belongs to no thread; any thread may store to it.
unsafe impl Send for Page {}
// SAFETY: as above; the counter is atomic.
unsafe impl Sync for Page {}

impl Page {
    /// Maps the portal of an open character device, with the flags that the driver requires.
    ///
    /// # Errors
    /// EPERM: this process may not map it, as it lacks CAP_SYS_RAWIO.
    pub fn map(file: BorrowedFd<'_>) -> io::Result<Page> {
        let mark = ForkMark::new()?;
        // SAFETY: a new mapping, which overlaps nothing.
        let address = unsafe {
            libc::mmap(std::ptr::null_mut(), BYTES, libc::PROT_WRITE, libc::MAP_SHARED, file.as_raw_fd(), 0)
        };
        if address == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let base = NonNull::new(address.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Page { base, next: AtomicUsize::new(0), mark })
    }

    /// Stores descriptors with ENQCMD, and returns the number of accepted ones.
    ///
    /// # Safety
    /// This is the mapped portal of a shared queue, and [`Portal::submit`](crate::Portal::submit)'s
    /// conditions hold.
    pub(super) unsafe fn enqueue(&self, instruction: Enqcmd, descriptors: &[Descriptor]) -> usize {
        super::instructions::store_fence();
        // SAFETY: the caller states that the page is a portal, and the slot is within it.
        self.each(descriptors, |slot, descriptor| unsafe { instruction.store(slot, descriptor) })
    }

    /// Stores descriptors with MOVDIR64B.
    ///
    /// # Safety
    /// This is the mapped portal of a dedicated queue, or memory of the caller, and
    /// [`Portal::submit`](crate::Portal::submit)'s conditions hold.
    pub(super) unsafe fn store(&self, instruction: Movdir64b, descriptors: &[Descriptor]) -> usize {
        super::instructions::store_fence();
        self.each(descriptors, |slot, descriptor| {
            // SAFETY: the caller states that the page is a portal, and the slot is within it.
            unsafe { instruction.store(slot, descriptor) };
            true
        })
    }

    /// Returns the address of the mapping.
    #[cfg(test)]
    pub(super) fn base(&self) -> *mut libc::c_void {
        self.base.as_ptr().cast()
    }

    /// Stores each descriptor in the next slot, until one is not accepted. Returns the number of
    /// accepted ones.
    pub(super) fn each(
        &self,
        descriptors: &[Descriptor],
        store: impl Fn(*mut u8, &Descriptor) -> bool,
    ) -> usize {
        let taken = |descriptor: &&Descriptor| {
            let slot = self.next.fetch_add(1, Ordering::Relaxed) % SLOTS;
            store(self.base.as_ptr().wrapping_add(slot * Descriptor::BYTES), descriptor)
        };
        descriptors.iter().take_while(taken).count()
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // A forked child does not have the mapping, and may have another at the address.
        if self.mark.is_original() {
            // SAFETY: the mapping made in `map`, in the process that made it.
            unsafe { libc::munmap(self.base.as_ptr().cast(), BYTES) };
        }
    }
}

#[cfg(test)]
mod tests;
