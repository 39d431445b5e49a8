//! Layout of a scan range on the GPU: planned before anything is allocated, as offsets into
//! buffers.

mod page;

pub use page::PlannedPage;

use std::ops::Range;

use bytes::Bytes;
use parquet::basic::Compression;
use pelton_pages::raw::{RawChunk, RawPage};
use pelton_pages::{Result, RowRanges};

use super::column::{ColumnType, Constant, RawColumn, StagedColumn};
use super::layout::{self, Column, HINT_ROWS, Tile};
use super::raw::RawWindow;

/// Alignment of pages and directories, for decompressors and 16-byte loads.
const ALIGNMENT: u64 = 16;

/// Maximum number of rows in a tile: a block's threads take one each.
pub const TILE_ROWS: usize = 256;

/// Layout of a buffer that is filled from its start.
#[derive(Debug, Default)]
pub struct Arena {
    pub used: u64,
}

impl Arena {
    /// Reserves bytes, and returns their offset.
    pub fn reserve(&mut self, bytes: u64) -> u64 {
        let at = self.used;
        self.used = at.saturating_add(bytes).checked_next_multiple_of(ALIGNMENT).unwrap_or(u64::MAX);
        at
    }
}

/// Bytes that are copied to the GPU from the file unchanged.
#[derive(Debug)]
pub struct Copy {
    /// Their offset in the buffer of raw pages.
    pub at: u64,
    pub bytes: Bytes,
}

/// Bytes to decompress.
#[derive(Debug)]
pub struct Task {
    /// Index of the page in [`Plan::pages`].
    pub page: usize,
    pub codec: Compression,
    /// Their offset in the buffer of raw pages, and their number.
    pub source: u64,
    pub source_len: usize,
    /// Offset of the output in the working buffer, and its number of bytes.
    pub target: u64,
    pub target_len: usize,
}

/// A column with offsets in place of addresses.
#[derive(Debug)]
pub struct PlannedColumn {
    pub column: Column,
    /// Its data pages among all pages.
    pub pages: Range<usize>,
    pub dictionary: Option<usize>,
    pub hints: Vec<u32>,
    /// The bytes of a constant in the buffer of raw pages.
    pub constant: Option<u64>,
    /// Whether its pages are on the GPU already, so that its addresses are no offsets.
    pub is_staged: bool,
}

/// Layout of a scan range on the GPU.
#[derive(Debug, Default)]
pub struct Plan {
    pub copies: Vec<Copy>,
    pub tasks: Vec<Task>,
    pub pages: Vec<PlannedPage>,
    pub columns: Vec<PlannedColumn>,
    pub tiles: Vec<Tile>,
    pub rows: u64,
    /// The buffer of raw pages, and the working buffer.
    pub raw: Arena,
    pub work: Arena,
}

impl Plan {
    /// Plans a scan range.
    ///
    /// # Errors
    /// A page's sizes contradict each other, or its values are in an encoding that is not one of
    /// its type.
    pub fn new(window: &RawWindow) -> Result<Self> {
        let mut plan = Plan { tiles: tiles(&window.wanted), ..Plan::default() };
        plan.rows = window.wanted.iter().map(|range| range.len() as u64).sum();
        for column in &window.columns {
            let number = plan.columns.len() as u32;
            let planned = match column {
                RawColumn::Pages(chunk, of) => plan.chunk(number, chunk, of)?,
                RawColumn::Staged(staged) => PlannedColumn::staged(staged, number),
                RawColumn::Null => PlannedColumn::without_pages(layout::kind::NULL, number, [0, 0]),
                RawColumn::Constant(constant) => {
                    let words = constant.words().unwrap_or_default();
                    let mut planned = PlannedColumn::without_pages(layout::kind::CONSTANT, number, words);
                    if let Constant::Bytes(bytes) = constant {
                        planned.constant = Some(plan.copy(bytes.clone()));
                        planned.column.constant[1] = bytes.len() as u64;
                    }
                    planned
                }
            };
            plan.columns.push(planned);
        }
        Ok(plan)
    }

    /// Returns whether some values are read from the buffer of raw pages.
    pub fn reads_raw(&self) -> bool {
        let reads = |page: &PlannedPage| !page.is_decompressed && page.page.body_length > 0;
        self.pages.iter().any(reads) || self.columns.iter().any(|column| column.constant.is_some())
    }

    /// Returns the bytes of the decompressed pages of a column, dictionary included.
    pub fn bytes(&self, column: &PlannedColumn) -> u64 {
        let pages = column.dictionary.into_iter().chain(column.pages.clone());
        pages.map(|page| u64::from(self.pages[page].page.body_length)).sum()
    }

    fn copy(&mut self, bytes: Bytes) -> u64 {
        let at = self.raw.reserve(bytes.len() as u64);
        if !bytes.is_empty() {
            self.copies.push(Copy { at, bytes });
        }
        at
    }

    fn chunk(&mut self, number: u32, chunk: &RawChunk, of: &ColumnType) -> Result<PlannedColumn> {
        let dictionary = match &chunk.dictionary {
            Some(page) => Some(self.page(number, chunk, page, of)?),
            None => None,
        };
        let first = self.pages.len();
        for page in &chunk.pages {
            self.page(number, chunk, page, of)?;
        }
        let pages = first..self.pages.len();
        let first_row = chunk.pages.first().map_or(0, |page| page.rows.start as u64);
        let hints = hints(&chunk.pages);
        let column = Column {
            kind: layout::kind::PAGES,
            physical: of.number(),
            value_width: of.width,
            integer_bits: of.bits,
            is_signed: u32::from(of.is_signed),
            number,
            page_count: pages.len() as u32,
            hint_count: hints.len() as u32,
            first_row,
            ..Column::default()
        };
        Ok(PlannedColumn { column, pages, dictionary, hints, constant: None, is_staged: false })
    }
}

impl PlannedColumn {
    fn without_pages(kind: u32, number: u32, constant: [u64; 2]) -> Self {
        Self::of(Column { kind, number, constant, ..Column::default() })
    }

    fn staged(staged: &StagedColumn, number: u32) -> Self {
        Self { is_staged: true, ..Self::of(Column { number, ..staged.column }) }
    }

    fn of(column: Column) -> Self {
        Self { column, pages: 0..0, dictionary: None, hints: Vec::new(), constant: None, is_staged: false }
    }
}

/// Returns, for every [`HINT_ROWS`] rows from the first page's on, the first page that ends behind
/// the first of these rows.
fn hints(pages: &[RawPage]) -> Vec<u32> {
    let (Some(first), Some(last)) = (pages.first(), pages.last()) else { return Vec::new() };
    let (mut row, end) = (first.rows.start, last.rows.end);
    let mut hints = Vec::with_capacity((end - row) / HINT_ROWS as usize + 1);
    let mut page = 0;
    while row < end {
        while pages[page].rows.end <= row {
            page += 1;
        }
        hints.push(page as u32);
        row += HINT_ROWS as usize;
    }
    hints
}

/// Returns the wanted rows, cut into tiles.
fn tiles(wanted: &RowRanges) -> Vec<Tile> {
    let of_range = |range: &Range<usize>| {
        let end = range.end;
        range.clone().step_by(TILE_ROWS).map(move |row| Tile {
            first_row: row as u64,
            rows: (end - row).min(TILE_ROWS) as u32,
            unused: 0,
        })
    };
    wanted.iter().flat_map(of_range).collect()
}

#[cfg(test)]
mod tests;
