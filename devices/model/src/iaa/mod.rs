//! Intel's In-Memory Analytics Accelerator in software, behind the driver's `Portal`.
//!
//! It takes the 64-byte descriptors of the hardware, reads and writes the memory that they name in
//! its own threads, and writes the completion records, byte 0 last. What goes wrong is set by
//! [`Faults`]; what happened is in [`Counters`]; and how long the hardware would have taken, by
//! published and assumed figures, is in [`ModelledTime`].
//!
//! - `operation`: what each operation does, as safe functions over slices.
//! - [`Setup`]: a model behind the driver, as a user asks for it.
//! - `validate`: what the device checks before.
//! - `schedule`, `engine`: queues, and the threads that empty them.
//! - `fuzz`: descriptors and memory made of any bytes.
//! - `memory`: the one place where addresses become bytes, and the only unsafe code but for the
//!   entry through the trait.

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
