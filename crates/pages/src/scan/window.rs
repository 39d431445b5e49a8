//! Scan ranges: the rows of a row group that a thread reads at a time.

use std::ops::Range;

use parquet::basic::Type;
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use pelton_bitpack::Kernels;

use crate::error::Result;
use crate::file::ParquetFile;
use crate::load::fetch::RowRanges;
use crate::load::jobs::LoadOptions;
use crate::scan::condition::FilterStage;

/// Decompressed size of a scan range where memory allows it. A boundary cuts pages of all columns
/// but the widest, and such a page is decompressed for both ranges; smaller ranges cut more pages.
/// A thread has two ranges in memory, the decoded one and the next. Derivation:
/// `docs/decisions/0004-scan-ranges.md`.
pub const WINDOW_BYTES: u64 = 32 << 20;

/// Minimum rows of a scan range, so that batches are full.
const WINDOW_ROWS: usize = 64 * 1024;

/// Maximum rows of a scan range. A row selection takes a bit for each row, while a page can hold
/// billions of nulls in a few bytes. A chunk without an index is read again for each range of its
/// row group, but no known writer makes such row groups.
const MAX_WINDOW_ROWS: usize = 1 << 27;

/// Columns and conditions of a scan.
#[derive(Debug, Clone)]
pub struct ScanSpec {
    /// Top-level columns of the output, ascending.
    pub output: Vec<usize>,
    /// Conditions, in the order of evaluation.
    pub stages: Vec<FilterStage>,
    /// Rows of an output batch.
    pub batch_size: usize,
    /// Bit-packed kernels for dictionary filters and the native decoders; `None` leaves all columns
    /// to parquet-rs.
    pub kernels: Option<Kernels>,
    /// Router, counters and checks.
    pub load: LoadOptions,
}

/// A scan range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// Index of the row group.
    pub row_group: usize,
    /// The rows of the range.
    pub rows: Range<usize>,
    /// Rows of the range that statistics could not rule out.
    pub wanted: RowRanges,
}

/// Splits the `wanted` rows of a row group into scan ranges of about `bytes` decompressed bytes, at
/// page boundaries of the widest column. Without an offset index the row group is one range, since
/// its chunks can only be read whole.
///
/// # Errors
/// The file has no such row group.
pub fn windows(
    file: &ParquetFile,
    row_group: usize,
    wanted: &[Range<usize>],
    columns: &[usize],
    bytes: u64,
) -> Result<Vec<Window>> {
    let metadata = file.row_group(row_group)?;
    let rows = metadata.num_rows() as usize;
    let leaves = leaves(file, columns);
    let size =
        |leaf: &usize| metadata.columns().get(*leaf).map_or(0, |chunk| chunk.uncompressed_size() as u64);
    let total: u64 = leaves.iter().map(size).sum();
    let widest = leaves.iter().max_by_key(|leaf| size(leaf));
    let index = file.metadata().offset_index().and_then(|all| all.get(row_group));
    let pages =
        index.zip(widest).and_then(|(chunks, leaf)| chunks.get(*leaf)).map(|index| index.page_locations());
    let parts = total.div_ceil(bytes.max(1)).max(1) as usize;
    let target = rows.div_ceil(parts).max(WINDOW_ROWS);

    let mut bounds = vec![0];
    for page in pages.into_iter().flatten() {
        let (row, last) = (page.first_row_index as usize, bounds[bounds.len() - 1]);
        // a small remainder at the end joins the last range
        if page.first_row_index > 0 && row < rows && row >= last + target && rows - row >= target / 2 {
            bounds.push(row);
        }
    }
    bounds.push(rows);
    if !leaves.is_empty() {
        bounds = shortened(&bounds);
    }
    let cut = |rows: Range<usize>| {
        let inside = wanted.iter().map(|range| range.start.max(rows.start)..range.end.min(rows.end));
        let wanted: RowRanges = inside.filter(|range| range.start < range.end).collect();
        Window { row_group, rows, wanted }
    };
    let windows = bounds.windows(2).map(|pair| cut(pair[0]..pair[1]));
    Ok(windows.filter(|window| !window.wanted.is_empty()).collect())
}

/// Adds bounds between those that are too far apart.
fn shortened(bounds: &[usize]) -> Vec<usize> {
    let within = bounds.windows(2).flat_map(|pair| (pair[0]..pair[1]).step_by(MAX_WINDOW_ROWS));
    within.chain(bounds.last().copied()).collect()
}

/// Returns the leaf columns of some top-level columns, ascending.
pub(super) fn leaves(file: &ParquetFile, columns: &[usize]) -> Vec<usize> {
    let schema = file.metadata().file_metadata().schema_descr();
    (0..schema.num_columns()).filter(|&leaf| columns.contains(&schema.get_column_root_idx(leaf))).collect()
}

/// Returns the size of a decoded value, without strings' bytes, which stay in the page's memory.
fn value_width(chunk: &ColumnChunkMetaData) -> usize {
    match chunk.column_type() {
        Type::BOOLEAN => 1,
        Type::INT32 | Type::FLOAT => 4,
        Type::INT64 | Type::DOUBLE | Type::INT96 => 8,
        // a view of a string, or a decimal of 128 bits
        Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY => 16,
    }
}

impl Window {
    /// Estimates the memory for scanning the range: the pages of its columns, compressed and
    /// decompressed, and the decoded values of the filter columns, which are kept until the last
    /// filter has run. The footer has the sizes of whole chunks. Nulls take almost nothing in a
    /// page, but as much as any value once they are decoded.
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
            (chunk.compressed_size() + chunk.uncompressed_size()) as f64 * self.share(file, leaf, metadata)
        });
        let pages = sizes.sum::<f64>() as usize;
        let widths = leaves(file, &filtered).into_iter().map(|leaf| value_width(metadata.column(leaf)));
        Ok(pages.saturating_add(self.rows.len().saturating_mul(widths.sum())))
    }

    /// Returns the range's share of a column chunk: that of its pages in the compressed bytes or,
    /// without an offset index, that of its rows.
    fn share(&self, file: &ParquetFile, leaf: usize, metadata: &RowGroupMetaData) -> f64 {
        let rows = metadata.num_rows();
        let index = file.metadata().offset_index().and_then(|all| all.get(self.row_group)?.get(leaf));
        let pages = index.map(|index| index.page_locations().as_slice()).unwrap_or_default();
        let (mut own, mut all) = (0.0, 0.0);
        for (number, page) in pages.iter().enumerate() {
            let next = pages.get(number + 1).map_or(rows, |next| next.first_row_index);
            let size = f64::from(page.compressed_page_size.max(0));
            all += size;
            if page.first_row_index < self.rows.end as i64 && next > self.rows.start as i64 {
                own += size;
            }
        }
        if all > 0.0 { own / all } else { self.rows.len() as f64 / (rows as f64).max(1.0) }
    }
}
