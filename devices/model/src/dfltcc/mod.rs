//! Software model of IBM's DFLTCC instruction, behind the driver's `Call`.
//!
//! A call takes a parameter block and slices, as the instruction takes registers: the model has no
//! addresses, threads or queues. The algorithm is that of `pelton-nxu`.
//!
//! - `function`: the three functions over a parameter block and slices.
//! - [`Model`]: functions, faults, counters and the clock as one.
//! - [`Setup`]: a model behind the driver, from a user's settings.
//! - `fuzz`: parameter blocks and operands from arbitrary bytes.

mod config;
mod counters;
mod function;
pub mod fuzz;
mod model;
mod setup;
mod timing;

pub use config::{Config, Fault, Faults, Plan};
pub use counters::Counters;
pub use function::ending_code;
pub use model::Model;
pub use setup::Setup;
pub use timing::ModelledTime;
