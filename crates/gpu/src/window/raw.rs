//! Pages of a scan range in host memory.

use std::sync::Arc;

use bytes::Bytes;
use pelton_device_cuda::Gpu;
use pelton_pages::raw::{self, RawPage};
use pelton_pages::{Cause, ParquetFile, Place, Result, RowRanges};

use super::column::{ColumnType, RawColumn};

pub use pelton_pages::raw::{RawOptions, ReadMemory};

/// Alignment of pages in pinned memory: the smallest unit of a copy, a sector of 32 bytes.
const PINNED_ALIGNMENT: usize = 32;

/// The wanted rows of some columns of a row group, as they are in the file.
#[derive(Debug, Clone)]
pub struct RawWindow {
    pub(super) wanted: RowRanges,
    pub(super) columns: Vec<RawColumn>,
}

impl RawWindow {
    /// Makes a scan range of some rows without columns: [`RawWindow::insert`] adds them.
    pub fn new(wanted: RowRanges) -> Self {
        Self { wanted, columns: Vec::new() }
    }

    /// Reads the pages of the leaf columns `leaves` that hold a wanted row.
    ///
    /// # Errors
    /// The file can't be read or has changed, a page header is bad, a checksum differs, or no
    /// kernel reads a column (ask [`super::supports`] before).
    pub async fn read(
        file: &Arc<ParquetFile>,
        row_group: usize,
        wanted: &RowRanges,
        leaves: &[usize],
        options: &RawOptions,
    ) -> Result<Self> {
        let types = leaves
            .iter()
            .map(|&leaf| ColumnType::new(file, leaf).map_err(|why| file.error(Cause::Decode(why))));
        let types = types.collect::<Result<Vec<_>>>()?;
        let chunks = raw::read(file, row_group, wanted, leaves, options).await?;
        let columns = chunks.into_iter().zip(types).map(|(chunk, of)| RawColumn::Pages(chunk, of)).collect();
        Ok(Self { wanted: wanted.clone(), columns })
    }

    /// Inserts a column in front of column `index`, or behind the last; usually one that the file
    /// does not have.
    pub fn insert(&mut self, index: usize, column: RawColumn) {
        self.columns.insert(index.min(self.columns.len()), column);
    }

    /// Returns the columns `order`, in that order, and no others.
    pub fn select(self, order: &[usize]) -> Self {
        let columns = order.iter().filter_map(|&index| self.columns.get(index).cloned()).collect();
        Self { columns, ..self }
    }

    /// Returns its columns, in their order.
    pub fn into_columns(self) -> Vec<RawColumn> {
        self.columns
    }

    /// Returns the bytes of the pages that are copied to the GPU.
    pub fn bytes(&self) -> u64 {
        let bytes = self.columns.iter().map(|column| match column {
            RawColumn::Pages(chunk, _) => chunk.bytes(),
            RawColumn::Staged(_) | RawColumn::Null | RawColumn::Constant(_) => 0,
        });
        bytes.sum()
    }

    /// Copies the pages to host memory that the GPU reads at full speed: one piece, in the order in
    /// which they are copied. It lives as long as a page of it.
    ///
    /// # Errors
    /// The system has no more such memory.
    pub fn pinned(mut self, gpu: &Gpu) -> pelton_device_cuda::Result<Self> {
        let room = |page: &RawPage| page.bytes.len().next_multiple_of(PINNED_ALIGNMENT);
        let mut memory = gpu.pinned(self.pages_mut().map(|page| room(page)).sum())?;
        let mut at = 0;
        for page in self.pages_mut() {
            memory[at..at + page.bytes.len()].copy_from_slice(&page.bytes);
            at += room(page);
        }
        let memory = Bytes::from_owner(memory);
        let mut at = 0;
        for page in self.pages_mut() {
            page.bytes = memory.slice(at..at + page.bytes.len());
            at += room(page);
        }
        Ok(self)
    }

    fn pages_mut(&mut self) -> impl Iterator<Item = &mut RawPage> {
        let chunks = self.columns.iter_mut().filter_map(|column| match column {
            RawColumn::Pages(chunk, _) => Some(chunk),
            RawColumn::Staged(_) | RawColumn::Null | RawColumn::Constant(_) => None,
        });
        chunks.flat_map(|chunk| chunk.dictionary.iter_mut().chain(&mut chunk.pages))
    }

    /// Returns the place of a column for errors; without a place if no file has it.
    pub(super) fn place(&self, column: usize) -> Place {
        match self.columns.get(column) {
            Some(RawColumn::Pages(chunk, _)) => chunk.place.clone(),
            _ => Place::default(),
        }
    }

    /// Returns the wanted rows, disjoint and ascending.
    pub fn wanted(&self) -> &RowRanges {
        &self.wanted
    }
}
