//! Many buffers in one call.

pub mod compress;
pub mod decompress;
mod device;
mod interleaving;
mod items;
mod parallel;
