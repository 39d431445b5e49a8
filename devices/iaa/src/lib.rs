//! Intel's In-Memory Analytics Accelerator (IAA), driven from its character device alone.
//!
//! - [`hw`]: what the device reads and writes, byte by byte: descriptors, completion records, the
//!   analytics engine's configuration and state (AECS). Only layouts and constants; no memory is
//!   touched.
//! - [`Portal`]: where descriptors go in. A work queue of the hardware is one, and so is a queue of
//!   the software model in `devices/model`, so that the driver above is the same with and without
//!   hardware.
//! - [`discover`]: which devices and queues this machine has, which of them can be used, and what
//!   would enable the rest.
//! - [`sys`]: the hardware's own portal, and the instructions to wait for it.
//! - `operations`: each operation as a sequence of descriptors. Safe code, which knows no address.
//! - `queue`: jobs in flight; who owns the memory that the device is at. Unsafe code is there and
//!   in `sys`, and nowhere else.
//! - [`IaaDevice`]: the device as a router sees it, and the operations that jobs don't have.
//!
//! What the device says is not taken on trust: sizes have to fit, checksums have to be those of the
//! container, and what it compresses it has to decompress. Whatever is wrong costs another try or
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
