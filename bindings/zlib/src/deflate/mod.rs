//! Compression: `deflateInit` to `deflateEnd`.

mod blocks;
mod bound;
mod calls;
mod fast;
mod init;
mod settings;
mod state;
mod text;

pub use calls::{deflate, deflateEnd, deflateReset};
pub use init::{deflateInit_, deflateInit2_};
pub use settings::deflateParams;
