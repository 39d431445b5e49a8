//! Decoding of decompressed pages.
//!
//! Flat columns of dictionary indices or plain values of a fixed width are decoded in [`native`], all
//! others by parquet-rs ([`parquet_rs`]), whose decoders get the pages as if they had been read from
//! a file without compression. parquet-rs's table of codecs is closed, so its own page reader is not
//! used: [`LoadedColumns`](crate::LoadedColumns) implements its
//! [`RowGroups`](parquet::arrow::arrow_reader::RowGroups), and gives out decompressed pages.

pub(crate) mod coded;
pub(crate) mod compaction;
pub(crate) mod decoder;
pub(crate) mod flat;
pub(crate) mod native;
pub(crate) mod parquet_rs;
pub(crate) mod synthetic_pages;
pub(crate) mod validate;
