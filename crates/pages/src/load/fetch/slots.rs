//! Splits the bytes of a column chunk into pages, parses their headers and checks their sizes.

use std::cell::Cell;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::Encoding;
use parquet::schema::types::ColumnDescriptor;
use pelton_codec::{Checksum, checksum};

use crate::error::Cause;
use crate::error::Error;
use crate::error::Place;
use crate::error::Result;
use crate::file::ParquetFile;
use crate::header;
use crate::header::PageHeader;
use crate::header::PageKind;
use crate::header::Parsed;
use crate::load::fetch::ChunkPlan;
use crate::load::fetch::Wanted;

/// A page of a column chunk. Pages are in file order.
#[derive(Debug, Clone)]
pub struct Slot {
    /// Index of the page in its chunk.
    pub page: usize,
    /// Rows of the row group in the page, if known. Empty for a dictionary.
    pub rows: Option<Range<usize>>,
    /// Its data, if it was read.
    pub state: SlotState,
}

/// Data of a page, if it was read.
#[derive(Debug, Clone)]
pub enum SlotState {
    /// Header, and the bytes after it as stored in the file.
    Read(PageHeader, Bytes),
    /// No data, since none of its rows is selected. The header is present if it was read in
    /// passing.
    Skipped(Option<PageHeader>),
}

struct Cutter<'a> {
    file: &'a ParquetFile,
    row_group: usize,
    column: Arc<str>,
    descriptor: &'a ColumnDescriptor,
    /// Decompressed size of the chunk according to the footer, and the part of it that no page has
    /// claimed yet. The scan reserves memory for this size.
    uncompressed_size: u64,
    unclaimed: Cell<u64>,
    verify_checksums: bool,
}

/// Splits `buffers`, the bytes of `plan.ranges`, into pages. `wanted` is the row selection of the
/// plan. `verify_checksums` checks the CRC-32 of each page that has one. Data pages without values,
/// which may lie between others, are left out: parquet-rs takes one for the end of its chunk.
///
/// # Errors
/// A header does not parse, its sizes go beyond its range or the chunk's, its counts contradict
/// each other, the pages don't add up to the chunk, or a checksum differs.
pub fn locate(
    file: &ParquetFile,
    row_group: usize,
    plan: &ChunkPlan,
    buffers: &[Bytes],
    wanted: &dyn Wanted,
    verify_checksums: bool,
) -> Result<Vec<Slot>> {
    let metadata = file.row_group(row_group)?;
    let chunk = metadata.column(plan.leaf);
    let cutter = Cutter {
        file,
        row_group,
        column: chunk.column_path().string().into(),
        descriptor: chunk.column_descr(),
        uncompressed_size: chunk.uncompressed_size() as u64,
        unclaimed: Cell::new(chunk.uncompressed_size() as u64),
        verify_checksums,
    };
    let mut slots = match &plan.pages {
        Some(pages) => {
            let mut buffers = buffers.iter();
            let mut slots = Vec::with_capacity(pages.data.len() + 1);
            if pages.has_dictionary {
                let mut bytes = buffers.next().cloned().unwrap_or_default();
                // some writers leave a gap between the dictionary and the first page
                if let Some((header, page)) = cutter.next_page(&mut bytes, slots.len())? {
                    if !matches!(header.kind, PageKind::Dictionary { .. }) {
                        return Err(
                            cutter.bad(slots.len(), "a data page lies where the dictionary should".into())
                        );
                    }
                    slots.push(Slot { page: 0, rows: Some(0..0), state: SlotState::Read(header, page) });
                }
            }
            let first = slots.len();
            for (page, (rows, is_wanted)) in pages.data.iter().enumerate() {
                let page = first + page;
                if rows.is_empty() {
                    continue;
                }
                let state = if *is_wanted {
                    let mut bytes = buffers.next().cloned().unwrap_or_default();
                    let found = cutter.next_page(&mut bytes, page)?;
                    let (header, bytes) = found.ok_or_else(|| cutter.bad(page, "there is no page".into()))?;
                    cutter.check_rows(page, &header, rows)?;
                    SlotState::Read(header, bytes)
                } else {
                    SlotState::Skipped(None)
                };
                slots.push(Slot { page, rows: Some(rows.clone()), state });
            }
            slots
        }
        None => {
            let bytes = buffers.first().cloned().unwrap_or_default();
            cutter.whole_chunk(bytes, chunk.num_values() as u64, metadata.num_rows() as usize, wanted)?
        }
    };
    if !slots.iter().any(|slot| slot.uses_dictionary()) {
        slots.retain(|slot| !slot.is_dictionary());
    }
    Ok(slots)
}

impl Slot {
    fn header(&self) -> Option<&PageHeader> {
        match &self.state {
            SlotState::Read(header, _) => Some(header),
            SlotState::Skipped(header) => header.as_ref(),
        }
    }

    fn is_dictionary(&self) -> bool {
        self.header().is_some_and(|header| matches!(header.kind, PageKind::Dictionary { .. }))
    }

    /// Returns whether this is a page of dictionary indices that is to be decoded. A writer falls
    /// back to plain values when the dictionary grows too large; a scan of later rows does not need
    /// the dictionary.
    fn uses_dictionary(&self) -> bool {
        matches!(&self.state, SlotState::Read(header, _) if !self.is_dictionary()
            && matches!(header.encoding, Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY))
    }
}

impl Cutter<'_> {
    fn place(&self, page: usize) -> Place {
        self.file.place().row_group(self.row_group).column(self.column.clone()).page(page)
    }

    fn bad(&self, page: usize, what: String) -> Error {
        Error::new(self.place(page), Cause::BadHeader(what))
    }

    /// Splits a whole chunk into consecutive pages.
    fn whole_chunk(
        &self,
        mut bytes: Bytes,
        values: u64,
        rows: usize,
        wanted: &dyn Wanted,
    ) -> Result<Vec<Slot>> {
        let mut slots = Vec::new();
        let (mut page, mut values_seen, mut rows_seen) = (0, 0u64, Some(0usize));
        while values_seen < values {
            let Some((header, payload)) = self.next_page(&mut bytes, page)? else {
                let what = format!("the chunk ends after {values_seen} of its {values} values");
                return Err(self.bad(page, what));
            };
            let is_dictionary = matches!(header.kind, PageKind::Dictionary { .. });
            if is_dictionary {
                if page > 0 {
                    return Err(self.bad(page, "a dictionary lies behind other pages".into()));
                }
                slots.push(Slot { page, rows: Some(0..0), state: SlotState::Read(header, payload) });
                page += 1;
                continue;
            }
            values_seen += u64::from(header.num_values);
            let page_rows = self.rows(&header);
            if header.num_values == 0 {
                page += 1;
                continue;
            }
            let range = rows_seen.zip(page_rows).map(|(start, count)| start..start + count);
            rows_seen = range.as_ref().map(|range| range.end);
            let is_wanted = range.as_ref().is_none_or(|range| wanted.any(range));
            let state =
                if is_wanted { SlotState::Read(header, payload) } else { SlotState::Skipped(Some(header)) };
            slots.push(Slot { page, rows: range, state });
            page += 1;
        }
        if values_seen != values || rows_seen.is_some_and(|seen| seen != rows) {
            let what = format!("the pages hold {values_seen} values, the footer says {values}");
            return Err(self.bad(page.saturating_sub(1), what));
        }
        Ok(slots)
    }

    /// Takes the next page from the front of `bytes`; `None` at the end.
    fn next_page(&self, bytes: &mut Bytes, page: usize) -> Result<Option<(PageHeader, Bytes)>> {
        while !bytes.is_empty() {
            let (parsed, length) = header::parse(bytes).map_err(|e| self.bad(page, e.to_string()))?;
            let body = bytes.len() - length;
            let size = match &parsed {
                Parsed::Page(header) => header.compressed_size,
                Parsed::Other(size) => *size,
            };
            if size > body {
                return Err(self.bad(page, format!("the page is {size} bytes, its chunk has {body} left")));
            }
            let payload = bytes.slice(length..length + size);
            *bytes = bytes.slice(length + size..);
            if let Parsed::Page(header) = parsed {
                self.check_sizes(page, &header, &payload)?;
                return Ok(Some((header, payload)));
            }
        }
        Ok(None)
    }

    fn check_sizes(&self, page: usize, header: &PageHeader, payload: &Bytes) -> Result<()> {
        let (size, unclaimed) = (header.uncompressed_size as u64, self.unclaimed.get());
        let Some(left) = unclaimed.checked_sub(size) else {
            let whole = self.uncompressed_size;
            return Err(self.bad(
                page,
                format!("it claims {size} bytes, its whole chunk has {whole}, {unclaimed} left"),
            ));
        };
        self.unclaimed.set(left);
        self.check_counts(page, header)?;
        // Dictionary values are plain. A byte array has a length of four bytes; only fixed-length
        // values can be shorter, down to one byte, or none for a length of zero.
        if matches!(header.kind, PageKind::Dictionary { .. }) {
            let (values, size) = (header.num_values as usize, header.uncompressed_size);
            if values > size {
                return Err(self.bad(page, format!("it claims {values} dictionary values in {size} bytes")));
            }
        }
        if let (true, Some(expected)) = (self.verify_checksums, header.crc) {
            let found = checksum(Checksum::Crc32, payload) as u32;
            if found != expected {
                return Err(Error::new(self.place(page), Cause::PageChecksum { expected, found }));
            }
        }
        Ok(())
    }

    /// Returns the number of rows of a data page, if its header determines it.
    fn rows(&self, header: &PageHeader) -> Option<usize> {
        match header.kind {
            PageKind::DataV2 { num_rows, .. } => Some(num_rows as usize),
            _ if self.descriptor.max_rep_level() == 0 => Some(header.num_values as usize),
            _ => None,
        }
    }

    /// Checks the counts of a header. A row has one value of a column without lists, and at least
    /// one of any other; nulls are values.
    fn check_counts(&self, page: usize, header: &PageHeader) -> Result<()> {
        let values = header.num_values;
        match header.kind {
            PageKind::Dictionary { .. } => {}
            PageKind::DataV1 { definition_levels, repetition_levels } => {
                let levels = [
                    ("definition", definition_levels, self.descriptor.max_def_level()),
                    ("repetition", repetition_levels, self.descriptor.max_rep_level()),
                ];
                for (what, encoding, max) in levels {
                    #[allow(deprecated)] // old files have them
                    let is_known = matches!(encoding, Encoding::RLE | Encoding::BIT_PACKED);
                    if max > 0 && !is_known {
                        return Err(self.bad(page, format!("its {what} levels are in {encoding}")));
                    }
                }
            }
            PageKind::DataV2 { num_nulls, num_rows, .. } => {
                let is_flat = self.descriptor.max_rep_level() == 0;
                let has_rows = match is_flat {
                    true => num_rows == values,
                    false => num_rows <= values && (num_rows > 0 || values == 0),
                };
                if !has_rows {
                    return Err(self.bad(page, format!("it has {values} values in {num_rows} rows")));
                }
                if num_nulls > values {
                    return Err(self.bad(page, format!("{num_nulls} of its {values} values are null")));
                }
            }
        }
        Ok(())
    }

    /// Checks that the offset index and the header agree on a page's rows.
    fn check_rows(&self, page: usize, header: &PageHeader, rows: &Range<usize>) -> Result<()> {
        if matches!(header.kind, PageKind::Dictionary { .. }) {
            return Err(self.bad(page, "a dictionary among the data pages".into()));
        }
        match self.rows(header) {
            Some(found) if found != rows.len() => {
                let what = format!("it has {found} rows, the offset index says {}", rows.len());
                Err(self.bad(page, what))
            }
            _ => Ok(()),
        }
    }
}
