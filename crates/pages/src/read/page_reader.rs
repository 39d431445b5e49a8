//! Loaded pages in the form in which parquet-rs's column readers ask for them.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use parquet::column::page::{Page, PageIterator, PageMetadata, PageReader};
use parquet::errors::ParquetError;

use super::jobs::{Body, LoadedChunk, LoadedPage};
use crate::error::{Error, Place};
use crate::fetch::SlotState;
use crate::header::{PageHeader, PageKind};

/// The first error of ours, and the page that was given out last: parquet-rs's own errors carry neither.
#[derive(Debug, Default)]
pub(super) struct Progress {
    pub error: Option<Error>,
    pub page: Option<Place>,
}

/// [`Progress`] shared with those who report errors.
pub(super) type SharedProgress = Arc<Mutex<Progress>>;

/// Gives out the pages of one column chunk.
pub(super) struct LoadedPageReader {
    pub chunk: Arc<LoadedChunk>,
    pub pages: VecDeque<LoadedPage>,
    pub progress: SharedProgress,
}

impl LoadedPageReader {
    fn fail(&self, error: Error) -> ParquetError {
        let text = error.to_string();
        self.progress.lock().unwrap_or_else(PoisonError::into_inner).error.get_or_insert(error);
        ParquetError::General(text)
    }

    fn page(&self, header: &PageHeader, page: usize, body: &Body) -> Result<Page, ParquetError> {
        let buf = match header.kind {
            PageKind::Dictionary { .. } => self.chunk.dictionary_bytes(body),
            _ => self.chunk.bytes(body),
        };
        let buf = buf.map_err(|error| self.fail(error))?;
        let place = self.chunk.place.clone().page(page);
        self.progress.lock().unwrap_or_else(PoisonError::into_inner).page = Some(place);
        let PageHeader { num_values, encoding, .. } = *header;
        Ok(match header.kind {
            PageKind::Dictionary { is_sorted } => {
                Page::DictionaryPage { buf, num_values, encoding, is_sorted }
            }
            PageKind::DataV1 { definition_levels, repetition_levels } => Page::DataPage {
                buf,
                num_values,
                encoding,
                def_level_encoding: definition_levels,
                rep_level_encoding: repetition_levels,
                statistics: None,
            },
            PageKind::DataV2 { num_nulls, num_rows, definition_bytes, repetition_bytes, .. } => {
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
        let Some(LoadedPage { slot, body }) = self.pages.pop_front() else { return Ok(None) };
        match (&slot.state, &body) {
            (SlotState::Read(header, _), Some(body)) => self.page(header, slot.page, body).map(Some),
            _ => Err(ParquetError::General(
                "the pages in front of it hold fewer rows than the file's index says".to_owned(),
            )),
        }
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>, ParquetError> {
        Ok(self.pages.front().map(|LoadedPage { slot, .. }| {
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
        self.pages.pop_front();
        Ok(())
    }

    fn at_record_boundary(&mut self) -> Result<bool, ParquetError> {
        // a page whose rows are known starts with one; version 1 pages of nested columns may not
        Ok(self.pages.front().is_none_or(|page| page.slot.rows.is_some()))
    }
}

/// The one chunk of a row group's column, as the iterator that parquet-rs wants.
pub(super) struct OneChunk(pub Option<Box<dyn PageReader>>);

impl Iterator for OneChunk {
    type Item = Result<Box<dyn PageReader>, ParquetError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.take().map(Ok)
    }
}

impl PageIterator for OneChunk {}
