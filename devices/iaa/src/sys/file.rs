//! The open character device: kept out of children, and written descriptors to.

use std::io;
use std::os::fd::{FromRawFd, IntoRawFd, OwnedFd, RawFd};
use std::sync::Once;
use std::sync::atomic::{AtomicI32, Ordering};

use crate::hw::Descriptor;

/// Work queues that a process can have open: a machine of 8 processors with 4 devices of 8 queues
/// each has 256.
const MOST: usize = 1024;

/// A place that holds no file.
const NONE: RawFd = -1;

/// Every open file, for [`close_in_child`].
static FILES: [AtomicI32; MOST] = [const { AtomicI32::new(NONE) }; MOST];

/// Registers [`close_in_child`], once a process.
static HANDLER: Once = Once::new();

/// Runs in a forked child before anything else does. The kernel drains a queue when the last copy
/// of the open file goes away; a child that kept one would keep its parent's
/// [`close`](crate::Portal::close) from being that.
extern "C" fn close_in_child() {
    for place in &FILES {
        let file = place.swap(NONE, Ordering::Relaxed);
        if file != NONE {
            // SAFETY: the child's copy, which nobody else closes: `File` finds its place empty.
            // close() may be called in a child of a process with threads.
            unsafe { libc::close(file) };
        }
    }
}

/// An open character device, closed on drop.
#[derive(Debug)]
pub struct File {
    place: &'static AtomicI32,
}

impl File {
    /// # Errors
    /// [`MOST`] files are open.
    pub fn new(file: OwnedFd) -> io::Result<File> {
        HANDLER.call_once(|| {
            // SAFETY: a function that only does what a child may. Without memory for the handler a
            // child keeps its copies, as it would keep any file; there is nobody to tell.
            unsafe { libc::pthread_atfork(None, None, Some(close_in_child)) };
        });
        let file = file.into_raw_fd();
        let taken = |place: &&AtomicI32| {
            place.compare_exchange(NONE, file, Ordering::Relaxed, Ordering::Relaxed).is_ok()
        };
        if let Some(place) = FILES.iter().find(taken) {
            return Ok(File { place });
        }
        // SAFETY: taken from its owner above, and nobody else's.
        drop(unsafe { OwnedFd::from_raw_fd(file) });
        Err(io::Error::other(format!("{MOST} work queues are open already")))
    }

    /// Writes descriptors in one call, and returns how many were taken. The kernel submits them one
    /// by one and stops at the first that it can't: it then returns the bytes of those before, or
    /// the error if there are none.
    ///
    /// # Errors
    /// None was taken. EAGAIN: the queue is full.
    ///
    /// # Safety
    /// As [`Portal::submit`](crate::Portal::submit).
    pub unsafe fn write(&self, descriptors: &[Descriptor]) -> io::Result<usize> {
        let bytes = size_of_val(descriptors);
        // SAFETY: the slice's own bytes, which are only read; what they name is the caller's to
        // vouch for.
        let written =
            unsafe { libc::write(self.place.load(Ordering::Relaxed), descriptors.as_ptr().cast(), bytes) };
        // The kernel counts whole descriptors; a rest would be one that it did not submit.
        usize::try_from(written)
            .map(|bytes| bytes / Descriptor::BYTES)
            .map_err(|_| io::Error::last_os_error())
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let file = self.place.swap(NONE, Ordering::Relaxed);
        if file != NONE {
            // SAFETY: our own file, which left its place above, so that nobody else closes it.
            unsafe { libc::close(file) };
        }
    }
}
