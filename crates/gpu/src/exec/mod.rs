//! Execution of a query's operations on a GPU.

mod compile;
mod error;
mod fill;
mod groups;
mod index_and_sort;
mod launch;
mod output;
mod run;
mod scan;
mod spill;
mod table;

pub use error::{Error, Result};
pub use run::{Engine, Limits, Run};
