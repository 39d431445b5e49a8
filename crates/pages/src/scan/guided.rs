//! Guided self-scheduling: sizes of the scan ranges of several threads.
//!
//! All threads should finish at the same time. Towards the end of a scan, and throughout a small
//! one, ranges shrink: each is a share of the remaining bytes (Polychronopoulos and Kuck, "Guided
//! Self-Scheduling", 1987). This is for threads that wait for the first pages of each range, as
//! DuckDB's do; `docs/decisions/0004-scan-ranges.md` compares it with ranges of one size.

use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};

use crate::file::ParquetFile;

/// Ranges that each thread still gets from the remaining bytes: the decoded one and the next, which
/// is read ahead. A larger number means more switches between threads and no gain.
const RANGES_PER_THREAD: u64 = 2;

/// Minimum decompressed size of a scan range. It keeps the submission of a range to the devices and
/// the wait for its first pages a small part of the time.
const MIN_BYTES: u64 = 4 << 20;

/// Minimum ratio of a range's size to that of its dictionaries. Each range decodes the dictionaries
/// for itself, which would be much of the work in a smaller range.
const MIN_DICTIONARY_RATIO: u64 = 16;

/// Remaining bytes of a scan, decompressed, by row group. Counts only the columns that the scan
/// reads.
#[derive(Debug)]
pub struct Shares {
    /// Sizes by file and row group.
    groups: Vec<Vec<Group>>,
    /// Bytes of the row groups without ranges so far.
    left: u64,
    threads: u64,
    max_bytes: u64,
}

#[derive(Debug, Default, Clone, Copy)]
struct Group {
    bytes: u64,
    /// Bytes of the dictionaries in `bytes`.
    dictionaries: u64,
}

impl Group {
    /// Adds up the columns of a row group that are read.
    fn of(group: &RowGroupMetaData, is_read: impl Fn(usize) -> bool) -> Group {
        let read = group.columns().iter().enumerate().filter(|(leaf, _)| is_read(*leaf));
        read.fold(Group::default(), |sum, (_, chunk)| Group {
            bytes: sum.bytes.saturating_add(chunk.uncompressed_size().max(0) as u64),
            dictionaries: sum.dictionaries.saturating_add(dictionary(chunk)),
        })
    }

    /// Returns the minimum size of a range.
    fn min_bytes(&self) -> u64 {
        self.dictionaries.saturating_mul(MIN_DICTIONARY_RATIO).max(MIN_BYTES)
    }
}

/// Estimates the decompressed size of a dictionary from the compression ratio of its chunk: the
/// footer has only its offset.
fn dictionary(chunk: &ColumnChunkMetaData) -> u64 {
    // some writers have an offset of 0 if there is no dictionary
    let start = chunk.dictionary_page_offset().filter(|start| (1..chunk.data_page_offset()).contains(start));
    let Some(start) = start else { return 0 };
    let compressed = (chunk.data_page_offset() - start).min(chunk.compressed_size().max(0));
    (compressed as f64 * chunk.uncompressed_size().max(0) as f64 / chunk.compressed_size().max(1) as f64)
        as u64
}

impl Shares {
    /// Prepares for a scan by `threads` threads, in ranges of up to `max_bytes` bytes. `files` have
    /// the top-level columns that are read of each.
    pub fn new<'a>(
        files: impl IntoIterator<Item = (&'a ParquetFile, Vec<usize>)>,
        threads: usize,
        max_bytes: u64,
    ) -> Shares {
        let of_file = |(file, columns): (&ParquetFile, Vec<usize>)| {
            let schema = file.parquet_schema();
            let is_read = |leaf: usize| columns.contains(&schema.get_column_root_idx(leaf));
            let groups = file.metadata().row_groups().iter();
            groups.map(|group| Group::of(group, is_read)).collect()
        };
        Self::of_groups(files.into_iter().map(of_file).collect(), threads, max_bytes)
    }

    fn of_groups(groups: Vec<Vec<Group>>, threads: usize, max_bytes: u64) -> Shares {
        let left = groups.iter().flatten().fold(0, |left, group| u64::saturating_add(left, group.bytes));
        Shares { groups, left, threads: threads.max(1) as u64, max_bytes }
    }

    /// Returns the size of the ranges of the next row group. Each row group is passed once.
    pub fn next(&mut self, file: usize, row_group: usize) -> u64 {
        let group =
            self.groups.get(file).and_then(|groups| groups.get(row_group)).copied().unwrap_or_default();
        let share = self.left / (self.threads * RANGES_PER_THREAD);
        self.left = self.left.saturating_sub(group.bytes);
        share.max(group.min_bytes()).min(self.max_bytes)
    }

    /// Leaves out a row group that is not read.
    pub fn leave_out(&mut self, file: usize, row_group: usize) {
        if let Some(group) = self.groups.get_mut(file).and_then(|groups| groups.get_mut(row_group)) {
            self.left = self.left.saturating_sub(std::mem::take(group).bytes);
        }
    }

    /// Returns the maximum number of ranges.
    pub fn windows(&self) -> usize {
        let of_group =
            |group: &Group| group.bytes.div_ceil(group.min_bytes().min(self.max_bytes).max(1)) as usize;
        self.groups.iter().flatten().map(of_group).fold(0, usize::saturating_add)
    }
}

#[cfg(test)]
mod tests;
