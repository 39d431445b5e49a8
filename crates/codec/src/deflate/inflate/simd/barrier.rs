//! Optimisation barriers: hide a value from the compiler where its own transformation is slower.

use std::arch::asm;
use std::arch::x86_64::__m256i;

/// The same number.
#[inline(always)]
pub(crate) fn barrier(mut n: usize) -> usize {
    // SAFETY: no instruction.
    unsafe { asm!("/* {0} */", inout(reg) n, options(nomem, nostack, preserves_flags, pure)) };
    n
}

/// The same vector.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn vector_barrier(mut v: __m256i) -> __m256i {
    // SAFETY: no instruction.
    unsafe { asm!("/* {0} */", inout(ymm_reg) v, options(nomem, nostack, preserves_flags, pure)) };
    v
}
