//! Reference implementations in C.

pub mod lz4;
pub mod pieces;
pub mod zlib;
