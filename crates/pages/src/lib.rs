//! Parquet column chunks to and from jobs.
//!
//! This crate stands between the query layer, which knows which columns and rows it wants, and the
//! router, which knows who decompresses. It reads footers ([`ParquetFile`]), cuts row groups into
//! windows of rows ([`windows`]), reads the pages that a window needs and submits them to the
//! router as one batch ([`LoadedColumns`]), and decodes what comes back, filter columns first
//! ([`ScanSpec`]): flat ones here, the rest by parquet-rs.
//!
//! ```text
//! ParquetFile ─► windows ─► Window::load ─► Prefetched::filter ─► WindowBatches
//!                              │  fetch: ranges, headers     │ survivors
//!                              ▼                             ▼
//!                          LoadedColumns ── jobs ─► Router   LoadedColumns (the other columns)
//! ```
//!
//! [`raw`] gives pages as they are in the file to who decompresses and decodes them elsewhere: on a
//! GPU.
//!
//! [`TableWriter`] is the way back: rows are encoded, and their pages compressed by the router.
//! [`repack`] does without the rows: a file's pages are decompressed, compressed with another
//! codec, and written as a new file.
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
mod types;
mod undecided;
mod widths;
mod write;

pub use counters::{ScanCounters, ScanTotals};
pub use decode::decoder::{Decoder, Rows};
pub use decompression::Decompression;
pub use error::{Cause, Error, Place, Result};
pub use file::{
    BloomFilter, BloomFilters, BloomValue, ColumnTypes, FooterOptions, Location, ParquetFile, bounds, prune,
};
pub use load::columns::LoadedColumns;
pub use load::dictionary_cache::Dictionaries;
pub use load::fetch::{self, RowRanges, intersect};
pub use load::jobs::LoadOptions;
pub use recorder::{Recorder, Work, WorkSpan, Worker};
pub use scan::{
    Condition, Filter, FilterStage, Prefetched, ScanSpec, Shares, WINDOW_BYTES, Window, WindowBatches,
    windows,
};
pub use undecided::Undecided;
pub use write::{
    AtomicFile, PARQUET_TYPE, Packing, RepackOptions, RepackProgress, Repacked, TableWriter, WriteOptions,
    Written, is_stream, remove_partial_files, repack,
};
