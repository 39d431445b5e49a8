//! Open character device, which forked children do not keep.

use std::io;
use std::os::fd::{FromRawFd, IntoRawFd, OwnedFd, RawFd};
use std::sync::Once;
use std::sync::atomic::{AtomicI32, Ordering};

use crate::hw::Descriptor;

/// Maximum number of open work queues in a process: more than the 256 of a machine of 8 sockets.
const MAX_FILES: usize = 1024;

/// An unused place.
const NONE: RawFd = -1;

/// Every open file, for [`close_in_child`].
static FILES: [AtomicI32; MAX_FILES] = [const { AtomicI32::new(NONE) }; MAX_FILES];

/// Registers [`close_in_child`], once per process.
static HANDLER: Once = Once::new();

/// Runs first in a forked child, and closes its copies of the files. The kernel drains a queue when
/// the last copy is closed, so a child with a copy would delay its parent's
/// [`close`](crate::Portal::close).
extern "C" fn close_in_child() {
    for place in &FILES {
        let file = place.swap(NONE, Ordering::Relaxed);
        if file != NONE {
            // SAFETY: this is the child's copy, and no `File` closes it, because its place is empty
            // now. close() may be called in a child of a process with threads.
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
    /// [`MAX_FILES`] files are open.
    pub fn new(file: OwnedFd) -> io::Result<File> {
        HANDLER.call_once(|| {
            // SAFETY: the function only makes calls that a forked child may make. If there is no
            // memory for the handler, children keep their copies, which is as for any file.
            unsafe { libc::pthread_atfork(None, None, Some(close_in_child)) };
        });
        let file = file.into_raw_fd();
        let taken = |place: &&AtomicI32| {
            place.compare_exchange(NONE, file, Ordering::Relaxed, Ordering::Relaxed).is_ok()
        };
        if let Some(place) = FILES.iter().find(taken) {
            return Ok(File { place });
        }
        // SAFETY: the descriptor was taken from its owner above.
        drop(unsafe { OwnedFd::from_raw_fd(file) });
        Err(io::Error::other(format!("{MAX_FILES} work queues are open already")))
    }

    /// Writes descriptors in one call, and returns the number of accepted ones. The kernel submits
    /// them one by one until it fails, and returns the bytes of the submitted ones, or the error if
    /// there are none.
    ///
    /// # Errors
    /// No descriptor was accepted. EAGAIN: the queue is full.
    ///
    /// # Safety
    /// As for [`Portal::submit`](crate::Portal::submit).
    pub unsafe fn write(&self, descriptors: &[Descriptor]) -> io::Result<usize> {
        let bytes = size_of_val(descriptors);
        // SAFETY: the call only reads the slice. The caller is responsible for the memory that the
        // descriptors name.
        let written =
            unsafe { libc::write(self.place.load(Ordering::Relaxed), descriptors.as_ptr().cast(), bytes) };
        // The kernel counts complete descriptors.
        usize::try_from(written)
            .map(|bytes| bytes / Descriptor::BYTES)
            .map_err(|_| io::Error::last_os_error())
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let file = self.place.swap(NONE, Ordering::Relaxed);
        if file != NONE {
            // SAFETY: the file is open, and after the swap no other code closes it.
            unsafe { libc::close(file) };
        }
    }
}
