//! Compression: `deflateInit` to `deflateEnd`.

mod bound;
mod calls;
mod init;
mod settings;
mod state;
mod text;

pub use calls::{deflate, deflateEnd, deflateReset};
pub use init::{deflateInit_, deflateInit2_};
pub use settings::deflateParams;
