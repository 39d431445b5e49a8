//! Parquet files as jobs: reads and writes column chunks; the router compresses and decompresses
//! their pages.
//!
//! This crate stands between the query layer, which selects columns and rows, and the router, which
//! selects a device for each job. It reads footers ([`ParquetFile`]), splits row groups into scan
//! ranges ([`windows`]), reads the pages that a range needs and submits them to the router as one
//! batch ([`LoadedColumns`]), and decodes the results, filter columns first ([`ScanSpec`]). Flat
//! columns have native decoders; parquet-rs decodes the others.
//!
//! ```text
//! ParquetFile ─► windows ─► Window::load ─► Prefetched::filter ─► WindowBatches
//!                              │  fetch: ranges, headers     │ selection
//!                              ▼                             ▼
//!                          LoadedColumns ── jobs ─► Router   LoadedColumns (the other columns)
//! ```
//!
//! [`raw`] gives pages as stored in the file, for decompression and decoding on a GPU.
//!
//! [`TableWriter`] encodes rows and has their pages compressed by the router. [`repack`]
//! decompresses the pages of a file, compresses them with another codec, and writes a new file
//! without decoding a row.
#![forbid(unsafe_code)]

mod counters;
mod decode;
mod decompression;
mod error;
mod file;
pub mod header;
pub mod listing;
mod load;
mod panic_guard;
pub mod raw;
mod recorder;
mod scan;
mod sql_types;
mod types;
mod undecided;
mod widths;
mod write;

pub use counters::{FooterTotals, ScanCounters, ScanTotals};
pub use decode::decoder::{Decoder, Rows};
pub use decompression::Decompression;
pub use error::{Cause, Error, Place, Result};
pub use file::{
    BloomFilter, BloomFilters, BloomValue, ColumnTypes, FooterOptions, Location, ParquetFile, bounds, prune,
    store_message, traffic,
};
pub use load::columns::LoadedColumns;
pub use load::dictionary_cache::Dictionaries;
pub use load::fetch::{self, RowRanges, intersect};
pub use load::jobs::LoadOptions;
pub use recorder::{Recorder, Work, WorkSpan, Worker};
pub use scan::{
    Condition, Filter, FilterEffectiveness, FilterStage, Prefetched, ScanSpec, Shares, WINDOW_BYTES, Window,
    WindowBatches, windows,
};
pub use sql_types::type_in_sql;
pub use undecided::Undecided;
pub use write::{
    AtomicFile, AtomicFolder, CsvFormat, Existing, OptionValue, OutputFile, PARQUET_TYPE, Packing,
    ParquetOptions, RepackOptions, RepackProgress, Repacked, RowFormat, RowWriter, TableWriter, TextCodec,
    TimeFormats, WriteOptions, Written, check_columns, is_data_file, level, remove_partial_files, repack,
};
