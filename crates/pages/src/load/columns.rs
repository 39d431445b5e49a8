//! Loaded columns of one row group, as the source of decoders.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use parquet::arrow::arrow_reader::RowGroups;
use parquet::arrow::{FieldLevels, ProjectionMask, parquet_to_arrow_field_levels};
use parquet::basic::ConvertedType;
use parquet::column::page::PageIterator;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::schema::types::ColumnDescriptor;

use crate::decode::flat;
use crate::decode::parquet_rs::LoadedPageReader;
use crate::decode::parquet_rs::OneChunk;
use crate::decode::parquet_rs::SharedProgress;
use crate::decode::validate::Agreement;
use crate::decode::validate::Leaf;
use crate::error::Cause;
use crate::error::Error;
use crate::error::Place;
use crate::error::Result;
use crate::file::ParquetFile;
use crate::load::dictionary_cache::CacheHandle;
use crate::load::fetch;
use crate::load::fetch::Request;
use crate::load::fetch::RowRanges;
use crate::load::fetch::Wanted;
use crate::load::jobs::LoadOptions;
use crate::load::jobs::ReadChunk;
use crate::load::loaded_chunk;
use crate::load::loaded_chunk::LoadedChunk;

/// Columns of one row group, after their pages were read and submitted to the router.
#[derive(Debug)]
pub struct LoadedColumns {
    pub(crate) file: Arc<ParquetFile>,
    pub(crate) row_group: usize,
    pub(crate) leaves: Vec<usize>,
    chunks: Vec<Arc<LoadedChunk>>,
    pub(crate) levels: FieldLevels,
    pub(crate) progress: SharedProgress,
    /// Agreement between the leaves of the reader under construction.
    agreement: Mutex<Arc<Agreement>>,
}

impl LoadedColumns {
    /// Reads the pages of `leaves` (ascending) that hold a selected row, and submits them as one
    /// batch.
    ///
    /// # Errors
    /// The file can't be read or has changed, a page header is bad, a checksum differs, or a codec
    /// is not supported. Errors of decompression are returned when the page is decoded.
    pub async fn load(
        file: Arc<ParquetFile>,
        row_group: usize,
        leaves: Vec<usize>,
        wanted: &dyn Wanted,
        options: &LoadOptions,
    ) -> Result<Self> {
        Self::load_for_fused_filter(file, row_group, leaves, wanted, options, &[]).await
    }

    /// Loads like [`load`](Self::load), and defers pages of the columns `fused` that a device
    /// should test for membership while it decompresses them: see
    /// [`test_membership`](Self::test_membership).
    ///
    /// # Errors
    /// The same as those of [`load`](Self::load).
    pub(crate) async fn load_for_fused_filter(
        file: Arc<ParquetFile>,
        row_group: usize,
        leaves: Vec<usize>,
        wanted: &dyn Wanted,
        options: &LoadOptions,
        fused: &[usize],
    ) -> Result<Self> {
        let request = Request {
            file: &file,
            row_group,
            leaves: &leaves,
            wanted,
            verify_checksums: options.verify_checksums,
            counters: &options.counters,
        };
        let read = fetch::read(request, |len| options.router.input_buffer(len)).await?;
        let metadata = file.row_group(row_group)?;
        for chunk in leaves.iter().map(|&leaf| metadata.column(leaf)) {
            if chunk.column_descr().converted_type() == ConvertedType::INTERVAL && !file.reads_intervals() {
                let place = file.place().row_group(row_group).column(chunk.column_path().string());
                return Err(Error::new(place, Cause::Interval));
            }
        }
        let mut chunks = Vec::with_capacity(leaves.len());
        for (&leaf, slots) in leaves.iter().zip(read) {
            let chunk = metadata.column(leaf);
            let place = file.place().row_group(row_group).column(chunk.column_path().string());
            let (codec, hints) = (chunk.compression(), file.hints(row_group, leaf));
            let descriptor = chunk.column_descr();
            let is_fused = fused.contains(&leaf) && flat::is_flat(descriptor);
            let fused = is_fused.then(|| descriptor.max_def_level() == 1);
            let cache = options.dictionaries.as_ref();
            let cache = cache.map(|dictionaries| CacheHandle::new(dictionaries, &file, row_group, leaf));
            let leaf = Leaf::new(&file, leaf);
            chunks.push(ReadChunk { place, leaf, codec, hints, fused, cache, slots });
        }
        let chunks = loaded_chunk::submit(chunks, options)?;
        Self::new(file, row_group, leaves, chunks)
    }

    fn new(
        file: Arc<ParquetFile>,
        row_group: usize,
        leaves: Vec<usize>,
        chunks: Vec<Arc<LoadedChunk>>,
    ) -> Result<Self> {
        let levels =
            Self::levels(&file, &leaves).map_err(|e| file.error(Cause::NotParquet(e.to_string())))?;
        let (progress, agreement) = (SharedProgress::default(), Mutex::default());
        Ok(Self { file, row_group, leaves, chunks, levels, progress, agreement })
    }

    /// Takes each of the columns `leaves` (ascending) from one of `parts`, which belong to one row
    /// group. Reads and decompresses nothing again.
    ///
    /// # Errors
    /// None of the parts has one of the columns.
    pub fn join<'a>(parts: impl Iterator<Item = &'a Arc<Self>> + Clone, leaves: Vec<usize>) -> Result<Self> {
        let Some(first) = parts.clone().next() else {
            let what = "internal error: columns of no row group";
            return Err(Error::new(Place::default(), Cause::Decode(what.to_owned())));
        };
        let chunk = |&leaf: &usize| {
            let found = parts.clone().find_map(|part| part.chunk(leaf));
            found.cloned().ok_or_else(|| {
                let what = format!("internal error: column {leaf} is not loaded");
                first.file.error(Cause::Decode(what))
            })
        };
        let chunks = leaves.iter().map(chunk).collect::<Result<Vec<_>>>()?;
        Self::new(first.file.clone(), first.row_group, leaves, chunks)
    }

    /// Returns the agreement between the leaves of the next reader.
    pub(crate) fn agreement(&self) -> MutexGuard<'_, Arc<Agreement>> {
        self.agreement.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of leaf columns.
    pub(crate) fn width(&self) -> usize {
        self.leaves.len()
    }

    /// Returns the descriptor of a leaf column.
    pub(crate) fn descriptor(&self, leaf: usize) -> &ColumnDescriptor {
        self.file.metadata().row_group(self.row_group).column(leaf).column_descr()
    }

    /// Returns the pages of a leaf column, if they were loaded.
    pub(crate) fn chunk(&self, leaf: usize) -> Option<&Arc<LoadedChunk>> {
        self.leaves.binary_search(&leaf).ok().map(|index| &self.chunks[index])
    }

    /// Returns the rows of `window` with loaded pages in every column, as contiguous ranges.
    pub fn loaded_ranges(&self, window: Range<usize>) -> RowRanges {
        let mut missing: RowRanges = Vec::new();
        for page in self.chunks.iter().flat_map(|chunk| &chunk.pages).filter(|page| page.body.is_none()) {
            let Some(rows) = &page.slot.rows else { continue };
            let (start, end) = (rows.start.max(window.start), rows.end.min(window.end));
            if start < end {
                missing.push(start..end);
            }
        }
        missing.sort_unstable_by_key(|range| range.start);
        let mut loaded_ranges = Vec::with_capacity(missing.len() + 1);
        let mut from = window.start;
        for range in missing {
            if range.start > from {
                loaded_ranges.push(from..range.start);
            }
            from = from.max(range.end);
        }
        if from < window.end {
            loaded_ranges.push(from..window.end);
        }
        loaded_ranges
    }

    /// Returns parquet-rs's mapping from leaves to Arrow columns.
    pub(crate) fn levels(file: &ParquetFile, leaves: &[usize]) -> Result<FieldLevels, ParquetError> {
        let schema = file.parquet_schema();
        let mask = ProjectionMask::leaves(schema, leaves.iter().copied());
        parquet_to_arrow_field_levels(schema, mask, Some(file.schema().fields()))
    }
}

impl RowGroups for LoadedColumns {
    fn num_rows(&self) -> usize {
        self.file.metadata().row_group(self.row_group).num_rows() as usize
    }

    fn column_chunks(&self, leaf: usize) -> Result<Box<dyn PageIterator>, ParquetError> {
        let chunk = self.chunk(leaf);
        let chunk = chunk
            .ok_or_else(|| ParquetError::General(format!("internal error: column {leaf} is not loaded")))?;
        let (rows, progress, agreement) = (self.num_rows(), self.progress.clone(), self.agreement().clone());
        let pages = LoadedPageReader::new(chunk.clone(), rows, progress, agreement);
        Ok(Box::new(OneChunk(Some(Box::new(pages)))))
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        Box::new(std::iter::once(self.file.metadata().row_group(self.row_group)))
    }

    fn metadata(&self) -> &ParquetMetaData {
        self.file.metadata()
    }
}
