//! Token partition with AVX2, which needs a table to compress masked elements.

mod partition;

pub(crate) use partition::partition;
