//! Windows of rows on the GPU: compressed Parquet pages go in, and kernels read values by row.
//!
//! [`RawWindow`] holds the pages of some columns for the wanted rows of a row group, as they are in
//! the file. [`PageDecoder::stage`] copies them to the GPU, has them decompressed there, and runs a
//! pass that finds in each page where its parts are: a directory. With it a kernel reads any row of
//! any column where it lies (`kernels/pages/cursor.cuh`).
//!
//! ```text
//! RawWindow::read ─► PageDecoder::stage ──────────────────────────► DeviceWindow
//!   pages, rows         copy ─► decompress ─► pages_directory          columns, tiles
//! ```
//!
//! Room for directories is set aside before the pages are decompressed, so that the host need not
//! wait for their contents: docs/gpu-pages.md says how much, and why things lie as they do.

mod check;
mod column;
mod constant;
mod decoder;
mod device;
mod error;
mod fault;
mod flat;
mod layout;
mod plan;
mod raw;
mod sources;
mod staged;
mod support;

pub use column::ColumnType;
pub use constant::Constant;
pub use decoder::PageDecoder;
pub use device::{DeviceWindow, DictionaryInfo};
pub use error::{Error, Result};
pub use flat::{Flattener, can_be_flat};
pub use plan::TILE_ROWS;
pub use raw::{RawColumn, RawOptions, RawWindow, ReadMemory};
pub use sources::{flat_kernels, page_headers, page_kernels};
pub use staged::StagedColumn;
pub use support::{leaf_of, supports};
