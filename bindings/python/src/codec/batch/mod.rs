//! Many buffers in one call.

mod pack;
mod unpack;
mod ways;
mod device;
mod items;
mod parallel;
mod results;

pub use pack::compress_batch;
pub use unpack::decompress_batch;
