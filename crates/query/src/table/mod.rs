//! Tables over Parquet files.

mod files;
mod memory;
mod provider;
mod statistics;

pub use files::{TableFile, TableFiles};
pub(crate) use memory::Memory;
pub(crate) use pelton_pages::bounds;
pub use provider::PeltonTable;
pub(crate) use provider::rows;
