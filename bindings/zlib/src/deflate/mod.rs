//! Compression: `deflateInit` to `deflateEnd`.

mod block_encoder;
mod block_trial;
mod compress;
mod encoders;
mod fallback;
mod level_trial;
mod parallel;
mod policy;
mod short_block;
mod stream;
mod worker_pool;
mod wrap;

/// Frees the encoders that no call has borrowed.
pub fn free_pools() {
    encoders::ENCODERS.clear();
}

pub use stream::{
    deflate, deflateEnd, deflateInit_, deflateInit2_, deflateParams, deflatePending, deflateReset,
    deflateSetDictionary,
};
