//! Memory of a GPU, pinned host memory, and a pool of it between a file and the GPU.

mod buffer;
mod staging;

pub(crate) use buffer::Memory;
pub use buffer::{Buffer, Pinned};
pub use staging::{Staging, StagingPool, StagingStats};
