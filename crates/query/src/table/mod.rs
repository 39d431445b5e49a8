//! Tables over Parquet files.

mod files;
mod listed;
mod memory;
mod provider;
mod statistics;
mod unite;

pub use files::{TableFile, TableFiles, TableOptions};
pub use listed::HivePartitions;
pub(crate) use listed::ListedTable;
pub(crate) use memory::Memory;
pub(crate) use pelton_pages::bounds;
pub use provider::PeltonTable;
pub(crate) use provider::rows;
