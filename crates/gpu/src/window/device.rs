//! A scan range on the GPU.

use std::sync::Arc;

use pelton_device_cuda::{Buffer, Statuses, Stream};
use pelton_pages::{Cause, Place};

use super::check::{Checks, ColumnPlace, Decompression};
use super::column::{DictionaryInfo, RawColumn, StagedColumn};
use super::error::{Error, Result};
use super::layout::Column;
use super::plan::Plan;
use super::raw::RawWindow;

/// Some columns of a row group on the GPU, ready to be read by kernels.
#[derive(Debug)]
pub struct DeviceWindow {
    /// Wanted rows.
    pub rows: u64,
    /// `struct Tile` for each [`super::TILE_ROWS`] wanted rows in a row, or fewer.
    pub tiles: Arc<Buffer>,
    /// Number of tiles.
    pub tile_count: u32,
    /// `struct Column` for each column, in the order of the [`RawWindow`].
    pub columns: Arc<Buffer>,
    dictionaries: Vec<Option<DictionaryInfo>>,
    /// The columns as they are in `columns`, and the bytes of their decompressed pages.
    placed: Vec<(Column, u64)>,
    /// Pages as they were copied, if values are read there.
    pages: Option<Arc<Buffer>>,
    /// Other buffers that the columns point into.
    buffers: Vec<Arc<Buffer>>,
    /// Columns that other scan ranges may share.
    staged: Vec<Arc<StagedColumn>>,
    checks: Checks,
}

/// Parts of a scan range on the GPU.
pub(super) struct Parts<'a> {
    pub raw: &'a RawWindow,
    pub plan: Plan,
    /// The columns with addresses.
    pub placed: Vec<Column>,
    pub columns: Arc<Buffer>,
    pub tiles: Arc<Buffer>,
    /// Offset of the status in `columns`.
    pub status: usize,
    /// Results of the pages that were decompressed.
    pub statuses: Option<Statuses>,
    /// Pages as they were copied, and their decompressed forms.
    pub pages: Arc<Buffer>,
    pub buffers: Vec<Arc<Buffer>>,
}

impl DeviceWindow {
    pub(super) fn new(parts: Parts<'_>) -> Self {
        let Parts { raw, plan, placed, columns, tiles, status, statuses, pages, buffers } = parts;
        let dictionaries = plan.columns.iter().zip(&raw.columns).map(|(planned, column)| match column {
            RawColumn::Staged(staged) => staged.dictionary,
            _ => planned.dictionary.map(|page| DictionaryInfo { values: plan.pages[page].page.rows }),
        });
        let places = raw.columns.iter().map(|column| match column {
            RawColumn::Pages(chunk, _) => Arc::new(ColumnPlace::new(chunk)),
            RawColumn::Staged(staged) => staged.place.clone(),
            RawColumn::Null | RawColumn::Constant(_) => Arc::default(),
        });
        let staged = raw.columns.iter().filter_map(|column| match column {
            RawColumn::Staged(staged) => Some(staged.clone()),
            _ => None,
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
            placed: placed
                .iter()
                .copied()
                .zip(plan.columns.iter().map(|column| plan.bytes(column)))
                .collect(),
            tiles,
            columns,
            pages: plan.reads_raw().then_some(pages),
            buffers,
            staged: staged.collect(),
            checks,
        }
    }

    /// Returns the dictionary of column `index`, if some of its pages have indices.
    pub fn dictionary(&self, index: usize) -> Option<DictionaryInfo> {
        self.dictionaries.get(index).copied().flatten()
    }

    /// Returns the bytes of GPU memory that it takes, without columns that it shares with other
    /// scan ranges.
    pub fn memory(&self) -> u64 {
        let own = self.buffers.iter().chain(&self.pages).chain([&self.tiles, &self.columns]);
        own.map(|buffer| buffer.len() as u64).sum()
    }

    /// Returns the bytes that a kernel reads for all wanted rows.
    pub fn reads(&self) -> u64 {
        self.memory() + self.staged.iter().map(|column| column.reads(self.rows)).sum::<u64>()
    }

    /// Returns its columns one by one, for other scan ranges over rows of it
    /// ([`RawColumn::Staged`]), once it was checked. Columns without pages are left out.
    pub fn into_columns(self) -> Vec<Arc<StagedColumn>> {
        let shared = self.staged.iter().flat_map(|column| column.buffers.iter().cloned());
        let own = self.buffers.into_iter().chain(self.pages).chain([self.columns]);
        let buffers: Vec<_> = own.chain(shared).collect();
        let columns = self.placed.iter().zip(self.dictionaries).zip(self.checks.columns);
        let columns = columns.filter(|((column, _), _)| column.0.page_count > 0);
        let columns = columns.map(|(((column, bytes), dictionary), place)| {
            let (column, bytes, buffers) = (*column, *bytes, buffers.clone());
            Arc::new(StagedColumn { column, place, dictionary, rows: self.rows, bytes, buffers })
        });
        columns.collect()
    }

    /// Returns the columns with pages of this scan range, with addresses.
    pub(super) fn placed(&self) -> Vec<Column> {
        self.placed.iter().map(|(column, _)| *column).filter(|column| column.page_count > 0).collect()
    }

    /// Returns the place for errors and the dictionary of each of these.
    pub(super) fn places_and_dictionaries(
        &self,
    ) -> impl Iterator<Item = (Arc<ColumnPlace>, Option<DictionaryInfo>)> {
        let columns = self.placed.iter().zip(&self.checks.columns).zip(&self.dictionaries);
        let columns = columns.filter(|(((column, _), _), _)| column.page_count > 0);
        columns.map(|((_, place), dictionary)| (place.clone(), *dictionary))
    }

    /// Returns the address of `struct Column` of column `index`.
    pub(super) fn column_address(&self, index: u32) -> u64 {
        self.columns.address() + u64::from(index) * size_of::<Column>() as u64
    }

    /// Copies bytes that a column points to into another buffer.
    pub(super) fn copy_out(
        &self,
        stream: &Stream,
        from: u64,
        to: &Buffer,
        offset: u64,
        bytes: u64,
    ) -> Result<()> {
        if bytes == 0 {
            return Ok(());
        }
        let own = self.buffers.iter().chain(&self.pages).find_map(|buffer| {
            let at = from.checked_sub(buffer.address())?;
            (at + bytes <= buffer.len() as u64).then_some((buffer, at))
        });
        match own {
            Some((buffer, at)) => {
                Ok(stream.copy(to, offset as usize, buffer, at as usize, bytes as usize)?)
            }
            None => {
                let cause = Cause::Decode("internal error: bytes that are not in their window".to_owned());
                Err(Error::Unsupported(pelton_pages::Error::new(Place::default(), cause)))
            }
        }
    }

    /// Waits for everything that was queued on `stream`, and checks all pages that were read by
    /// then.
    ///
    /// # Errors
    /// A page is damaged: the first one found, as an error that names its place. Or the GPU fails.
    pub fn check(&self, stream: &Stream) -> Result<()> {
        self.checks.run(stream, &self.columns)
    }
}
