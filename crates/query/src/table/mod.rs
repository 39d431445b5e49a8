//! Tables over Parquet files.

pub(crate) mod bounds;
mod files;
pub mod listing;
mod provider;
mod statistics;

pub use files::{TableFile, TableFiles};
pub use provider::PeltonTable;
