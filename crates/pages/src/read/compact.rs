//! Pages cut down to the rows that are wanted of them, before they are decoded.
//!
//! parquet-rs decodes all rows between wanted ones that are close to each other, and then drops those that are not wanted.
//! Where few are, finding them in the encoded page is faster: codes are selected without the others being unpacked,
//! plain values are copied.

use std::collections::VecDeque;
use std::sync::{Arc, PoisonError};

use arrow::buffer::BooleanBuffer;
use bytes::Bytes;
use parquet::arrow::arrow_reader::RowGroups;
use parquet::basic::{Encoding, Type};
use parquet::column::page::{Page, PageIterator, PageMetadata, PageReader};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use pelton_filter::{Bitmap, Hybrid, Kernels, Order, Packed, Predicate, Source};

use super::columns::LoadedColumns;
use super::flat;
use super::jobs::{LoadedChunk, LoadedPage};
use super::made_up::{self, Levels};
use super::page_reader::{OneChunk, SharedProgress};
use crate::error::{Error, Result};
use crate::fetch::SlotState;
use crate::header::{PageHeader, PageKind};

/// The rows to which pages are cut down.
#[derive(Debug)]
pub struct Kept {
    /// The first row of the row group that `bits` is about.
    start: usize,
    bits: BooleanBuffer,
    kernels: Kernels,
}

impl Kept {
    /// The rows whose bit is set, counted from row `start` of the row group.
    pub(crate) fn new(start: usize, bits: BooleanBuffer, kernels: Kernels) -> Self {
        Self { start, bits, kernels }
    }

    /// One bit for each of these rows of the row group.
    fn of(&self, rows: &std::ops::Range<usize>) -> Bitmap {
        let (from, to) = (rows.start.max(self.start), rows.end.min(self.start + self.bits.len()));
        let mut kept = Bitmap::new();
        kept.extend_run(false, from.saturating_sub(rows.start).min(rows.len()));
        if from < to {
            let bits = self.bits.slice(from - self.start, to - from);
            kept.extend(&Bitmap::from_words(bits.bit_chunks().iter_padded().collect(), bits.len()));
        }
        kept.extend_run(false, rows.len() - kept.len());
        kept
    }
}

impl LoadedColumns {
    /// Whether every page can be cut down: of flat columns those of codes, and plain values of whole bytes.
    pub(crate) fn can_be_cut(&self) -> bool {
        self.leaves.iter().all(|&leaf| {
            let descriptor = self.descriptor(leaf);
            let is_optional = descriptor.max_def_level() == 1;
            let can_be_cut = |page: &LoadedPage| match &page.slot.state {
                SlotState::Skipped(_) => true,
                SlotState::Read(header, _) if matches!(header.kind, PageKind::Dictionary { .. }) => true,
                SlotState::Read(header, _) => {
                    flat::has_runs(header, is_optional)
                        && page.slot.rows.is_some()
                        && (flat::is_coded(header) || header.encoding == Encoding::PLAIN)
                }
            };
            flat::is_flat(descriptor)
                && descriptor.physical_type() != Type::BOOLEAN
                && self.chunk(leaf).is_some_and(|chunk| chunk.pages.iter().all(can_be_cut))
        })
    }
}

/// A row group that has only the rows that are kept.
pub(super) struct Compact<'a> {
    pub columns: &'a LoadedColumns,
    pub kept: Arc<Kept>,
}

impl RowGroups for Compact<'_> {
    fn num_rows(&self) -> usize {
        self.kept.bits.count_set_bits()
    }

    fn column_chunks(&self, leaf: usize) -> Result<Box<dyn PageIterator>, ParquetError> {
        let chunk = self.columns.chunk(leaf);
        let chunk = chunk
            .ok_or_else(|| ParquetError::General(format!("internal error: column {leaf} is not loaded")))?;
        let descriptor = self.columns.descriptor(leaf);
        Ok(Box::new(OneChunk(Some(Box::new(CompactPages {
            chunk: chunk.clone(),
            next: 0,
            ready: VecDeque::new(),
            kept: self.kept.clone(),
            is_optional: descriptor.max_def_level() == 1,
            width: match descriptor.physical_type() {
                Type::INT32 | Type::FLOAT => Some(4),
                Type::INT64 | Type::DOUBLE => Some(8),
                Type::INT96 => Some(12),
                Type::FIXED_LEN_BYTE_ARRAY => Some(usize::try_from(descriptor.type_length()).unwrap_or(0)),
                Type::BYTE_ARRAY | Type::BOOLEAN => None,
            },
            progress: self.columns.progress.clone(),
        })))))
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        self.columns.row_groups()
    }

    fn metadata(&self) -> &ParquetMetaData {
        self.columns.metadata()
    }
}

/// Gives out the pages of a chunk that have a row to keep, cut down to these.
struct CompactPages {
    chunk: Arc<LoadedChunk>,
    /// Index of the page to look at next.
    next: usize,
    /// The page that was looked ahead at.
    ready: VecDeque<Page>,
    kept: Arc<Kept>,
    is_optional: bool,
    /// Bytes of a plain value; `None`: each has its length in front of it.
    width: Option<usize>,
    progress: SharedProgress,
}

impl CompactPages {
    fn advance(&mut self) -> Result<(), ParquetError> {
        while self.ready.is_empty() && self.next < self.chunk.pages.len() {
            let index = self.next;
            self.next += 1;
            match self.cut(index) {
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

    /// The page at `index`; `None` if it has no row to keep.
    fn cut(&self, index: usize) -> Result<Option<Page>> {
        let LoadedPage { slot, body } = &self.chunk.pages[index];
        let (SlotState::Read(header, _), Some(body)) = (&slot.state, body) else { return Ok(None) };
        if let PageKind::Dictionary { is_sorted } = header.kind {
            let PageHeader { num_values, encoding, .. } = *header;
            let buf = self.chunk.bytes(body)?;
            self.at(slot.page);
            return Ok(Some(Page::DictionaryPage { buf, num_values, encoding, is_sorted }));
        }
        let rows = slot.rows.clone().unwrap_or_default();
        let kept = self.kept.of(&rows);
        if kept.first_one().is_none() {
            return Ok(None);
        }
        let bytes = self.chunk.bytes(body)?;
        self.at(slot.page);
        let (levels, values) = flat::split(&self.chunk, index, &bytes, self.is_optional)?;
        let (kept, count, levels) = self.levels(index, kept, &levels)?;
        flat::check_count(&self.chunk, index, count)?;
        if flat::is_coded(header) {
            let (width, codes) = flat::codes(&self.chunk, index, &values)?;
            let mut selected = Vec::with_capacity(kept.count_ones());
            if count > 0 {
                let source = Source::from(Hybrid::new(&codes, u32::from(width), count));
                let selected = self.kept.kernels.select(&source, &kept, &mut selected);
                selected.map_err(|e| self.bad(index, &e.to_string()))?;
            }
            return Ok(Some(made_up::coded_page(selected.into_iter(), &levels)));
        }
        let plain = match self.width {
            Some(width) => fixed(&values, width, &kept),
            None => with_lengths(&values, &kept),
        };
        let plain = plain.ok_or_else(|| self.bad(index, "it ends before its last value"))?;
        Ok(Some(made_up::page(Encoding::PLAIN, plain, kept.count_ones(), &levels)))
    }

    /// Which values of a page are kept, how many it has, and the levels of the rows that are kept.
    fn levels(&self, index: usize, kept: Bitmap, levels: &Bytes) -> Result<(Bitmap, usize, Levels)> {
        let (rows, kernels) = (kept.len(), &self.kept.kernels);
        if !self.is_optional {
            return Ok((kept, rows, Levels::None));
        }
        let bad = |error: pelton_filter::Error| self.bad(index, &error.to_string());
        let mut present = Bitmap::new();
        let levels = Source::from(Hybrid::new(levels, 1, rows));
        kernels.scan(&levels, Predicate::Equal(1), &mut present).map_err(bad)?;
        let count = present.count_ones();
        if count == rows {
            let all = kept.count_ones();
            return Ok((kept, rows, Levels::Bits(Bitmap::with_len(all, true))));
        }
        let of_present = pick(kernels, &kept, &present).map_err(bad)?;
        let of_kept = pick(kernels, &present, &kept).map_err(bad)?;
        Ok((of_present, count, Levels::Bits(of_kept)))
    }

    /// Takes note of where the decoders are.
    fn at(&self, page: usize) {
        let place = self.chunk.place.clone().page(page);
        self.progress.lock().unwrap_or_else(PoisonError::into_inner).page = Some(place);
    }

    fn bad(&self, index: usize, what: &str) -> Error {
        flat::bad(&self.chunk, index, what)
    }
}

/// The bits of `bits` where `mask` has a set bit.
fn pick(kernels: &Kernels, bits: &Bitmap, mask: &Bitmap) -> Result<Bitmap, pelton_filter::Error> {
    let bytes: Vec<u8> = bits.bytes().collect();
    let source = Source::from(Packed::new(&bytes, 1, bits.len(), Order::Little)?);
    let mut picked = Vec::new();
    kernels.select(&source, mask, &mut picked)?;
    Ok(picked.into_iter().map(|bit| bit == 1).collect())
}

/// Of plain values of `width` bytes those that are kept; `None`: they end too early.
fn fixed(values: &[u8], width: usize, kept: &Bitmap) -> Option<Vec<u8>> {
    match width {
        4 => copy::<4>(values, kept),
        8 => copy::<8>(values, kept),
        _ => {
            let mut plain = Vec::with_capacity(kept.count_ones().checked_mul(width)?);
            for at in kept.ones() {
                let start = at.checked_mul(width)?;
                plain.extend_from_slice(values.get(start..start.checked_add(width)?)?);
            }
            Some(plain)
        }
    }
}

fn copy<const WIDTH: usize>(values: &[u8], kept: &Bitmap) -> Option<Vec<u8>> {
    let (values, _) = values.as_chunks::<WIDTH>();
    let mut plain = Vec::with_capacity(kept.count_ones() * WIDTH);
    for at in kept.ones() {
        plain.extend_from_slice(values.get(at)?);
    }
    Some(plain)
}

/// Of values that have their lengths in front of them, in four bytes, those that are kept; `None`: they end too early.
fn with_lengths(mut values: &[u8], kept: &Bitmap) -> Option<Vec<u8>> {
    let mut plain = Vec::new();
    let mut next = 0;
    for at in kept.ones() {
        loop {
            let (length, rest) = values.split_first_chunk::<4>()?;
            let end = 4 + u32::from_le_bytes(*length) as usize;
            let value = values.get(..end)?;
            values = &rest[end - 4..];
            next += 1;
            if next > at {
                plain.extend_from_slice(value);
                break;
            }
        }
    }
    Some(plain)
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
        Ok(self.ready.front().map(made_up::metadata))
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
