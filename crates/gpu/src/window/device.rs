//! A window on the GPU.

use std::sync::Arc;

use pelton_device_cuda::{Buffer, Statuses, Stream};

use super::check::{Checks, ColumnPlace, Decompression};
use super::error::Result;
use super::plan::Plan;
use super::raw::{RawColumn, RawWindow};

/// A column's dictionary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DictionaryInfo {
    /// How many values it has.
    pub values: u32,
}

/// Some columns of a row group on the GPU, ready to be read by kernels.
#[derive(Debug)]
pub struct DeviceWindow {
    /// Wanted rows.
    pub rows: u64,
    /// `struct Tile` for each [`super::TILE_ROWS`] wanted rows in a row, or fewer.
    pub tiles: Arc<Buffer>,
    /// How many tiles there are.
    pub tile_count: u32,
    /// `struct Column` for each column, in the order of the raw window.
    pub columns: Arc<Buffer>,
    dictionaries: Vec<Option<DictionaryInfo>>,
    /// Pages and what was made of them, which the columns point into.
    buffers: Vec<Arc<Buffer>>,
    checks: Checks,
}

/// What a window is made of.
pub(super) struct Parts<'a> {
    pub raw: &'a RawWindow,
    pub plan: Plan,
    pub columns: Arc<Buffer>,
    pub tiles: Arc<Buffer>,
    /// Where in `columns` the status is.
    pub status: usize,
    /// What became of the pages that were decompressed.
    pub statuses: Option<Statuses>,
    pub buffers: Vec<Arc<Buffer>>,
}

impl DeviceWindow {
    pub(super) fn new(parts: Parts<'_>) -> Self {
        let Parts { raw, plan, columns, tiles, status, statuses, buffers } = parts;
        let dictionaries = plan.columns.iter().map(|column| {
            column.dictionary.map(|page| DictionaryInfo { values: plan.pages[page].page.rows })
        });
        let places = raw.columns.iter().map(|column| match column {
            RawColumn::Pages(chunk, _) => ColumnPlace::new(chunk),
            RawColumn::Null | RawColumn::Constant(_) => ColumnPlace::default(),
        });
        let decompressed = plan.tasks.iter().map(|task| {
            let page = &plan.pages[task.page].page;
            (page.column as usize, page.number as usize)
        });
        let decompression =
            statuses.map(|statuses| Decompression { statuses, pages: decompressed.collect() });
        let checks = Checks { status, columns: places.collect(), decompression };
        Self {
            rows: plan.rows,
            tile_count: plan.tiles.len() as u32,
            dictionaries: dictionaries.collect(),
            tiles,
            columns,
            buffers,
            checks,
        }
    }

    /// The dictionary of column `index`, if some of its pages have codes.
    pub fn dictionary(&self, index: usize) -> Option<DictionaryInfo> {
        self.dictionaries.get(index).copied().flatten()
    }

    /// Bytes of GPU memory that it takes.
    pub fn memory(&self) -> u64 {
        self.buffers.iter().chain([&self.tiles, &self.columns]).map(|buffer| buffer.len() as u64).sum()
    }

    /// Waits for everything that was queued on `stream`, and says whether all that was read of the window by then was sound.
    ///
    /// # Errors
    /// A page is damaged: the first that was found, as an error that names its place. Or the GPU fails.
    pub fn check(&self, stream: &Stream) -> Result<()> {
        self.checks.run(stream, &self.columns)
    }
}
