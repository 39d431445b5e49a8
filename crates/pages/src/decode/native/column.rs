//! Native decoder of a column, page by page.

use std::ops::Range;
use std::sync::Arc;

use arrow::array::ArrayRef;
use parquet::basic::{Encoding, Type};
use pelton_bitpack::Kernels;

use crate::decode::compaction::CompactionMask;
use crate::decode::flat;
use crate::decode::native::output::Form;
use crate::decode::native::output::Output;
use crate::decode::native::page::OpenPage;
use crate::decode::native::plain::Plain;
use crate::error::Cause;
use crate::error::Error;
use crate::error::Result;
use crate::header::PageHeader;
use crate::header::PageKind;
use crate::load::columns::LoadedColumns;
use crate::load::fetch::SlotState;
use crate::load::loaded_chunk::LoadedChunk;
use crate::load::loaded_chunk::LoadedPage;

/// A column and its position.
pub(crate) struct NativeColumn {
    chunk: Arc<LoadedChunk>,
    is_optional: bool,
    form: Arc<Form>,
    kernels: Kernels,
    /// Selection by which pages are compacted. Rows are then counted among the selected rows.
    mask: Option<Arc<CompactionMask>>,
    /// Selected rows of the pages before `next`.
    before: usize,
    /// The page that was decoded last, at the current row.
    page: Option<OpenPage>,
    /// Index of the page behind it in the chunk.
    next: usize,
}

impl NativeColumn {
    /// Returns the column `leaf` if it can be decoded natively. Waits for the dictionary.
    pub fn new(
        columns: &LoadedColumns,
        leaf: usize,
        kernels: Kernels,
        mask: Option<Arc<CompactionMask>>,
    ) -> Option<Self> {
        let (chunk, descriptor) = (columns.chunk(leaf)?, columns.descriptor(leaf));
        if !flat::is_flat(descriptor) || descriptor.physical_type() == Type::BOOLEAN {
            return None;
        }
        let is_optional = descriptor.max_def_level() == 1;
        let data_type = columns.file.schema().field(columns.root(leaf)).data_type().clone();
        let plain = Plain::of(descriptor, &data_type);
        let can_be_read = |header: &PageHeader, of_page: Option<&Range<usize>>| {
            of_page.is_some_and(|rows| rows.len() == header.num_values as usize)
                && (header.is_dictionary_encoded() || (header.encoding == Encoding::PLAIN && plain.is_some()))
        };
        let mut has_indices = false;
        for LoadedPage { slot, .. } in &chunk.pages {
            let SlotState::Read(header, _) = &slot.state else { continue };
            if matches!(header.kind, PageKind::Dictionary { .. }) {
                continue;
            }
            if !can_be_read(header, slot.rows.as_ref()) {
                return None;
            }
            has_indices |= header.is_dictionary_encoded();
        }
        let column = match has_indices {
            // parquet-rs reports an error in the dictionary
            true => Some(columns.dictionary_column(leaf, usize::MAX).ok()?),
            false => None,
        };
        let dictionary_len = column.as_ref().map_or(0, |column| column.dictionary_len());
        let dictionary = column.map(|column| column.values);
        let form = Arc::new(Form { data_type, plain, dictionary, dictionary_len });
        Some(Self { chunk: chunk.clone(), is_optional, form, kernels, mask, before: 0, page: None, next: 0 })
    }

    /// Decodes ascending row ranges behind those of the call before.
    ///
    /// # Errors
    /// A page is bad, could not be decompressed, or was not loaded.
    pub fn read(&mut self, ranges: &[Range<usize>]) -> Result<ArrayRef> {
        let rows = ranges.iter().map(Range::len).sum();
        let form = self.form.clone();
        let mut output = Output::new(&form, self.kernels, rows);
        for range in ranges {
            let mut row = range.start;
            while row < range.end {
                let page = match self.page.take() {
                    Some(page) if page.rows.contains(&row) => page,
                    _ => self.open(row)?,
                };
                let page = self.page.insert(page);
                let count = page.rows.end.min(range.end) - row;
                page.read(&self.chunk, row, count, &form, &mut output)?;
                row += count;
            }
        }
        output.finish().map_err(|what| self.error(what))
    }

    /// Opens the page with the row, from `next` on.
    fn open(&mut self, row: usize) -> Result<OpenPage> {
        while let Some(LoadedPage { slot, .. }) = self.chunk.pages.get(self.next) {
            let index = self.next;
            self.next += 1;
            let Some(rows) = slot.rows.as_ref().filter(|rows| !rows.is_empty()) else { continue };
            let Some(mask) = &self.mask else {
                if rows.contains(&row) {
                    return OpenPage::new(&self.chunk, index, self.is_optional, self.kernels);
                }
                continue;
            };
            let (kept, before) = (mask.of(rows), self.before);
            self.before += kept.count_ones();
            if (before..self.before).contains(&row) {
                let kept = (kept, before);
                return OpenPage::compacted(
                    &self.chunk,
                    index,
                    self.is_optional,
                    self.kernels,
                    kept,
                    &self.form,
                );
            }
        }
        Err(self.error(format!("its pages have no row {row}")))
    }

    /// Returns an error with the place of the column.
    pub fn error(&self, what: String) -> Error {
        Error::new(self.chunk.place.clone(), Cause::Decode(what))
    }
}
