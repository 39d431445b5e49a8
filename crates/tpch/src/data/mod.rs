//! The tables as Parquet files, generated once for a scale factor and a codec.

pub mod cache;
pub mod codec;
mod convert;
pub mod generate;
mod repack;
pub mod table;
mod table_writer;
pub mod write;
