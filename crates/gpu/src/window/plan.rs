//! Where everything of a window goes on the GPU: planned before anything is allocated, in offsets from buffers' starts.

use std::ops::Range;

use bytes::Bytes;
use parquet::basic::{Compression, Encoding, Type};
use pelton_pages::header::PageKind;
use pelton_pages::raw::{RawChunk, RawPage};
use pelton_pages::{Cause, Error, Result, RowRanges};

use super::column::ColumnType;
use super::layout::{self, Column, HINT_ROWS, NOT_KNOWN, NULL_WORD_BYTES, Page, RUN_BLOCK, RUN_BYTES, Tile};
use super::raw::{RawColumn, RawWindow};
use super::support;

/// Rows of a tile at most: what a block of threads takes at a time.
pub const TILE_ROWS: usize = 256;

/// Bytes to which pages and directories are aligned: what decompressors and loads of 16 bytes want.
const ALIGNMENT: u64 = 16;

/// A buffer that is filled from its start.
#[derive(Debug, Default)]
pub struct Room {
    pub used: u64,
}

impl Room {
    /// Sets bytes aside, and says where.
    pub fn take(&mut self, bytes: u64) -> u64 {
        let at = self.used;
        self.used = at.saturating_add(bytes).checked_next_multiple_of(ALIGNMENT).unwrap_or(u64::MAX);
        at
    }
}

/// Bytes that go to the GPU as they are in the file.
#[derive(Debug)]
pub struct Copy {
    /// Where they go in the buffer of raw pages.
    pub at: u64,
    pub bytes: Bytes,
}

/// Bytes to decompress.
#[derive(Debug)]
pub struct Task {
    /// Index of the page in [`Plan::pages`].
    pub page: usize,
    pub codec: Compression,
    /// Where they are in the buffer of raw pages, and how many.
    pub source: u64,
    pub source_len: usize,
    /// Where they go in the working buffer, and how many come out.
    pub target: u64,
    pub target_len: usize,
}

/// A page whose addresses are offsets yet.
#[derive(Debug)]
pub struct PlannedPage {
    pub page: Page,
    /// Whether its values are decompressed to the working buffer, and not where they were copied to.
    pub is_decompressed: bool,
    /// Whether its strings are of a length that only its contents tell.
    pub is_open: bool,
}

/// A column whose addresses are offsets yet.
#[derive(Debug)]
pub struct PlannedColumn {
    pub column: Column,
    /// Its data pages among all pages.
    pub pages: Range<usize>,
    pub dictionary: Option<usize>,
    pub hints: Vec<u32>,
    /// The bytes of a constant in the buffer of raw pages.
    pub constant: Option<u64>,
}

/// A window on the GPU, in offsets.
#[derive(Debug, Default)]
pub struct Plan {
    pub copies: Vec<Copy>,
    pub tasks: Vec<Task>,
    pub pages: Vec<PlannedPage>,
    pub columns: Vec<PlannedColumn>,
    pub tiles: Vec<Tile>,
    pub rows: u64,
    /// The buffer of raw pages, and the working buffer.
    pub raw: Room,
    pub work: Room,
}

impl Plan {
    /// Plans a window.
    ///
    /// # Errors
    /// A page's sizes contradict each other, or its values are in an encoding that its type has not.
    pub fn new(window: &RawWindow) -> Result<Self> {
        let mut plan = Plan { tiles: tiles(&window.wanted), ..Plan::default() };
        plan.rows = window.wanted.iter().map(|range| range.len() as u64).sum();
        for column in &window.columns {
            let number = plan.columns.len() as u32;
            let planned = match column {
                RawColumn::Pages(chunk, of) => plan.chunk(number, chunk, of)?,
                RawColumn::Null => PlannedColumn::without_pages(layout::kind::NULL, number, [0, 0]),
                RawColumn::Constant(constant) => {
                    let words = constant.words().unwrap_or_default();
                    let mut planned = PlannedColumn::without_pages(layout::kind::CONSTANT, number, words);
                    if let super::Constant::Bytes(bytes) = constant {
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

    fn copy(&mut self, bytes: Bytes) -> u64 {
        let at = self.raw.take(bytes.len() as u64);
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
        Ok(PlannedColumn { column, pages, dictionary, hints, constant: None })
    }

    /// Plans a page, and says which it is among all.
    fn page(&mut self, column: u32, chunk: &RawChunk, raw: &RawPage, of: &ColumnType) -> Result<usize> {
        let index = self.pages.len();
        let body = chunk.body(raw)?;
        let mut page = Page {
            first_row: raw.rows.start as u64,
            rows: raw.header.num_values,
            column,
            number: raw.page as u32,
            physical: of.number(),
            value_width: of.width,
            encoding: encoding(chunk, raw, of)?,
            expected: NOT_KNOWN,
            ..Page::default()
        };
        #[allow(deprecated)] // that is what it is about
        match raw.header.kind {
            PageKind::Dictionary { .. } => {}
            PageKind::DataV1 { definition_levels, .. } if of.is_optional => {
                page.levels_kind = match definition_levels {
                    Encoding::BIT_PACKED => layout::levels::PACKED,
                    _ => layout::levels::IN_FRONT,
                };
            }
            PageKind::DataV1 { .. } => {}
            PageKind::DataV2 { num_nulls, .. } if of.is_optional => {
                page.levels_kind = layout::levels::APART;
                // more nulls than values are no number of values
                page.expected = page.rows.wrapping_sub(num_nulls).min(NOT_KNOWN - 1);
            }
            PageKind::DataV2 { .. } => {}
        }
        if let Some(levels) = body.levels {
            page.levels_length = levels.len() as u32;
            page.levels = self.copy(levels);
        }
        let packed = body.values.len();
        let source = self.copy(body.values);
        page.body = source;
        page.body_length = packed as u32;
        if let Some(size) = body.plain_size {
            page.body = self.work.take(size as u64);
            page.body_length = size as u32;
            let codec = chunk.codec;
            let (target, target_len) = (page.body, size);
            self.tasks.push(Task { page: index, codec, source, source_len: packed, target, target_len });
        }
        let is_open = self.rooms(&mut page, of);
        self.pages.push(PlannedPage { page, is_decompressed: body.plain_size.is_some(), is_open });
        Ok(index)
    }

    /// Sets room aside for what the directory kernel makes of a page. Whether only its contents tell how much more.
    fn rooms(&mut self, page: &mut Page, of: &ColumnType) -> bool {
        use layout::encoding::*;
        let rows = u64::from(page.rows);
        if page.levels_kind != layout::levels::NONE {
            page.words = self.work.take(rows.div_ceil(32) * NULL_WORD_BYTES);
        }
        let is_fixed = of.physical == Type::FIXED_LEN_BYTE_ARRAY;
        match page.encoding {
            CODES | RLE => page.runs = self.work.take(rows.div_ceil(RUN_BLOCK) * RUN_BYTES),
            DELTA_LENGTH | DELTA_BYTES => page.offsets = self.work.take((rows + 1) * 4),
            PLAIN if of.physical == Type::BYTE_ARRAY => page.offsets = self.work.take((rows + 1) * 4),
            _ => {}
        }
        if page.encoding == DELTA_BYTES {
            page.prefixes = self.work.take(rows * 4);
        }
        if page.encoding == DELTA || (is_fixed && matches!(page.encoding, SPLIT | DELTA_BYTES)) {
            page.decoded = self.work.take(rows * u64::from(of.width));
        }
        page.encoding == DELTA_BYTES && !is_fixed
    }
}

impl PlannedPage {
    /// The page with addresses, of what were offsets into the buffer of raw pages and the working buffer.
    pub fn placed(&self, raw: u64, work: u64) -> Page {
        let mut page = self.page;
        page.levels += raw;
        page.body += if self.is_decompressed { work } else { raw };
        page.words += work;
        page.runs += work;
        page.offsets += work;
        page.prefixes += work;
        page.decoded += work;
        page
    }

    /// Whether a pass behind the directory's writes its values.
    pub fn is_front_coded(&self) -> bool {
        self.page.encoding == layout::encoding::DELTA_BYTES
    }
}

impl PlannedColumn {
    fn without_pages(kind: u32, number: u32, constant: [u64; 2]) -> Self {
        let column = Column { kind, number, constant, ..Column::default() };
        Self { column, pages: 0..0, dictionary: None, hints: Vec::new(), constant: None }
    }
}

/// The encoding of a page's values as kernels know it.
fn encoding(chunk: &RawChunk, page: &RawPage, of: &ColumnType) -> Result<u32> {
    use layout::encoding::*;
    let found = page.header.encoding;
    let refused = || {
        let what = format!("values of {} can't be in {found}", of.physical);
        Error::new(chunk.place.clone().page(page.page), Cause::Decode(what))
    };
    if matches!(page.header.kind, PageKind::Dictionary { .. }) {
        return match found {
            Encoding::PLAIN | Encoding::PLAIN_DICTIONARY => Ok(PLAIN),
            _ => Err(refused()),
        };
    }
    if !support::decodes(found, of.physical) {
        return Err(refused());
    }
    match found {
        Encoding::PLAIN => Ok(PLAIN),
        Encoding::RLE if of.physical == Type::BOOLEAN => Ok(RLE),
        Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY => Ok(CODES),
        Encoding::DELTA_BINARY_PACKED => Ok(DELTA),
        Encoding::DELTA_LENGTH_BYTE_ARRAY => Ok(DELTA_LENGTH),
        Encoding::DELTA_BYTE_ARRAY => Ok(DELTA_BYTES),
        Encoding::BYTE_STREAM_SPLIT => Ok(SPLIT),
        _ => Err(refused()),
    }
}

/// For every [`HINT_ROWS`] rows from the first page's on, the first page that ends behind the first of these rows.
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

/// The wanted rows, cut into tiles.
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
