//! Kernel sources, the compiler for GPUs, and compiled kernels on disk.

mod kernel_cache;
mod nvrtc;
mod source;

pub(crate) use kernel_cache::KernelCache;
pub use nvrtc::Nvrtc;
pub(crate) use nvrtc::OPTIONS;
pub(crate) use source::{Key, host_headers};
pub use source::{Source, source_headers};
