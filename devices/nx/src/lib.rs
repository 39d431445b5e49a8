//! IBM's NX-GZIP, the compression accelerator of POWER9 and POWER10, driven by its request blocks.
//!
//! - [`hw`]: layouts of request (CRB), status (CSB), parameters (CPB) and data descriptors (DDE),
//!   all of them big-endian, with the function and completion codes. Nothing here touches memory.
//! - [`Window`]: the entry for requests, a window of the hardware or of the model in
//!   `devices/model`. The driver above it is the same for both.
//! - `operations`: each operation as a sequence of requests, in safe code without addresses.
//! - `queue`: operations in flight, the memory that the engine may access, credits and windows.
//! - `sys`: the hardware's window, on 64-bit POWER only.
//! - [`discover`]: the state of this machine's accelerator, in a line with the next step.
//! - [`NxDevice`]: the device for a router.
//!
//! The engine does not page: it reports a missing page, and the driver touches it and replays the
//! request, which is possible because a request never overwrites its input (the paper, section
//! VII-B).
#![deny(unsafe_code)]

mod counters;
mod device;
pub mod discover;
mod error;
pub mod hw;
mod operations;
mod options;
mod queue;
#[cfg(all(target_os = "linux", target_arch = "powerpc64"))]
pub mod sys;
mod window;

pub use counters::Counters;
pub use device::NxDevice;
pub use error::NxError;
pub use options::{Opener, Options};
pub use window::{Credits, Limits, Pasted, Window};
