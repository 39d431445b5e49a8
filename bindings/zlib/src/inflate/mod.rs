//! Decompression: `inflateInit` to `inflateEnd`, and `inflateBack`.

mod back;
mod calls;
mod delegate;
mod handover;
mod message;
mod one_shot;
mod options;
mod state;
mod streaming;
mod wrap;

/// Frees the windows that no call has borrowed.
pub fn free_pools() {
    streaming::free_pool();
}

pub use calls::{inflate, inflateEnd, inflateInit_, inflateInit2_, inflateReset};
pub use options::inflateSetDictionary;
