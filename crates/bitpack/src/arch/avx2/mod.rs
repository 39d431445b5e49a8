//! AVX2, as Intel has it from Haswell on and AMD from Zen on.

mod scan;
mod spread;
mod tables;
mod unpack;

use super::has_avx2;
use crate::bitmap::Bitmap;
use crate::packed::Packed;
use crate::predicate::Within;
use crate::steps::Steps;

/// Proof that the processor has the instructions that the steps use.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Avx2(());

impl Avx2 {
    pub(crate) fn new() -> Option<Self> {
        has_avx2().then_some(Self(()))
    }
}

impl Steps for Avx2 {
    fn scan(self, packed: Packed<'_>, within: Within, to: &mut [u64]) {
        // SAFETY: the value proves that the features are there.
        unsafe { scan::scan(packed, within, to) }
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
