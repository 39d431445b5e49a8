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

pub use calls::{inflate, inflateEnd, inflateInit_, inflateInit2_, inflateReset};
pub use options::inflateSetDictionary;
