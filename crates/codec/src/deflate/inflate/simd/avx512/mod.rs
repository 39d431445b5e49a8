//! Steps that AVX-512 makes faster, by compressing masked elements in one instruction and by
//! permutations of bytes from two vectors.

mod near_copy;
mod partition;

pub(crate) use near_copy::copy as copy_near;
pub(crate) use partition::partition;
