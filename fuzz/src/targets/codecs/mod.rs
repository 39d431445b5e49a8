//! Targets of the codecs, each compared with another implementation of its format.

pub mod batch;
pub mod brotli;
pub(super) mod check;
pub mod deflate;
pub mod encoder;
pub mod files;
pub mod hadoop;
pub mod lz4;
pub mod snappy;
pub mod streaming;
pub mod zstd;
