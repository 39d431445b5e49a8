//! C functions of a compressing stream, and its state.

mod bound;
mod calls;
mod data_type;
mod init;
mod options;
mod state;
mod streaming;

pub use calls::{deflate, deflateEnd, deflateReset};
pub use init::{deflateInit_, deflateInit2_};
pub use options::deflateParams;
pub use state::{Settings, Wrap};
