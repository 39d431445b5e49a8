//! Page reader that passes loaded pages to parquet-rs's column readers.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use parquet::basic::Encoding;
use parquet::column::page::{Page, PageIterator, PageMetadata, PageReader};
use parquet::errors::ParquetError;

use crate::decode::validate::Agreement;
use crate::decode::validate::Levels;
use crate::decode::validate::PagePlace;
use crate::error::Error;
use crate::error::Place;
use crate::header::PageHeader;
use crate::header::PageKind;
use crate::load::fetch::Slot;
use crate::load::fetch::SlotState;
use crate::load::loaded_chunk::Body;
use crate::load::loaded_chunk::LoadedChunk;
use crate::load::loaded_chunk::LoadedPage;

/// First error of Pelton's page readers, and the page that was passed on last. parquet-rs's errors
/// carry neither.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    pub error: Option<Error>,
    pub page: Option<Place>,
}

/// [`Progress`], shared with the decoder that reports errors.
pub(crate) type SharedProgress = Arc<Mutex<Progress>>;

/// Page reader of one column chunk.
pub(crate) struct LoadedPageReader {
    chunk: Arc<LoadedChunk>,
    /// Index of the next page.
    next: usize,
    /// Rows of the row group.
    rows: usize,
    /// State of the validation of levels.
    levels: Levels,
    agreement: Arc<Agreement>,
    progress: SharedProgress,
}

impl LoadedPageReader {
    /// Returns a reader of a chunk in a row group of `rows` rows.
    pub fn new(
        chunk: Arc<LoadedChunk>,
        rows: usize,
        progress: SharedProgress,
        agreement: Arc<Agreement>,
    ) -> Self {
        Self { chunk, next: 0, rows, levels: Levels::default(), agreement, progress }
    }

    fn fail(&self, error: Error) -> ParquetError {
        let text = error.to_string();
        self.progress.lock().unwrap_or_else(PoisonError::into_inner).error.get_or_insert(error);
        ParquetError::General(text)
    }

    /// Validates a page, and returns its bytes and its number of nulls.
    fn validated(&mut self, header: &PageHeader, slot: &Slot, body: &Body) -> Result<(Bytes, u32), Error> {
        let page = slot.page;
        if let PageKind::Dictionary { .. } = header.kind {
            return Ok((self.chunk.dictionary_bytes(page, header, body)?, 0));
        }
        let bytes = self.chunk.data_bytes(page, header, body)?;
        let is_last = self.next == self.chunk.pages.len();
        let place = PagePlace { rows: slot.rows.clone(), all: self.rows, is_last };
        let nulls = self.levels.page(&self.chunk.leaf, header, &bytes, &place, &self.agreement);
        nulls.map(|nulls| (bytes, nulls)).map_err(|what| self.chunk.bad(page, what))
    }

    fn page(&mut self, header: &PageHeader, slot: &Slot, body: &Body) -> Result<Page, ParquetError> {
        let (buf, num_nulls) = self.validated(header, slot, body).map_err(|error| self.fail(error))?;
        let page = slot.page;
        let place = self.chunk.place.clone().page(page);
        self.progress.lock().unwrap_or_else(PoisonError::into_inner).page = Some(place);
        let PageHeader { num_values, encoding, .. } = *header;
        Ok(match header.kind {
            PageKind::Dictionary { is_sorted } => {
                Page::DictionaryPage { buf, num_values, encoding, is_sorted }
            }
            PageKind::DataV1 { .. } => Page::DataPage {
                buf,
                num_values,
                encoding,
                // BIT_PACKED levels have been rewritten as hybrids
                def_level_encoding: Encoding::RLE,
                rep_level_encoding: Encoding::RLE,
                statistics: None,
            },
            // `num_nulls` is counted here: writers differ in how they count nulls of nested columns
            PageKind::DataV2 { num_rows, definition_bytes, repetition_bytes, .. } => {
                Page::DataPageV2 {
                    buf,
                    num_values,
                    encoding,
                    num_nulls,
                    num_rows,
                    def_levels_byte_len: definition_bytes,
                    rep_levels_byte_len: repetition_bytes,
                    // decompressed already
                    is_compressed: false,
                    statistics: None,
                }
            }
        })
    }
}

impl Iterator for LoadedPageReader {
    type Item = Result<Page, ParquetError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for LoadedPageReader {
    fn get_next_page(&mut self) -> Result<Option<Page>, ParquetError> {
        let chunk = self.chunk.clone();
        let Some(LoadedPage { slot, body }) = chunk.pages.get(self.next) else { return Ok(None) };
        self.next += 1;
        match (&slot.state, body) {
            (SlotState::Read(header, _), Some(body)) => self.page(header, slot, body).map(Some),
            _ => Err(ParquetError::General(
                "the pages in front of it hold fewer rows than the file's index says".to_owned(),
            )),
        }
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>, ParquetError> {
        Ok(self.chunk.pages.get(self.next).map(|LoadedPage { slot, .. }| {
            let header = match &slot.state {
                SlotState::Read(header, _) => Some(header),
                SlotState::Skipped(header) => header.as_ref(),
            };
            let is_dict = header.is_some_and(|header| matches!(header.kind, PageKind::Dictionary { .. }));
            PageMetadata {
                num_rows: slot.rows.as_ref().filter(|_| !is_dict).map(|rows| rows.len()),
                num_levels: header.filter(|_| !is_dict).map(|header| header.num_values as usize),
                is_dict,
            }
        }))
    }

    fn skip_next_page(&mut self) -> Result<(), ParquetError> {
        self.next += 1;
        Ok(())
    }

    fn at_record_boundary(&mut self) -> Result<bool, ParquetError> {
        // a page with known rows starts at a row; version 1 pages of nested columns may not
        Ok(self.chunk.pages.get(self.next).is_none_or(|page| page.slot.rows.is_some()))
    }
}

/// Iterator over the only chunk of a row group's column, in the form that parquet-rs takes.
pub(crate) struct OneChunk(pub Option<Box<dyn PageReader>>);

impl Iterator for OneChunk {
    type Item = Result<Box<dyn PageReader>, ParquetError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.take().map(Ok)
    }
}

impl PageIterator for OneChunk {}
