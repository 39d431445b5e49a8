//! A range of rows of one row group, and its way from bytes to batches.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use arrow::array::{Array, ArrayRef, BooleanArray, BooleanBufferBuilder};
use arrow::compute;
use arrow::datatypes::SchemaRef;
use arrow::record_batch::{RecordBatch, RecordBatchOptions};
use parquet::basic::Type;
use parquet::file::metadata::ColumnChunkMetaData;

use super::assemble::WindowBatches;
use super::filter::FilterStage;
use super::selection::Survivors;
use crate::error::{Cause, Error, Result};
use crate::fetch::RowRanges;
use crate::file::ParquetFile;
use crate::read::{LoadOptions, LoadedColumns};

/// Bytes of decompressed pages that one window should hold. A window's end cuts through a page of every column whose
/// pages don't end with those of the widest, and such a page is read and decompressed for both windows: with the usual
/// pages of 1 MiB or 20,000 rows, windows of 8 MiB cost a scan of all columns of TPC-H's lineitem 14% more
/// decompression, windows of 32 MiB 4%. Two windows a thread are in memory at a time, the one being decoded and the next.
const WINDOW_BYTES: u64 = 32 << 20;

/// Rows that a window has at least, so that batches come out full.
const WINDOW_ROWS: usize = 64 * 1024;

/// What to read of a file.
#[derive(Debug, Clone)]
pub struct ScanSpec {
    /// Top-level columns of the output, ascending.
    pub output: Vec<usize>,
    /// Conditions, in the order of evaluation.
    pub stages: Vec<FilterStage>,
    /// Rows of an output batch.
    pub batch_size: usize,
    /// Router, counters and checks.
    pub load: LoadOptions,
}

/// Rows of one row group that are read together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// Index of the row group.
    pub row_group: usize,
    /// The window's rows.
    pub rows: Range<usize>,
    /// Of these, the rows that statistics could not rule out.
    pub wanted: RowRanges,
}

/// Cuts the `wanted` rows of a row group into windows, at page boundaries where the file has an offset index; without
/// one the row group is one window, since its chunks can only be read whole.
///
/// # Errors
/// The file has no such row group.
pub fn windows(
    file: &ParquetFile,
    row_group: usize,
    wanted: &[Range<usize>],
    columns: &[usize],
) -> Result<Vec<Window>> {
    let metadata = file.row_group(row_group)?;
    let rows = metadata.num_rows() as usize;
    let leaves = leaves(file, columns);
    let bytes =
        |leaf: &usize| metadata.columns().get(*leaf).map_or(0, |chunk| chunk.uncompressed_size() as u64);
    let total: u64 = leaves.iter().map(bytes).sum();
    let widest = leaves.iter().max_by_key(|leaf| bytes(leaf));
    let index = file.metadata().offset_index().and_then(|all| all.get(row_group));
    let pages =
        index.zip(widest).and_then(|(chunks, leaf)| chunks.get(*leaf)).map(|index| index.page_locations());
    let parts = total.div_ceil(WINDOW_BYTES).max(1) as usize;
    let target = rows.div_ceil(parts).max(WINDOW_ROWS);

    let mut bounds = vec![0];
    for page in pages.into_iter().flatten() {
        let (row, last) = (page.first_row_index as usize, bounds[bounds.len() - 1]);
        // no small rest at the end: it joins the window before it
        if page.first_row_index > 0 && row < rows && row >= last + target && rows - row >= target / 2 {
            bounds.push(row);
        }
    }
    bounds.push(rows);
    let cut = |rows: Range<usize>| {
        let inside = wanted.iter().map(|range| range.start.max(rows.start)..range.end.min(rows.end));
        let wanted: RowRanges = inside.filter(|range| range.start < range.end).collect();
        Window { row_group, rows, wanted }
    };
    let windows = bounds.windows(2).map(|pair| cut(pair[0]..pair[1]));
    Ok(windows.filter(|window| !window.wanted.is_empty()).collect())
}

/// The leaf columns of some top-level columns, ascending.
fn leaves(file: &ParquetFile, columns: &[usize]) -> Vec<usize> {
    let schema = file.metadata().file_metadata().schema_descr();
    (0..schema.num_columns()).filter(|&leaf| columns.contains(&schema.get_column_root_idx(leaf))).collect()
}

/// Bytes that a decoded value takes, without those of strings, which stay in the page's.
fn value_width(chunk: &ColumnChunkMetaData) -> usize {
    match chunk.column_type() {
        Type::BOOLEAN => 1,
        Type::INT32 | Type::FLOAT => 4,
        Type::INT64 | Type::DOUBLE | Type::INT96 => 8,
        // a view of a string, or a decimal of 128 bits
        Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY => 16,
    }
}

/// A window whose first columns are on their way.
#[derive(Debug)]
pub struct Prefetched {
    file: Arc<ParquetFile>,
    window: Window,
    /// The columns of the first step, and what was loaded of them; `None`: there are no columns to read.
    first: Vec<usize>,
    loaded: Option<Arc<LoadedColumns>>,
}

impl Window {
    /// Bytes that scanning the window takes: the pages of its columns as they are in the file and decompressed, by
    /// the footer, in proportion to its rows; and the values of the filters' columns, which are kept until the last
    /// filter has run. Nulls take next to nothing in a page, but as much as any value once they are decoded.
    ///
    /// # Errors
    /// The file has no such row group.
    pub fn memory(&self, file: &ParquetFile, spec: &ScanSpec) -> Result<usize> {
        let metadata = file.row_group(self.row_group)?;
        let filtered: Vec<usize> =
            spec.stages.iter().flat_map(|stage| stage.columns.iter().copied()).collect();
        let columns = [&spec.output[..], &filtered].concat();
        let sizes = leaves(file, &columns).into_iter().map(|leaf| {
            let chunk = metadata.column(leaf);
            (chunk.compressed_size() + chunk.uncompressed_size()) as f64
        });
        let share = self.rows.len() as f64 / (metadata.num_rows() as f64).max(1.0);
        let pages = (sizes.sum::<f64>() * share) as usize;
        let widths = leaves(file, &filtered).into_iter().map(|leaf| value_width(metadata.column(leaf)));
        Ok(pages.saturating_add(self.rows.len().saturating_mul(widths.sum())))
    }

    /// Reads the columns that are needed first and submits their pages. This decodes nothing.
    ///
    /// # Errors
    /// As [`LoadedColumns::load`].
    pub async fn load(self, file: Arc<ParquetFile>, spec: &ScanSpec) -> Result<Prefetched> {
        let first = spec.stages.first().map_or_else(|| spec.output.clone(), |stage| stage.columns.clone());
        let survivors = Survivors::new(self.rows.clone(), &self.wanted);
        let loaded = load(&file, &self, &first, &survivors, spec).await?;
        Ok(Prefetched { file, window: self, first, loaded })
    }
}

async fn load(
    file: &Arc<ParquetFile>,
    window: &Window,
    columns: &[usize],
    survivors: &Survivors,
    spec: &ScanSpec,
) -> Result<Option<Arc<LoadedColumns>>> {
    let leaves = leaves(file, columns);
    if leaves.is_empty() {
        return Ok(None);
    }
    let row_group = window.row_group;
    let rows = file.row_group(row_group)?.num_rows() as usize;
    let ranges = survivors.ranges();
    let loaded = LoadedColumns::load(file.clone(), row_group, leaves.clone(), &ranges, &spec.load).await?;
    if survivors.reading(&loaded.stretches(window.rows.clone()), rows).is_some() {
        return Ok(Some(Arc::new(loaded)));
    }
    drop(loaded);
    let whole = std::slice::from_ref(&window.rows);
    LoadedColumns::load(file.clone(), row_group, leaves, whole, &spec.load)
        .await
        .map(|all| Some(Arc::new(all)))
}

/// Columns decoded so far, each in one piece, with a value for each survivor.
type Columns = BTreeMap<usize, ArrayRef>;

impl Prefetched {
    /// Evaluates the filters and starts on what they leave. `None`: nothing is left.
    ///
    /// # Errors
    /// What went wrong in decompressing or decoding a filter's columns, in the filter, or in reading the others.
    pub async fn filter(self, spec: &ScanSpec) -> Result<Option<WindowBatches>> {
        let Self { file, window, first, mut loaded } = self;
        let mut survivors = Survivors::new(window.rows.clone(), &window.wanted);
        let counters = spec.load.counters.clone();
        let before = survivors.count();
        let mut done = Columns::new();
        for (number, stage) in spec.stages.iter().enumerate() {
            let missing: Vec<usize> =
                stage.columns.iter().copied().filter(|c| !done.contains_key(c)).collect();
            if number > 0 {
                loaded = load(&file, &window, &missing, &survivors, spec).await?;
            }
            let needed_later = |column: &usize| {
                spec.output.contains(column)
                    || spec.stages[number + 1..].iter().any(|s| s.columns.contains(column))
            };
            run_stage(
                &file,
                &window,
                stage,
                &missing,
                loaded.take(),
                &mut survivors,
                &mut done,
                spec,
                needed_later,
            )?;
            if survivors.count() == 0 {
                counters.rows(before, 0);
                return Ok(None);
            }
        }
        counters.rows(before, survivors.count());
        let rest: Vec<usize> = spec.output.iter().copied().filter(|c| !done.contains_key(c)).collect();
        if !spec.stages.is_empty() {
            loaded = load(&file, &window, &rest, &survivors, spec).await?;
        } else {
            debug_assert_eq!(first, rest, "without a filter the output is read first");
        }
        let decoder = loaded.map(|columns| decode(&file, &window, columns, &survivors, spec)).transpose()?;
        done.retain(|column, _| spec.output.contains(column));
        Ok(Some(WindowBatches::new(&file, spec, rest, decoder, done, survivors.count())))
    }
}

/// A decoder of the survivors, and the mask over what it gives.
type MaskedDecoder = (crate::read::Decoder, Option<BooleanArray>);

fn decode(
    file: &ParquetFile,
    window: &Window,
    columns: Arc<LoadedColumns>,
    survivors: &Survivors,
    spec: &ScanSpec,
) -> Result<MaskedDecoder> {
    let rows = file.row_group(window.row_group)?.num_rows() as usize;
    let stretches = columns.stretches(window.rows.clone());
    let reading = survivors.reading(&stretches, rows).ok_or_else(|| {
        file.error(Cause::Decode("internal error: the pages that were loaded can't be read".to_owned()))
    })?;
    Ok((columns.decode(Some(reading.selection), spec.batch_size)?, reading.mask))
}

/// Decodes what a stage needs, evaluates it, and keeps of all columns what passes.
#[allow(clippy::too_many_arguments)]
fn run_stage(
    file: &Arc<ParquetFile>,
    window: &Window,
    stage: &FilterStage,
    missing: &[usize],
    loaded: Option<Arc<LoadedColumns>>,
    survivors: &mut Survivors,
    done: &mut Columns,
    spec: &ScanSpec,
    needed_later: impl Fn(&usize) -> bool,
) -> Result<()> {
    let schema = stage_schema(file, &stage.columns);
    let count = survivors.count();
    let mut passed = BooleanBufferBuilder::new(count);
    let mut kept: Vec<Vec<ArrayRef>> = vec![Vec::new(); missing.len()];
    let mut offset = 0;
    let mut one = |new: &[ArrayRef], rows: usize| -> Result<()> {
        let start = Instant::now();
        let columns = stage.columns.iter().map(|column| match missing.binary_search(column) {
            Ok(index) => new[index].clone(),
            Err(_) => done[column].slice(offset, rows),
        });
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(schema.clone(), columns.collect(), &options)
            .map_err(|e| decode_error(file, window, &e))?;
        let mask = stage.filter.evaluate(&batch).map_err(|what| file.error(Cause::Predicate(what)))?;
        let mask = if mask.null_count() > 0 { compute::prep_null_mask_filter(&mask) } else { mask };
        passed.append_buffer(mask.values());
        offset += rows;
        let all = mask.true_count() == rows;
        for (index, column) in missing.iter().enumerate() {
            if needed_later(column) {
                let kept_rows =
                    if all { new[index].clone() } else { filter(file, window, &new[index], &mask)? };
                kept[index].push(kept_rows);
            }
        }
        spec.load.counters.filtered(start.elapsed());
        Ok(())
    };
    match loaded {
        Some(columns) => {
            let (mut decoder, mask) = decode(file, window, columns, survivors, spec)?;
            let mut mask = mask.as_ref().map(|mask| (mask, 0));
            loop {
                let start = Instant::now();
                let batch = decoder.next().transpose()?;
                spec.load.counters.decoded(start.elapsed());
                let Some(batch) = batch else { break };
                let batch = take_mask(&mut mask, batch).map_err(|e| decode_error(file, window, &e))?;
                if batch.num_rows() > 0 {
                    one(batch.columns(), batch.num_rows())?;
                }
            }
        }
        None => one(&[], count)?,
    }
    let passed = passed.finish();
    if passed.len() != count {
        let what = format!("{} of {count} rows came out", passed.len());
        return Err(Error::new(file.place().row_group(window.row_group), Cause::Decode(what)));
    }
    done.retain(|column, _| needed_later(column));
    if passed.count_set_bits() < count {
        let mask = BooleanArray::new(passed.clone(), None);
        for column in done.values_mut() {
            *column = filter(file, window, column, &mask)?;
        }
        survivors.and_then(&passed);
    }
    for (column, pieces) in missing.iter().zip(kept) {
        if !pieces.is_empty() {
            let pieces: Vec<&dyn Array> = pieces.iter().map(|piece| piece.as_ref()).collect();
            let whole = compute::concat(&pieces).map_err(|e| decode_error(file, window, &e))?;
            done.insert(*column, whole);
        }
    }
    Ok(())
}

/// Drops the rows of a decoded batch that the mask does not want.
pub(super) fn take_mask(
    mask: &mut Option<(&BooleanArray, usize)>,
    batch: RecordBatch,
) -> Result<RecordBatch, arrow::error::ArrowError> {
    match mask {
        None => Ok(batch),
        Some((mask, offset)) => {
            let rows = batch.num_rows().min(mask.len() - *offset);
            let part = mask.slice(*offset, rows);
            *offset += rows;
            compute::filter_record_batch(&batch, &part)
        }
    }
}

fn stage_schema(file: &ParquetFile, columns: &[usize]) -> SchemaRef {
    let fields: Vec<_> = columns.iter().map(|&column| file.schema().field(column).clone()).collect();
    Arc::new(arrow::datatypes::Schema::new(fields))
}

fn filter(file: &ParquetFile, window: &Window, array: &ArrayRef, mask: &BooleanArray) -> Result<ArrayRef> {
    compute::filter(array, mask).map_err(|e| decode_error(file, window, &e))
}

fn decode_error(file: &ParquetFile, window: &Window, error: &arrow::error::ArrowError) -> Error {
    Error::new(file.place().row_group(window.row_group), Cause::Decode(error.to_string()))
}
