//! Intel's In-Memory Analytics Accelerator (IAA), driven from its character device alone.
//!
//! - [`hw`]: layouts and constants of descriptors, completion records and the analytics engine's
//!   configuration and state (AECS). Nothing here touches memory.
//! - [`Portal`]: the entry for descriptors, a work queue of the hardware or of the model in
//!   `devices/model`. The driver above it is the same for both.
//! - [`discover`]: diagnosis of the devices and queues of this machine.
//! - [`sys`]: the hardware's portal, and instructions that wait for it.
//! - `operations`: each operation as a sequence of descriptors, in safe code without addresses.
//! - `queue`: operations in flight, and the memory that the device may access. Only this module and
//!   `sys` have unsafe code.
//! - [`IaaDevice`]: the device for a router, and its operations beyond jobs.
//!
//! Answers of the device are verified: sizes have to fit, checksums have to be those of the
//! container, and its compressed output has to decompress. A wrong answer costs another attempt or
//! another device.
#![deny(unsafe_code)]

mod device;
pub mod discover;
mod error;
pub mod hw;
mod operations;
mod options;
mod portal;
mod queue;
pub mod sys;
mod windows;

pub use device::IaaDevice;
pub use discover::open;
pub use error::{Advice, IaaError};
pub use operations::{
    CannedTables, Dropped, Filter, FilterOperation, Filtered, Layout, MiniBlockSize, MiniBlocks, Predicate,
    Width,
};
pub use options::{Opener, Options};
pub use portal::{Capabilities, Mode, Portal, SubmitError};
pub use queue::Wait;
pub use windows::Windows;
