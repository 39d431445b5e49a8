//! The native layer: `pelton_scan` by the C++ interface of one exact version of DuckDB.
//!
//! `bindings/duckdb/native` is the layer's C++ part, compiled once for each known version. It calls
//! back through a table of functions ([`engine`]); [`load`] finds the layer of the running version
//! and loads it.

mod conditions;
mod copy;
mod engine;
mod load;
mod source;

pub use conditions::{Conditions, Scratch};
pub use engine::{Bounds, Duty, Facts, FileScan, Nulls, OnColumn};
pub use load::register;
pub use source::Source;
