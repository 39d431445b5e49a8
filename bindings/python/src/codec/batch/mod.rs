//! Many buffers in one call.

mod device;
mod items;
mod pack;
mod parallel;
mod results;
mod unpack;
mod ways;

pub use pack::compress_batch;
pub use unpack::decompress_batch;
