//! Prefetching of bytes that are compared later.

use std::arch::x86_64::*;

/// Prefetch distance. Processors prefetch too little by themselves if a line takes some work. The
/// bytes in flight have to be at least the bandwidth of memory times its latency: a smaller
/// distance makes scans from memory slower, and a larger one is no faster and takes more of the
/// first-level cache. From the cache it makes no difference (docs/filter.md).
const AHEAD: usize = 8 << 10;
/// Bytes of a cache line.
const LINE: usize = 64;
/// Blocks of 64 values between two checks of the remaining bytes. They have a line for each bit of
/// a value.
pub(super) const EIGHT: usize = 8;

/// Prefetches the lines at that distance from eight blocks of values of `width` bits that begin at
/// `at`.
#[inline(always)]
pub(super) fn prefetch_eight(bytes: &[u8], at: usize, width: u32) {
    for line in 0..width as usize {
        prefetch(bytes, at + line * LINE);
    }
}

/// Prefetches the line at that distance from `at`, even beyond the end of `bytes`.
#[inline(always)]
pub(super) fn prefetch(bytes: &[u8], at: usize) {
    // SAFETY: every x86-64 processor has it. It ignores invalid addresses, and loads no value.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(bytes.as_ptr().wrapping_add(at + AHEAD).cast()) };
}
