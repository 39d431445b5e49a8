//! Asking for bytes before they are compared.

use std::arch::x86_64::*;

/// How far ahead of what is compared bytes are asked for. From memory, processors do so too little by themselves where there is some work to a
/// line: with 2 or 4 KB scans are up to 1.3 times as fast as without on a Zen 3, with 1 KB a twentieth slower than that, and with AVX-512 up to 1.5 times on a
/// Xeon. From the cache they are up to a tenth slower on the former, and not on the latter (docs/filter.md).
const AHEAD: usize = 2 << 10;
/// Bytes that are brought in at a time.
const LINE: usize = 64;
/// Blocks of 64 values that are gone through without a look at what is left: so many are as many lines as a value has bits.
pub(super) const EIGHT: usize = 8;

/// Asks for the lines that are so far ahead of eight blocks of values of `width` bits that begin at `at`.
#[inline(always)]
pub(super) fn ask_for_eight(bytes: &[u8], at: usize, width: u32) {
    for line in 0..width as usize {
        ask(bytes, at + line * LINE);
    }
}

/// Asks for the line that is so far ahead of `at`, whether or not `bytes` has as much.
#[inline(always)]
pub(super) fn ask(bytes: &[u8], at: usize) {
    // SAFETY: of every x86-64 processor; an address that is nobody's is ignored, and nothing is read into the program.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(bytes.as_ptr().wrapping_add(at + AHEAD).cast()) };
}
