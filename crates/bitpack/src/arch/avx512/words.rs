//! Moves of bits within words by PDEP and PEXT. Every processor with these AVX-512 extensions has
//! them in hardware; AMD's before Zen 3 run them in microcode.

use std::arch::x86_64::{_pdep_u64, _pext_u64};

use crate::words;

#[target_feature(enable = "bmi1,bmi2,popcnt")]
pub(super) fn deposit(mask: impl Iterator<Item = u64>, bits: impl Iterator<Item = u64>) -> Vec<u64> {
    words::deposit(mask, bits, |bits, mask| _pdep_u64(bits, mask))
}

#[target_feature(enable = "bmi1,bmi2,popcnt")]
pub(super) fn pick(words: &[u64], mask: &[u64], len: usize) -> Vec<u64> {
    words::pick(words, mask, len, |word, mask| _pext_u64(word, mask))
}
