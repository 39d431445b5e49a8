//! Compression: `deflateInit` to `deflateEnd`.

mod block_encoder;
mod compress;
mod fallback;
mod given_whole;
mod job;
mod level_trial;
mod parallel;
mod policy;
mod routed;
mod stream;
mod worker_pool;
mod wrap;

pub use stream::{deflate, deflateEnd, deflateInit_, deflateInit2_, deflateParams, deflateReset};
