//! Layouts that the instruction reads and writes, in IBM's numbering: bit 0 is the most significant
//! bit of byte 0.
//!
//! The normative text is chapter 26 of z/Architecture Principles of Operation (SA22-7832). Fields
//! have its names in their descriptions.

mod available;
mod parameter_block;

pub use available::{AvailableFunctions, Function};
pub use parameter_block::{CSB_BYTES, DHT_BYTES, MAX_HISTORY, PARAMETER_BLOCK_BYTES, ParameterBlock};
