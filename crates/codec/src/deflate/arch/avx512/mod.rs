//! Sorting with AVX-512, which puts the elements that a mask leaves side by side in one instruction.

mod sort;
mod split;

pub(super) use sort::sort;
pub(super) use split::split;
