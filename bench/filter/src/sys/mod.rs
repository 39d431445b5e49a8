//! The clock, the core, and plain reading of memory: all of this crate's unsafe code.
#![allow(unsafe_code, reason = "calls of Linux, and of instructions that the processor has")]

#[path = "../../../deflate/src/sys/cpu.rs"]
pub mod cpu;
pub mod memory;
