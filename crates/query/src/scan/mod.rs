//! Scan of Parquet files: a DataFusion data source that reads through `pelton-pages`.
//!
//! [`PeltonSource`] is the scan in a plan: projection, filters and limit that were pushed down, and
//! estimates. When the plan runs, the partitions take scan ranges from one [`queue`], so that no
//! partition is idle while another one has work. Each [`execution`] of a partition gets the same
//! rows.

mod data_source;
mod dynamic_filter_union;
mod execution;
mod join_keys;
mod predicate;
mod prune;
mod queue;
mod selectivity;
mod source;
mod stream;
mod units;
mod windows;

pub(crate) use join_keys::{JoinKeys, KeyCollector, KeyTable, NO_KEY};
pub(crate) use prune::bloom_value;
pub use source::{PeltonSource, ScanContext};
pub use windows::ScanWindows;
