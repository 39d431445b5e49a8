//! Tables over Parquet files.

mod files;
mod footer_cache;
mod listed;
mod partitioned;
mod provider;
mod statistics;
mod unite;

pub use files::{TableFile, TableFiles, TableOptions};
pub use footer_cache::FooterCache;
pub use listed::HivePartitions;
pub(crate) use listed::ListedTable;
pub(crate) use partitioned::{open_table, opened};
pub(crate) use pelton_pages::bounds;
pub use provider::PeltonTable;
