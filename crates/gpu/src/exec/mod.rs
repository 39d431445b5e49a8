//! Running a query's operations on a GPU.

mod compile;
mod error;
mod fill;
mod groups;
mod launch;
mod output;
mod parameters;
mod passes;
mod run;
mod scan;
mod sort;
mod spill;
mod table;

pub use error::{Error, Result};
pub use run::{Engine, Finished, Limits, Run};
