//! First use of fresh pages: by a write.

#![allow(unsafe_code)]

use std::sync::atomic::AtomicU8;
use std::sync::atomic::Ordering::Relaxed;

/// Distance between bytes that are written.
const PAGE: usize = 4 << 10;

/// Writes a byte of every page that begins in `bytes`, as it is. A page of fresh memory that is read
/// before it is written takes two page faults.
pub(crate) fn touch_pages(bytes: &mut [u8]) {
    let first = bytes.as_ptr().align_offset(PAGE);
    for byte in bytes.iter_mut().skip(first).step_by(PAGE) {
        // SAFETY: an exclusive reference is valid for reads and writes, and has no other user.
        let byte = unsafe { AtomicU8::from_ptr(byte) };
        // The processor writes the byte whether it is 0 or not.
        let _ = byte.compare_exchange(0, 0, Relaxed, Relaxed);
    }
}
