//! Decompression: `inflateInit` to `inflateEnd`, and `inflateBack`.

mod back;
mod calls;
mod history;
mod init;
mod lend;
mod message;
mod pieces;
mod settings;
mod state;
mod whole;
mod wrap;

pub use calls::{inflate, inflateEnd, inflateReset};
pub use init::{inflateInit_, inflateInit2_};
