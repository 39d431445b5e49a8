//! Tables over Parquet files.

mod delta;
mod files;
mod footer_cache;
mod hive_table;
mod late;
mod listed;
mod memory;
mod provider;
mod statistics;
mod unite;

pub(crate) use delta::DeltaTable;
pub use files::{TableFile, TableFiles, TableOptions};
pub use footer_cache::FooterCache;
pub(crate) use hive_table::open_table;
pub(crate) use late::opened;
pub use listed::HivePartitions;
pub(crate) use listed::ListedTable;
pub(crate) use memory::Memory;
pub(crate) use pelton_pages::bounds;
pub use provider::PeltonTable;
pub(crate) use provider::rows;
