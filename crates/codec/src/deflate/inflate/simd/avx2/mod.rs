//! Sorting with AVX2, which needs a table to put the elements that a mask leaves side by side.

mod matches;
mod numbers;
mod partition;
mod places;
mod sort;

pub(crate) use partition::partition;
pub(crate) use sort::sort;
