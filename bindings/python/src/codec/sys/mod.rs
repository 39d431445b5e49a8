//! The edge to Python's memory and to zlib-rs.
#![allow(unsafe_code)]

mod clock;
mod input;
mod output;
mod room;
mod zstream;

pub use clock::Clock;
pub use input::Input;
pub use output::Output;
pub use room::Room;
pub use zstream::{Deflate, Inflate, Status, version};
