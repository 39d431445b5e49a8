//! Asking for bytes before they are compared.

use std::arch::x86_64::*;

/// How far ahead of what is compared bytes are asked for. From memory, processors do so too little
/// by themselves where there is some work to a line. What has to be on its way is the memory's
/// speed times its delay: 4 KB where a core reads 35 GB/s with a delay of some 120 ns (a Zen 5).
/// There scans of 2 to 12 bits take 0.65 to 0.75 of the time with 8 KB that they take with 2 KB,
/// which were enough for 13 to 21 GB/s on a Zen 3 and a Xeon; 4 KB are less good, and 16 KB no
/// better. From the cache it makes no difference (docs/filter.md). A quarter of the smallest
/// first-level cache.
const AHEAD: usize = 8 << 10;
/// Bytes that are brought in at a time.
const LINE: usize = 64;
/// Blocks of 64 values that are gone through without a look at what is left: so many are as many
/// lines as a value has bits.
pub(super) const EIGHT: usize = 8;

/// Asks for the lines that are so far ahead of eight blocks of values of `width` bits that begin at
/// `at`.
#[inline(always)]
pub(super) fn prefetch_eight(bytes: &[u8], at: usize, width: u32) {
    for line in 0..width as usize {
        prefetch(bytes, at + line * LINE);
    }
}

/// Asks for the line that is so far ahead of `at`, whether or not `bytes` has as much.
#[inline(always)]
pub(super) fn prefetch(bytes: &[u8], at: usize) {
    // SAFETY: of every x86-64 processor; an address that is nobody's is ignored, and nothing is
    // read into the program.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(bytes.as_ptr().wrapping_add(at + AHEAD).cast()) };
}
