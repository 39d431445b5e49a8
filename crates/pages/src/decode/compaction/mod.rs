//! Row compaction: reduces encoded pages to the selected rows before they are decoded.
//!
//! parquet-rs decodes the rows between selected rows that are close to each other, and drops them
//! afterwards. If few rows are selected, compaction is faster: selected dictionary indices are
//! unpacked without the others, and plain values are copied. Columns of the native decoder are
//! compacted in [`native`](crate::decode::native).

mod pages;
pub(crate) mod values;

use std::ops::Range;
use std::sync::Arc;

use arrow::buffer::BooleanBuffer;
use parquet::arrow::arrow_reader::RowGroups;
use parquet::basic::{Encoding, Type};
use parquet::column::page::PageIterator;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use pelton_bitpack::{Bitmap, Kernels};

use crate::decode::compaction::pages::CompactPages;
use crate::decode::flat;
use crate::decode::parquet_rs::OneChunk;
use crate::error::Result;
use crate::header::PageKind;
use crate::load::columns::LoadedColumns;
use crate::load::fetch::SlotState;
use crate::load::loaded_chunk::LoadedPage;

/// Row selection by which pages are compacted.
#[derive(Debug)]
pub struct CompactionMask {
    /// Row of the row group to which the first bit belongs.
    start: usize,
    bits: BooleanBuffer,
    kernels: Kernels,
}

impl CompactionMask {
    /// Returns the selection of the rows with a set bit. Bits are counted from row `start` of the
    /// row group.
    pub(crate) fn new(start: usize, bits: BooleanBuffer, kernels: Kernels) -> Self {
        Self { start, bits, kernels }
    }

    /// Returns the bits of `rows`, which are counted from the start of the row group. Rows outside
    /// the selection's bits get 0.
    pub(crate) fn of(&self, rows: &Range<usize>) -> Bitmap {
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
    /// Returns whether every page can be compacted: all columns are flat and not boolean, and their
    /// pages hold dictionary indices or plain values.
    pub(crate) fn can_be_compacted(&self) -> bool {
        self.leaves.iter().all(|&leaf| {
            let descriptor = self.descriptor(leaf);
            let can_be_compacted = |page: &LoadedPage| match &page.slot.state {
                SlotState::Skipped(_) => true,
                SlotState::Read(header, _) if matches!(header.kind, PageKind::Dictionary { .. }) => true,
                SlotState::Read(header, _) => {
                    page.slot.rows.is_some()
                        && (header.is_dictionary_encoded() || header.encoding == Encoding::PLAIN)
                }
            };
            flat::is_flat(descriptor)
                && descriptor.physical_type() != Type::BOOLEAN
                && self.chunk(leaf).is_some_and(|chunk| chunk.pages.iter().all(can_be_compacted))
        })
    }
}

/// Row group that contains only the selected rows.
pub(crate) struct Compact<'a> {
    pub columns: &'a LoadedColumns,
    pub mask: Arc<CompactionMask>,
}

impl RowGroups for Compact<'_> {
    fn num_rows(&self) -> usize {
        self.mask.bits.count_set_bits()
    }

    fn column_chunks(&self, leaf: usize) -> Result<Box<dyn PageIterator>, ParquetError> {
        let chunk = self.columns.chunk(leaf);
        let chunk = chunk
            .ok_or_else(|| ParquetError::General(format!("internal error: column {leaf} is not loaded")))?;
        let (mask, progress) = (self.mask.clone(), self.columns.progress.clone());
        let pages = CompactPages::new(chunk.clone(), self.columns.descriptor(leaf), mask, progress);
        Ok(Box::new(OneChunk(Some(Box::new(pages)))))
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        self.columns.row_groups()
    }

    fn metadata(&self) -> &ParquetMetaData {
        self.columns.metadata()
    }
}
