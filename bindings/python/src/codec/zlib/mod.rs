//! The standard library's zlib: its functions, objects, constants and errors, on zlib-rs and on
//! this project's decoders.
//!
//! Whole buffers go to the fastest codec (`one_shot.rs`); streams in pieces are zlib-rs's
//! (`compressobj.rs`, `decompressobj.rs`), which also reports the errors of whole buffers in zlib's
//! words.

pub mod checksum;
pub mod compressobj;
pub mod decompressobj;
pub mod decompressor;
mod deflate_stream;
mod growing_output;
mod inflate_stream;
pub mod one_shot;
