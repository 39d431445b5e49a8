//! AVX-512 with VBMI and VBMI2, as Intel has it from Ice Lake on and AMD from Zen 4 on.

mod look_up;
mod scan;
mod spread;
mod tables;
mod unpack;
mod words;

use super::has_avx512;
use crate::bitmap::Bitmap;
use crate::packed::Packed;
use crate::predicate::Within;
use crate::steps::Steps;

/// Proof that the processor has the instructions that the steps use.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Avx512(());

impl Avx512 {
    pub(crate) fn new() -> Option<Self> {
        has_avx512().then_some(Self(()))
    }

    /// See [`crate::words::deposit`].
    pub(crate) fn deposit(
        self,
        mask: impl Iterator<Item = u64>,
        bits: impl Iterator<Item = u64>,
    ) -> Vec<u64> {
        // SAFETY: the value proves that the features are there.
        unsafe { words::deposit(mask, bits) }
    }

    /// See [`crate::words::pick`].
    pub(crate) fn pick(self, words: &[u64], mask: &[u64], len: usize) -> Vec<u64> {
        // SAFETY: the value proves that the features are there.
        unsafe { words::pick(words, mask, len) }
    }
}

impl Steps for Avx512 {
    fn scan(self, packed: Packed<'_>, within: Within, to: &mut [u64]) {
        // SAFETY: the value proves that the features are there.
        unsafe { scan::scan(packed, within, to) }
    }

    fn look_up(self, packed: Packed<'_>, set: &Bitmap, to: &mut [u64]) -> Option<u32> {
        // SAFETY: the value proves that the features are there.
        unsafe { look_up::look_up(packed, set, to) }
    }

    fn unpack(self, packed: Packed<'_>, to: &mut Vec<u32>) {
        // SAFETY: the value proves that the features are there.
        unsafe { unpack::unpack(packed, to) }
    }

    fn greatest(self, values: &[u32]) -> u32 {
        // SAFETY: the value proves that the features are there.
        unsafe { unpack::greatest(values) }
    }

    fn select(self, packed: Packed<'_>, mask: &Bitmap, at: usize, to: &mut Vec<u32>) {
        // SAFETY: the value proves that the features are there.
        unsafe { spread::select(packed, mask, at, to) }
    }

    fn expand(self, values: &[u32], mask: &Bitmap, at: usize, to: &mut Vec<u32>) -> (usize, usize) {
        // SAFETY: the value proves that the features are there.
        unsafe { spread::expand(values, mask, at, to) }
    }
}
