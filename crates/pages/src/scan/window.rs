//! Ranges of rows of one row group: what is scanned at a time.

use std::ops::Range;

use parquet::basic::Type;
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use pelton_bitpack::Kernels;

use crate::error::Result;
use crate::file::ParquetFile;
use crate::load::fetch::RowRanges;
use crate::load::jobs::LoadOptions;
use crate::scan::condition::FilterStage;

/// Bytes of decompressed pages that one window should hold where there is memory for it. A window's
/// end cuts through a page of every column whose pages don't end with those of the widest, and such
/// a page is read and decompressed for both windows: with the usual pages of 1 MiB or 20,000 rows,
/// windows of 8 MiB cost a scan of all columns of TPC-H's lineitem 14% more decompression, windows
/// of 32 MiB 4%. Two windows a thread are in memory at a time, the one being decoded and the next.
pub const WINDOW_BYTES: u64 = 32 << 20;

/// Rows that a window has at least, so that batches come out full.
const WINDOW_ROWS: usize = 64 * 1024;

/// Rows that a window has at most. Which of them are wanted is a bit for each, while a page can
/// hold billions of nulls in a few bytes. A chunk without an index is read again for each window of
/// its row group, but no writer makes such row groups.
const MOST_WINDOW_ROWS: usize = 1 << 27;

/// What to read of a file.
#[derive(Debug, Clone)]
pub struct ScanSpec {
    /// Top-level columns of the output, ascending.
    pub output: Vec<usize>,
    /// Conditions, in the order of evaluation.
    pub stages: Vec<FilterStage>,
    /// Rows of an output batch.
    pub batch_size: usize,
    /// What decides conditions on encoded data, where that can be done, before anything is decoded,
    /// and decodes columns that are not nested; `None`: parquet-rs decodes everything first.
    pub kernels: Option<Kernels>,
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

/// Cuts the `wanted` rows of a row group into windows of about `bytes` decompressed bytes, at page
/// boundaries where the file has an offset index; without one the row group is one window, since
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
        // no small rest at the end: it joins the window before it
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

/// Bounds of windows with more between those that are too far apart.
fn shortened(bounds: &[usize]) -> Vec<usize> {
    let within = bounds.windows(2).flat_map(|pair| (pair[0]..pair[1]).step_by(MOST_WINDOW_ROWS));
    within.chain(bounds.last().copied()).collect()
}

/// The leaf columns of some top-level columns, ascending.
pub(super) fn leaves(file: &ParquetFile, columns: &[usize]) -> Vec<usize> {
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

impl Window {
    /// Bytes that scanning the window takes: the pages of its columns as they are in the file and
    /// decompressed, of which the footer has the sizes of whole chunks; and the values of the
    /// filters' columns, which are kept until the last filter has run. Nulls take next to nothing
    /// in a page, but as much as any value once they are decoded.
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

    /// The window's part of a column chunk: that of its pages in the compressed bytes, or, without
    /// an offset index, of its rows in all rows.
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
