//! State and C functions of a compressing stream.

mod bound;
mod calls;
mod data_type;
mod options;
mod parameters;
mod reserve;
mod state;
mod streaming;

pub use calls::{deflate, deflateEnd, deflateInit_, deflateInit2_, deflateReset};
pub use options::{deflateParams, deflatePending, deflateSetDictionary};
pub use parameters::{DEFAULT_MEM_LEVEL, Parameters};
