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
mod decoder;
mod device;
mod error;
mod flat;
mod layout;
mod plan;
mod raw;
mod support;

pub use column::{ColumnType, Constant, DictionaryInfo, RawColumn, StagedColumn};
pub use decoder::PageDecoder;
pub use device::DeviceWindow;
pub use error::{Error, Result};
pub use flat::{Flattener, can_be_flat};
pub use layout::{flat_kernels, page_headers, page_kernels};
pub use plan::TILE_ROWS;
pub use raw::{RawOptions, RawWindow, ReadMemory};
pub use support::{leaf_of, supports};
