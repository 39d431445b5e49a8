//! The C libraries behind safe types, and two calls of Linux: all of this crate's unsafe code.
#![allow(unsafe_code, reason = "the rivals are C libraries")]

pub mod cpu;
pub mod isal;
pub mod libdeflate;
pub mod zlib;
