//! Decoding of decompressed pages.
//!
//! Flat columns of dictionary indices or plain values of a fixed width are decoded in [`native`].
//! All other columns are decoded by parquet-rs ([`parquet_rs`]). Its table of codecs is closed, so
//! its own page reader is not used: [`LoadedColumns`](crate::LoadedColumns) implements its
//! [`RowGroups`](parquet::arrow::arrow_reader::RowGroups) and passes decompressed pages, as if the
//! file had no compression.

pub(crate) mod compaction;
pub(crate) mod decoder;
pub(crate) mod dictionary_column;
pub(crate) mod flat;
pub(crate) mod native;
pub(crate) mod parquet_rs;
pub(crate) mod synthetic_pages;
pub(crate) mod validate;
