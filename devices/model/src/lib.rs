//! Software models of devices, at the level of their descriptors, so that a driver is the same with
//! and without the hardware.
//!
//! - [`dfltcc`]: the DEFLATE instruction of IBM z15 and later.
//! - [`iaa`]: Intel's In-Memory Analytics Accelerator.
//! - [`nx`]: IBM's NX-GZIP.
pub mod dfltcc;
pub mod faults;
pub mod iaa;
pub mod nx;
