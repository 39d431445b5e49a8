//! Software models of devices, at the level of their descriptors, so that a driver is the same with
//! and without the hardware.
//!
//! - [`iaa`]: Intel's In-Memory Analytics Accelerator.
//! - [`dfltcc`]: the DEFLATE instruction of IBM z15 and later.
pub mod dfltcc;
pub mod iaa;
