//! Sorting without the instructions that AVX-512 has for it.

mod compress;
mod matches;
mod sort;
mod split;

pub(super) use sort::sort;
pub(super) use split::split;
