//! The tables as Parquet files, generated once for a scale factor and a codec.

pub mod cache;
pub mod codec;
mod convert;
pub mod generate;
pub mod table;
mod table_writer;
pub mod write;
