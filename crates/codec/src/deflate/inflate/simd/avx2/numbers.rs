//! A chunk's lengths and distances, before they are numbers.

use std::arch::x86_64::*;
use std::mem::MaybeUninit;

use super::places::ELEMENTS;
use crate::deflate::inflate::batch::tokens::TOKENS;

/// Numbers that are read at once.
pub(crate) const READ: usize = 16;
/// Room for a pending length, all tokens, and what is written and read past them.
const ROOM: usize = TOKENS + 2 * READ;

/// The tokens of lengths and distances: entries, with the number of symbols before each above, and bit_buffers.
pub(crate) struct Numbers {
    entries: [MaybeUninit<u32>; ROOM],
    bit_buffers: [MaybeUninit<u32>; ROOM],
}

impl Numbers {
    pub(crate) const fn new() -> Self {
        Self { entries: [MaybeUninit::uninit(); ROOM], bit_buffers: [MaybeUninit::uninit(); ROOM] }
    }

    /// Writes the `at`th and the seven after it.
    ///
    /// # Safety
    /// `at` is at most `TOKENS + READ`.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(crate) unsafe fn put(&mut self, at: usize, entries: __m256i, bit_buffers: __m256i) {
        const { assert!(TOKENS + READ + ELEMENTS <= ROOM) };
        // SAFETY: there is room for ELEMENTS.
        unsafe {
            _mm256_storeu_si256(self.entries.as_mut_ptr().add(at).cast(), entries);
            _mm256_storeu_si256(self.bit_buffers.as_mut_ptr().add(at).cast(), bit_buffers);
        }
    }

    /// `READ` entries and their bit_buffers from the `at`th on: every other one, and those between. In which order, see
    /// [`every_other`].
    ///
    /// # Safety
    /// They have been written.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(crate) unsafe fn pairs(&self, at: usize) -> ([__m256i; 2], [__m256i; 2]) {
        // SAFETY: the caller's.
        unsafe {
            (
                every_other(self.entries.as_ptr().add(at).cast()),
                every_other(self.bit_buffers.as_ptr().add(at).cast()),
            )
        }
    }
}

/// Of pairs 0 to 7 all first elements, and all second ones. Both are in the order 0, 1, 4, 5, 2, 3, 6, 7.
///
/// # Safety
/// `READ` elements can be read.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn every_other(from: *const f32) -> [__m256i; 2] {
    // SAFETY: the caller's.
    let (low, high) = unsafe { (_mm256_loadu_ps(from), _mm256_loadu_ps(from.add(READ / 2))) };
    let (first, second) =
        (_mm256_shuffle_ps::<0b10_00_10_00>(low, high), _mm256_shuffle_ps::<0b11_01_11_01>(low, high));
    [_mm256_castps_si256(first), _mm256_castps_si256(second)]
}
