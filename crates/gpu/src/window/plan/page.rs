//! Layout of one page: its bytes, its decompressed bytes, and its directory.

use parquet::basic::{Encoding, Type};
use pelton_pages::header::PageKind;
use pelton_pages::raw::{RawChunk, RawPage};
use pelton_pages::{Cause, Error, Result};

use super::{Plan, Task};
use crate::window::column::ColumnType;
use crate::window::layout::{self, NOT_KNOWN, NULL_WORD_BYTES, Page, RUN_BLOCK, RUN_BYTES};
use crate::window::support;

/// A page with offsets in place of addresses.
#[derive(Debug)]
pub struct PlannedPage {
    pub page: Page,
    /// Whether its values are in the working buffer, decompressed, and not among the raw pages.
    pub is_decompressed: bool,
    /// Whether only its contents tell the length of its strings.
    pub is_open: bool,
}

impl Plan {
    /// Plans a page, and returns its index.
    pub(super) fn page(
        &mut self,
        column: u32,
        chunk: &RawChunk,
        raw: &RawPage,
        of: &ColumnType,
    ) -> Result<usize> {
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
        #[allow(deprecated)] // old files have such levels
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
                // more nulls than values make no valid number of values
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
            page.body = self.work.reserve(size as u64);
            page.body_length = size as u32;
            let codec = chunk.codec;
            let (target, target_len) = (page.body, size);
            self.tasks.push(Task { page: index, codec, source, source_len: packed, target, target_len });
        }
        let is_open = self.reserve_directory(&mut page, of);
        self.pages.push(PlannedPage { page, is_decompressed: body.plain_size.is_some(), is_open });
        Ok(index)
    }

    /// Reserves memory for the page directory. Returns whether more is needed, of a size that only
    /// the page's contents tell.
    fn reserve_directory(&mut self, page: &mut Page, of: &ColumnType) -> bool {
        use layout::encoding::*;
        let rows = u64::from(page.rows);
        if page.levels_kind != layout::levels::NONE {
            page.words = self.work.reserve(rows.div_ceil(32) * NULL_WORD_BYTES);
        }
        let is_fixed = of.physical == Type::FIXED_LEN_BYTE_ARRAY;
        match page.encoding {
            CODES | RLE => page.runs = self.work.reserve(rows.div_ceil(RUN_BLOCK) * RUN_BYTES),
            DELTA_LENGTH | DELTA_BYTES => page.offsets = self.work.reserve((rows + 1) * 4),
            PLAIN if of.physical == Type::BYTE_ARRAY => page.offsets = self.work.reserve((rows + 1) * 4),
            _ => {}
        }
        if page.encoding == DELTA_BYTES {
            page.prefixes = self.work.reserve(rows * 4);
        }
        if page.encoding == DELTA || (is_fixed && matches!(page.encoding, SPLIT | DELTA_BYTES)) {
            page.decoded = self.work.reserve(rows * u64::from(of.width));
        }
        page.encoding == DELTA_BYTES && !is_fixed
    }
}

impl PlannedPage {
    /// Returns the page with addresses, given those of the buffer of raw pages and the working
    /// buffer.
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

    /// Returns whether a pass after the directory's writes its values.
    pub fn is_front_coded(&self) -> bool {
        self.page.encoding == layout::encoding::DELTA_BYTES
    }
}

/// Returns the kernels' number for the encoding of a page's values.
fn encoding(chunk: &RawChunk, page: &RawPage, of: &ColumnType) -> Result<u32> {
    use layout::encoding::*;
    let found = page.header.encoding;
    let unsupported = || {
        let what = format!("values of {} can't be in {found}", of.physical);
        Error::new(chunk.place.clone().page(page.page), Cause::Decode(what))
    };
    if matches!(page.header.kind, PageKind::Dictionary { .. }) {
        return match found {
            Encoding::PLAIN | Encoding::PLAIN_DICTIONARY => Ok(PLAIN),
            _ => Err(unsupported()),
        };
    }
    if !support::decodes(found, of.physical) {
        return Err(unsupported());
    }
    match found {
        Encoding::PLAIN => Ok(PLAIN),
        Encoding::RLE if of.physical == Type::BOOLEAN => Ok(RLE),
        Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY => Ok(CODES),
        Encoding::DELTA_BINARY_PACKED => Ok(DELTA),
        Encoding::DELTA_LENGTH_BYTE_ARRAY => Ok(DELTA_LENGTH),
        Encoding::DELTA_BYTE_ARRAY => Ok(DELTA_BYTES),
        Encoding::BYTE_STREAM_SPLIT => Ok(SPLIT),
        _ => Err(unsupported()),
    }
}
