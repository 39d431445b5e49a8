//! Interface to Python's memory and to zlib-rs.
#![allow(unsafe_code)]

mod buffer;
mod clock;
mod new_bytes;
mod zstream;

pub use buffer::{Input, Output};
pub use clock::Clock;
pub use new_bytes::NewBytes;
pub use zstream::{Deflate, Inflate, Status, version};
