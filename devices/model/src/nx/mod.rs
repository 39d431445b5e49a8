//! Software model of NX-GZIP, IBM's compression accelerator, behind the driver's `Window`.
//!
//! It takes the request blocks of the hardware, reads and writes their memory in its own threads,
//! and writes status and parameter blocks. The algorithm is that of `crates/nxu`. [`Faults`]
//! injects faults, [`Counters`] counts events, and [`ModelledTime`] has the time of the hardware,
//! computed from published figures.
//!
//! - `execute`: each function as a safe function over slices, and the checks of requests.
//! - `engine`: windows with credits, queues, and a thread for each engine.
//! - `memory`: turns addresses into bytes. With the entry through the trait in `model`, it has the
//!   unsafe code.
//! - `fuzz`: requests and memory from arbitrary bytes.
//! - [`Setup`]: a model behind the driver, from a user's settings.

mod clock;
mod config;
mod counters;
mod engine;
mod execute;
mod fault;
pub mod fuzz;
mod memory;
mod model;
mod setup;

pub use clock::{ModelledTime, Timing};
pub use config::Config;
pub use counters::Counters;
pub use fault::{Fault, Faults, Offered};
pub use model::Model;
pub use setup::Setup;
