//! Stacks for the threads of a block, with a page between them that no access survives.
#![allow(unsafe_code)]

use std::ptr::NonNull;

use crate::gpu::MAX_THREADS;
use crate::{Error, Result};

/// Bytes of one thread's stack. Kernels have shallow frames; under AddressSanitizer they are
/// several times as large. Only touched pages take memory.
const STACK: usize = 256 << 10;
/// Bytes between stacks; a multiple of any machine's page size (64 KiB on some Arm machines).
const GUARD: usize = 64 << 10;
pub(super) const STRIDE: usize = STACK + GUARD;
const BYTES: usize = STRIDE * MAX_THREADS as usize;

/// `MAX_THREADS` stacks, [`STRIDE`] apart.
pub(super) struct Stacks {
    start: NonNull<u8>,
}

// SAFETY: owned memory; one launch at a time has it.
unsafe impl Send for Stacks {}

impl Stacks {
    pub fn new() -> Result<Stacks> {
        let failed =
            || Error::system("no address space for the stacks of a block", std::io::Error::last_os_error());
        // SAFETY: a new mapping, which touches no other memory.
        let start = unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
            libc::mmap(std::ptr::null_mut(), BYTES, libc::PROT_NONE, flags, -1, 0)
        };
        if start == libc::MAP_FAILED {
            return Err(failed());
        }
        let stacks = Stacks { start: NonNull::new(start.cast()).ok_or_else(failed)? };
        for index in 0..MAX_THREADS as usize {
            // SAFETY: inside the mapping. The guard is below the stack, for stacks grow down.
            let protected = unsafe {
                let stack = start.byte_add(index * STRIDE + GUARD);
                libc::mprotect(stack, STACK, libc::PROT_READ | libc::PROT_WRITE)
            };
            if protected != 0 {
                return Err(failed());
            }
        }
        Ok(stacks)
    }

    /// Returns the lowest address of the first stack.
    pub fn first(&self) -> *mut u8 {
        // SAFETY: inside the mapping.
        unsafe { self.start.as_ptr().add(GUARD) }
    }

    pub fn bytes(&self) -> usize {
        STACK
    }
}

impl Drop for Stacks {
    fn drop(&mut self) {
        // SAFETY: mapped in `new`, and no launch uses it any more.
        unsafe { libc::munmap(self.start.as_ptr().cast(), BYTES) };
    }
}
