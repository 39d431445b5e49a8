//! The scan: a DataFusion data source that reads through `pelton-pages`.
//!
//! [`PeltonSource`] is the plan's side: projection, filters and limit that were pushed down, and
//! estimates. When it runs, its partitions take windows of rows from one [`queue`], so that none is
//! idle while another has work left. Each [`execution`] of a partition gets the same rows.

mod data_source;
mod dynamic_filter_union;
mod execution;
mod predicate;
mod prune;
mod queue;
mod selectivity;
mod source;
mod stream;
mod units;
mod windows;

pub use source::{PeltonSource, ScanContext};
pub use windows::ScanWindows;
