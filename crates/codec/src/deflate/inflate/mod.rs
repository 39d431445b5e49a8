//! Decompression of raw streams.

pub(crate) mod batch;
pub(crate) mod bit_buffer;
pub(crate) mod diagnose;
pub(crate) mod fixed;
#[cfg(target_arch = "x86_64")]
pub(crate) mod simd;
pub(crate) mod speculative;
pub(crate) mod stored;
pub(crate) mod streaming;
pub(crate) mod whole;
