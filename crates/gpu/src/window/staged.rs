//! Columns that stay on the GPU: decoded, or with the directories of their pages.

use std::sync::Arc;

use pelton_device_cuda::Buffer;

use super::check::ColumnPlace;
use super::device::DictionaryInfo;
use super::layout::Column;

/// A column of a row group on the GPU, which any number of windows read.
#[derive(Debug)]
pub struct StagedColumn {
    /// As kernels have it, but for its number in a window and the window's status.
    pub(super) column: Column,
    pub(super) place: Arc<ColumnPlace>,
    pub(super) dictionary: Option<DictionaryInfo>,
    /// Rows of the window that it was made in.
    pub(super) rows: u64,
    /// Bytes of its values, or of its decompressed pages.
    pub(super) bytes: u64,
    /// What the column points into, shared with others of its window.
    pub(super) buffers: Vec<Arc<Buffer>>,
}

impl StagedColumn {
    /// Bytes that are read for so many of its rows.
    pub(super) fn reads(&self, rows: u64) -> u64 {
        (u128::from(self.bytes) * u128::from(rows) / u128::from(self.rows.max(1))) as u64
    }

    /// Bytes of GPU memory that the columns of the window that it was made in take together.
    pub fn memory(&self) -> u64 {
        self.buffers.iter().map(|buffer| buffer.len() as u64).sum()
    }
}
