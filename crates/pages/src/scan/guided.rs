//! How large the windows of a scan by several threads are.
//!
//! All threads should be done at the same time: towards the end of a scan, and in all of a small
//! one, windows get smaller, each a share of what is left (Polychronopoulos and Kuck, "Guided
//! Self-Scheduling", 1987). For who waits for a window's first pages, as DuckDB's threads do;
//! decision 4 says what it gained there, and that it gained nothing elsewhere.

use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};

use crate::file::ParquetFile;

/// Windows that each thread still gets of what is left: the one that it decodes and the one that it
/// reads ahead. With four there are 2.5 times as many switches between threads, and nothing is
/// gained.
const WINDOWS_LEFT: u64 = 2;

/// Decompressed bytes that a window has at least: they take some milliseconds, of which handing a
/// window to the devices and waiting for its first pages is a small part.
const LEAST_BYTES: u64 = 4 << 20;

/// A window has so many times the bytes of its dictionaries at least: each window has them
/// decompressed and decoded for itself, which is a sixteenth more work then. Without that, windows
/// of 2 MiB made the joins of TPC-H a fifth slower.
const OF_DICTIONARIES: u64 = 16;

/// What is to be read of the row groups of a scan, in decompressed bytes of the columns that it
/// reads.
#[derive(Debug)]
pub struct Shares {
    /// Of each row group of each file.
    groups: Vec<Vec<Group>>,
    /// Bytes of the row groups that were not cut yet.
    left: u64,
    threads: u64,
    most: u64,
}

#[derive(Debug, Default, Clone, Copy)]
struct Group {
    bytes: u64,
    /// Bytes of the dictionaries among them.
    dictionaries: u64,
}

impl Group {
    /// Of a row group the columns that are read.
    fn of(group: &RowGroupMetaData, is_read: impl Fn(usize) -> bool) -> Group {
        let read = group.columns().iter().enumerate().filter(|(leaf, _)| is_read(*leaf));
        read.fold(Group::default(), |sum, (_, chunk)| Group {
            bytes: sum.bytes.saturating_add(chunk.uncompressed_size().max(0) as u64),
            dictionaries: sum.dictionaries.saturating_add(dictionary(chunk)),
        })
    }

    /// The least window.
    fn least(&self) -> u64 {
        self.dictionaries.saturating_mul(OF_DICTIONARIES).max(LEAST_BYTES)
    }
}

/// Decompressed bytes of a dictionary, as if it shrank like the rest of its chunk: the footer has
/// only where it is.
fn dictionary(chunk: &ColumnChunkMetaData) -> u64 {
    // some writers have an offset of 0 where there is none
    let start = chunk.dictionary_page_offset().filter(|start| (1..chunk.data_page_offset()).contains(start));
    let Some(start) = start else { return 0 };
    let packed = (chunk.data_page_offset() - start).min(chunk.compressed_size().max(0));
    (packed as f64 * chunk.uncompressed_size().max(0) as f64 / chunk.compressed_size().max(1) as f64) as u64
}

impl Shares {
    /// For a scan by so many threads of some files, of each of which the top-level columns that are
    /// read are given, in windows of up to `most` bytes.
    pub fn new<'a>(
        files: impl IntoIterator<Item = (&'a ParquetFile, Vec<usize>)>,
        threads: usize,
        most: u64,
    ) -> Shares {
        let of_file = |(file, columns): (&ParquetFile, Vec<usize>)| {
            let schema = file.parquet_schema();
            let is_read = |leaf: usize| columns.contains(&schema.get_column_root_idx(leaf));
            let groups = file.metadata().row_groups().iter();
            groups.map(|group| Group::of(group, is_read)).collect()
        };
        Self::of_groups(files.into_iter().map(of_file).collect(), threads, most)
    }

    fn of_groups(groups: Vec<Vec<Group>>, threads: usize, most: u64) -> Shares {
        let left = groups.iter().flatten().fold(0, |left, group| u64::saturating_add(left, group.bytes));
        Shares { groups, left, threads: threads.max(1) as u64, most }
    }

    /// The size of the windows of a row group, which is cut next. Each is asked for once.
    pub fn next(&mut self, file: usize, row_group: usize) -> u64 {
        let group =
            self.groups.get(file).and_then(|groups| groups.get(row_group)).copied().unwrap_or_default();
        let share = self.left / (self.threads * WINDOWS_LEFT);
        self.left = self.left.saturating_sub(group.bytes);
        share.max(group.least()).min(self.most)
    }

    /// Leaves a row group out, of which nothing is read.
    pub fn leave_out(&mut self, file: usize, row_group: usize) {
        if let Some(group) = self.groups.get_mut(file).and_then(|groups| groups.get_mut(row_group)) {
            self.left = self.left.saturating_sub(std::mem::take(group).bytes);
        }
    }

    /// How many windows there are at most.
    pub fn windows(&self) -> usize {
        let of_group = |group: &Group| group.bytes.div_ceil(group.least().min(self.most).max(1)) as usize;
        self.groups.iter().flatten().map(of_group).fold(0, usize::saturating_add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MB: u64 = 1 << 20;

    fn shares(groups: &[(u64, u64)], threads: usize, most: u64) -> Shares {
        let groups = groups.iter().map(|&(bytes, dictionaries)| Group { bytes, dictionaries });
        Shares::of_groups(vec![groups.collect()], threads, most)
    }

    #[test]
    fn windows_get_smaller_towards_the_end() {
        let mut shares = shares(&[(64 * MB, 0); 5], 2, 32 * MB);
        let sizes: Vec<_> = (0..5).map(|group| shares.next(0, group) / MB).collect();
        assert_eq!(sizes, [32, 32, 32, 32, 16]);
    }

    #[test]
    fn they_have_some_bytes_at_least_and_more_than_their_dictionaries() {
        let mut shares = shares(&[(6 * MB, 0), (6 * MB, MB / 2), (0, 0)], 16, 32 * MB);
        let sizes: Vec<_> = (0..3).map(|group| shares.next(0, group) / MB).collect();
        assert_eq!(sizes, [4, 8, 4]);
        assert_eq!(shares.windows(), 2 + 1);
    }

    #[test]
    fn what_is_not_read_is_not_left() {
        let groups = |bytes| vec![Group { bytes, dictionaries: 0 }];
        let mut shares = Shares::of_groups(vec![groups(64 * MB), groups(32 * MB)], 2, 32 * MB);
        shares.leave_out(0, 0);
        assert_eq!((shares.next(1, 0), shares.windows()), (8 * MB, 8));
    }

    #[test]
    fn the_setting_is_kept_to() {
        let mut shares = shares(&[(64 * MB, 9 * MB)], 1, MB);
        assert_eq!((shares.next(0, 0), shares.windows()), (MB, 64));
    }
}
