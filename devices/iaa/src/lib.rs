//! Intel's In-Memory Analytics Accelerator (IAA), driven from its character device alone.
//!
//! - [`hw`]: what the device reads and writes, byte by byte: descriptors, completion records, the analytics engine's
//!   configuration and state (AECS). Only layouts and constants; no memory is touched.
//! - [`Portal`]: where descriptors go in. A work queue of the hardware is one, and so is a queue of the software model
//!   in `devices/model`, so that the driver above is the same with and without hardware.
//! - [`discover`]: which devices and queues this machine has, which of them can be used, and what would enable the rest.
//! - [`sys`]: the hardware's own portal, and waiting for it; the only unsafe code.
#![deny(unsafe_code)]

pub mod discover;
pub mod hw;
mod portal;
pub mod sys;

pub use portal::{Capabilities, Mode, Portal, SubmitError};
