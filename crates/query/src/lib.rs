//! SQL and Substrait over Parquet: tables, scans, sessions.
//!
//! DataFusion parses, plans and runs; the rows come from this crate. [`PeltonTable`] is a table
//! over files, [`scan`] its data source, and [`Session`] a DataFusion session set up for both.
#![forbid(unsafe_code)]

mod compact;
mod error;
mod fallible;
mod floats;
pub mod functions;
pub mod plan;
pub mod scan;
pub mod stores;
pub mod table;
mod tree;
mod writing_memory;

/// A value of a parameter, with its type.
pub use datafusion::common::ScalarValue as Value;
pub use error::{Error, Result};
pub use plan::{Accelerator, Parameters, Plan, Prepared, RowStream, Session, SessionOptions};
pub use scan::{PeltonSource, ScanContext, ScanWindows};
pub use table::{PeltonTable, TableFiles};
pub use writing_memory::WritingMemory;
