//! Sorting with AVX2, which needs a table to put the elements that a mask leaves side by side.

mod partition;
mod sort;

pub(crate) use partition::partition;
pub(crate) use sort::sort;
