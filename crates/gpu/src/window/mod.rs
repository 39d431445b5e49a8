//! Scan ranges on the GPU: compressed Parquet pages go in, and kernels read values by row.
//!
//! [`RawWindow`] holds the pages of some columns for the wanted rows of a row group, as they are in
//! the file. [`PageDecoder::stage`] copies them to the GPU, has them decompressed there, and builds
//! a page directory for each: the places of its parts. With it a kernel reads any row of any column
//! from the page (`kernels/pages/cursor.cuh`).
//!
//! ```text
//! RawWindow::read ─► PageDecoder::stage ──────────────────────────► DeviceWindow
//!   pages, rows         copy ─► decompress ─► pages_directory          columns, tiles
//! ```
//!
//! Memory for directories is reserved before the pages are decompressed, so that the host need not
//! wait for their contents. docs/gpu-pages.md has the sizes and the reasons for the layout.

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
