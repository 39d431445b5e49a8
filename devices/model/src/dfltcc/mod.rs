//! Software model of IBM's DFLTCC instruction, behind the driver's `Call`.
//!
//! A call takes a parameter block and slices, as the instruction takes registers: the model has no
//! addresses, threads or queues. The algorithm is that of `pelton-nxu`.
//!
//! - `checks`: ending codes, and the rules of the parameter block.
//! - `window`: history in its circular buffer.
//! - `state`: the state that the model keeps in the parameter block between two calls.
//! - `compress`, `expand`, `table`: the three functions.
//! - [`Model`]: functions, faults, counters and the clock as one.
//! - [`Setup`]: a model behind the driver, from a user's settings.
//! - `fuzz`: parameter blocks and operands from arbitrary bytes.

mod checks;
mod compress;
mod config;
mod counters;
mod expand;
pub mod fuzz;
mod model;
mod setup;
mod state;
mod table;
mod timing;
mod window;

pub use checks::ending_code;
pub use config::{Config, Fault, Faults, Plan};
pub use counters::Counters;
pub use model::Model;
pub use setup::Setup;
pub use timing::ModelledTime;
