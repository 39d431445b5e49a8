//! Tables over Parquet files.

mod files;
mod provider;
mod statistics;

pub use files::{TableFile, TableFiles};
pub(crate) use pelton_pages::bounds;
pub use provider::PeltonTable;
