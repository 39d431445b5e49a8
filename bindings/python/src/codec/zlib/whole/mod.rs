//! Whole buffers: this project's coders first, zlib-rs for the rest.

mod pack;
mod unpack;

pub use pack::{compress, pack};
pub use unpack::decompress;

use std::ffi::c_int;

use pelton_codec::Format;

/// The format that these window bits are, with the largest window: what the fast coders write and
/// read.
pub fn format(wbits: c_int) -> Option<Format> {
    match wbits {
        15 => Some(Format::Zlib),
        -15 => Some(Format::Deflate),
        31 => Some(Format::Gzip),
        _ => None,
    }
}
