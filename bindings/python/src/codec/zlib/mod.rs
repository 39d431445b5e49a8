//! The standard library's zlib: its functions, objects, constants and errors, on zlib-rs and on
//! this project's decoders.
//!
//! Whole buffers go to the fastest coder there is (`whole/`); streams in pieces are zlib-rs's
//! (`compressobj.rs`, `decompressobj.rs`). What is wrong with a buffer is said by zlib-rs, too, in
//! zlib's words.

mod checksum;
mod compressobj;
mod decompressobj;
mod decompressor;
pub mod error;
mod kept;
mod module;
mod pump;
mod unpacking;
mod whole;

pub use module::zlib;
