//! The DEFLATE CONVERSION CALL instruction (DFLTCC) of IBM z15 and later.
//!
//! - [`hw`]: layouts of the parameter block and of the block of available functions. Nothing here
//!   runs the instruction.
//! - [`Call`]: one execution of the instruction, on the processor or on the model in
//!   `devices/model`. The driver above it is the same for both.
//! - `sys`: the instruction itself, on s390x only. This file has the only unsafe code.
//! - `session`: the memory that a thread gives to the instruction, and the loop that repeats an
//!   unfinished call.
//! - `expand` and `compress`: a page as a sequence of calls, in safe code.
//! - [`DfltccDevice`]: the device for a router.
//!
//! The instruction is synchronous and not privileged: there is no driver of the system, no queue
//! and no file. A thread runs it and waits, and all cores of a chip share one engine.
#![deny(unsafe_code)]

mod call;
mod compress;
mod counters;
mod device;
pub mod discover;
mod error;
mod expand;
pub mod hw;
mod session;
#[cfg(target_arch = "s390x")]
pub mod sys;
mod workers;

pub use call::{Answer, Call, Condition, History, Operands};
pub use counters::Counters;
pub use device::{DfltccDevice, Options};
pub use discover::open;
pub use error::DfltccError;
pub use hw::Function;
