//! Software model of Intel's In-Memory Analytics Accelerator, behind the driver's `Portal`.
//!
//! It takes the descriptors of the hardware, reads and writes their memory in its own threads, and
//! writes completion records. [`Faults`] injects faults, [`Counters`] counts events, and
//! [`ModelledTime`] has the time of the hardware, computed from published and assumed figures.
//!
//! - `operation`: each operation as a safe function over slices.
//! - [`Setup`]: a model behind the driver, from a user's settings.
//! - `engine`: queues and threads, validation and execution of descriptors. `engine/memory.rs`
//!   turns addresses into bytes, and has the unsafe code, together with the entry through the
//!   trait.
//! - `fuzz`: descriptors and memory from arbitrary bytes.

mod builder;
mod clock;
mod config;
mod counters;
mod engine;
mod fault;
pub mod fuzz;
mod model;
pub mod operation;
mod setup;
mod timing;

pub use builder::Builder;
pub use clock::ModelledTime;
pub use config::QueueConfig;
pub use counters::{Counters, Injected};
pub use fault::{Fault, Faults, Offered};
pub use model::Model;
pub use setup::Setup;
pub use timing::Timing;
