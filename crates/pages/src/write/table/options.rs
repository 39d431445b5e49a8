//! How a table is written, and what came of it.

use crate::write::Packing;

/// Rows of a row group, if no other number is asked for: parquet-rs's and Arrow C++'s own. Fewer
/// repeat dictionaries more often, and more leave a reader of one file fewer to share among its
/// threads.
const ROW_GROUP_ROWS: usize = 1 << 20;

/// How a table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriteOptions {
    /// The codec of its pages.
    pub packing: Packing,
    /// Rows of a row group, over zero. Rows that are large make smaller ones.
    pub row_group_rows: usize,
    /// Whether column chunks that are dictionary-encoded get bloom filters.
    pub bloom_filters: bool,
    /// Threads that encode, the caller's among them, over zero.
    pub threads: usize,
}

impl WriteOptions {
    /// Row groups of 1,048,576 rows, with bloom filters, encoded by as many threads as there are
    /// cores.
    pub fn new(packing: Packing) -> Self {
        let threads = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        Self { packing, row_group_rows: ROW_GROUP_ROWS, bloom_filters: true, threads }
    }
}

/// What was written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Written {
    /// Rows of the table.
    pub rows: u64,
    /// Bytes of the file.
    pub bytes: u64,
    /// Its row groups.
    pub row_groups: usize,
}
