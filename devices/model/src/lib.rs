//! Software models of devices, at the level of their descriptors, so that a driver is the same with
//! and without the hardware.
//!
//! - [`iaa`]: Intel's In-Memory Analytics Accelerator.
pub mod iaa;
