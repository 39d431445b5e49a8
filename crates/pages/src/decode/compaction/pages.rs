//! Page reader that compacts the pages of one chunk on demand.

use std::collections::VecDeque;
use std::sync::{Arc, PoisonError};

use bytes::Bytes;
use parquet::basic::{Encoding, Type};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::ParquetError;
use parquet::schema::types::ColumnDescriptor;
use pelton_bitpack::{Bitmap, Hybrid, Predicate, Source};

use crate::decode::compaction::CompactionMask;
use crate::decode::compaction::values;
use crate::decode::flat;
use crate::decode::parquet_rs::SharedProgress;
use crate::decode::synthetic_pages;
use crate::decode::synthetic_pages::Levels;
use crate::error::Error;
use crate::error::Result;
use crate::header::PageHeader;
use crate::header::PageKind;
use crate::load::fetch::SlotState;
use crate::load::loaded_chunk::LoadedChunk;
use crate::load::loaded_chunk::LoadedPage;

/// Compacts pages of a chunk. Skips pages without a selected row.
pub(crate) struct CompactPages {
    chunk: Arc<LoadedChunk>,
    /// Index of the next page.
    next: usize,
    /// The compacted page that parquet-rs takes next.
    ready: VecDeque<Page>,
    mask: Arc<CompactionMask>,
    is_optional: bool,
    /// Bytes of a plain value; `None` if a length precedes each value.
    width: Option<usize>,
    progress: SharedProgress,
}

impl CompactPages {
    pub fn new(
        chunk: Arc<LoadedChunk>,
        descriptor: &ColumnDescriptor,
        mask: Arc<CompactionMask>,
        progress: SharedProgress,
    ) -> Self {
        let width = match descriptor.physical_type() {
            Type::INT32 | Type::FLOAT => Some(4),
            Type::INT64 | Type::DOUBLE => Some(8),
            Type::INT96 => Some(12),
            Type::FIXED_LEN_BYTE_ARRAY => Some(usize::try_from(descriptor.type_length()).unwrap_or(0)),
            Type::BYTE_ARRAY | Type::BOOLEAN => None,
        };
        let is_optional = descriptor.max_def_level() == 1;
        Self { chunk, next: 0, ready: VecDeque::new(), mask, is_optional, width, progress }
    }

    fn advance(&mut self) -> Result<(), ParquetError> {
        while self.ready.is_empty() && self.next < self.chunk.pages.len() {
            let index = self.next;
            self.next += 1;
            match self.compact(index) {
                Ok(page) => self.ready.extend(page),
                Err(error) => {
                    let text = error.to_string();
                    let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
                    progress.error.get_or_insert(error);
                    return Err(ParquetError::General(text));
                }
            }
        }
        Ok(())
    }

    /// Returns the compacted page at `index`; `None` if it has no selected row.
    fn compact(&self, index: usize) -> Result<Option<Page>> {
        let LoadedPage { slot, body } = &self.chunk.pages[index];
        let (SlotState::Read(header, _), Some(body)) = (&slot.state, body) else { return Ok(None) };
        if let PageKind::Dictionary { is_sorted } = header.kind {
            let PageHeader { num_values, encoding, .. } = *header;
            let buf = self.chunk.dictionary_bytes(slot.page, header, body)?;
            self.at(slot.page);
            return Ok(Some(Page::DictionaryPage { buf, num_values, encoding, is_sorted }));
        }
        let rows = slot.rows.clone().unwrap_or_default();
        let kept = self.mask.of(&rows);
        if kept.first_one().is_none() {
            return Ok(None);
        }
        let bytes = self.chunk.data_bytes(slot.page, header, body)?;
        self.at(slot.page);
        let (levels, encoded) = flat::split(&self.chunk, index, &bytes, self.is_optional)?;
        let (kept, count, levels) = self.levels(index, kept, &levels)?;
        flat::check_count(&self.chunk, index, count)?;
        if header.is_dictionary_encoded() {
            let (width, indices) = flat::indices(&self.chunk, index, &encoded)?;
            let mut selected = Vec::with_capacity(kept.count_ones());
            if count > 0 {
                let source = Source::from(Hybrid::new(&indices, u32::from(width), count));
                let selected = self.mask.kernels.select(&source, &kept, &mut selected);
                selected.map_err(|e| self.bad(index, &e.to_string()))?;
            }
            return Ok(Some(synthetic_pages::dictionary_encoded_page(selected.into_iter(), &levels)));
        }
        let plain = match self.width {
            Some(width) => values::fixed(&encoded, width, &kept),
            None => values::with_lengths(&encoded, &kept),
        };
        let plain = plain.ok_or_else(|| self.bad(index, "it ends before its last value"))?;
        let moments = self.chunk.leaf.check_moments(&plain, kept.count_ones());
        moments.map_err(|what| self.bad(index, &what))?;
        Ok(Some(synthetic_pages::page(Encoding::PLAIN, plain, kept.count_ones(), &levels)))
    }

    /// Returns the selection among the page's values, the number of its values, and the levels of
    /// the selected rows.
    fn levels(&self, index: usize, kept: Bitmap, levels: &Bytes) -> Result<(Bitmap, usize, Levels)> {
        let (rows, kernels) = (kept.len(), &self.mask.kernels);
        if !self.is_optional {
            return Ok((kept, rows, Levels::None));
        }
        let bad = |error: pelton_bitpack::Error| self.bad(index, &error.to_string());
        let mut present = Bitmap::new();
        let levels = Source::from(Hybrid::new(levels, 1, rows));
        kernels.scan(&levels, Predicate::Equal(1), &mut present).map_err(bad)?;
        let count = present.count_ones();
        if count == rows {
            let all = kept.count_ones();
            return Ok((kept, rows, Levels::Bits(Bitmap::with_len(all, true))));
        }
        Ok((kernels.pick(&kept, &present), count, Levels::Bits(kernels.pick(&present, &kept))))
    }

    /// Records the page that parquet-rs gets next.
    fn at(&self, page: usize) {
        let place = self.chunk.place.clone().page(page);
        self.progress.lock().unwrap_or_else(PoisonError::into_inner).page = Some(place);
    }

    fn bad(&self, index: usize, what: &str) -> Error {
        flat::bad(&self.chunk, index, what)
    }
}

impl Iterator for CompactPages {
    type Item = Result<Page, ParquetError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for CompactPages {
    fn get_next_page(&mut self) -> Result<Option<Page>, ParquetError> {
        self.advance()?;
        Ok(self.ready.pop_front())
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>, ParquetError> {
        self.advance()?;
        Ok(self.ready.front().map(synthetic_pages::metadata))
    }

    fn skip_next_page(&mut self) -> Result<(), ParquetError> {
        self.advance()?;
        self.ready.pop_front();
        Ok(())
    }

    fn at_record_boundary(&mut self) -> Result<bool, ParquetError> {
        Ok(true)
    }
}
