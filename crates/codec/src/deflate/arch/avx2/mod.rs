//! Sorting with AVX2, which needs a table to put the elements that a mask leaves side by side.

mod matches;
mod numbers;
mod places;
mod sort;
mod split;

pub(super) use sort::sort;
pub(super) use split::split;
