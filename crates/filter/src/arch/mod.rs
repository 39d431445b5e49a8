//! The steps for x86-64, with AVX2 and with AVX-512. All unsafe code of the crate is here.

#![allow(unsafe_code)]

mod avx2;
mod avx512;
mod nibbles;
mod places;

pub(crate) use avx2::Avx2;
pub(crate) use avx512::Avx512;

/// How far ahead bytes are asked for. The processor does so by itself up to the end of a page of 4 KiB, so that what matters is that
/// the next page is begun in time; half of that and twice that were no better.
const AHEAD: usize = 2048;

/// Has the bytes `AHEAD` of byte `at` brought in, for when it is their turn.
#[inline(always)]
fn prefetch(bytes: &[u8], at: usize) {
    // SAFETY: SSE is part of x86-64, and a prefetch does nothing else, at any address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(bytes.as_ptr().wrapping_add(at + AHEAD).cast());
    }
}
