//! Byte ranges of a column chunk that a scan needs.

use std::ops::Range;

use crate::error::Cause;
use crate::error::Error;
use crate::error::Result;
use crate::file::ParquetFile;
use crate::load::fetch::Wanted;

/// Byte ranges of one column chunk, and the pages in them.
#[derive(Debug, Clone)]
pub struct ChunkPlan {
    /// Index of the leaf column in the file's schema.
    pub leaf: usize,
    /// Ranges to read: the whole chunk, or the dictionary and then the selected pages.
    pub ranges: Vec<Range<u64>>,
    /// Pages listed by the offset index; `None` if there is no usable index, and `ranges` is the
    /// chunk.
    pub pages: Option<IndexedPages>,
}

/// Pages of a chunk, as listed by the offset index.
#[derive(Debug, Clone)]
pub struct IndexedPages {
    /// Whether `ranges` starts with the bytes before the first data page, which hold the
    /// dictionary.
    pub has_dictionary: bool,
    /// Rows of each data page, and whether any of them is selected, in file order.
    pub data: Vec<(Range<usize>, bool)>,
}

impl ChunkPlan {
    /// Plans the reading of column `leaf` of a row group: of all pages, or of the pages with a
    /// selected row if there is an offset index.
    ///
    /// # Errors
    /// The row group has no such column, or its offset index contradicts its chunk.
    pub fn new(file: &ParquetFile, row_group: usize, leaf: usize, wanted: &dyn Wanted) -> Result<Self> {
        let metadata = file.row_group(row_group)?;
        let place = || file.place().row_group(row_group);
        let count = metadata.num_columns();
        let Some(chunk) = metadata.columns().get(leaf) else {
            let what = format!("column {leaf} was asked for, the row group has {count}");
            return Err(Error::new(place(), Cause::NotParquet(what)));
        };
        let (start, length) = chunk.byte_range();
        let whole = start..start + length;
        let rows = metadata.num_rows() as usize;
        let everything = wanted.all(&(0..rows));
        let index = file.metadata().offset_index().and_then(|all| all.get(row_group)?.get(leaf));
        let locations = index.map(|index| index.page_locations().as_slice()).unwrap_or_default();
        if everything || locations.is_empty() {
            return Ok(Self { leaf, ranges: vec![whole], pages: None });
        }

        let bad = |what: &str| {
            let place = place().column(chunk.column_path().string());
            Error::new(place, Cause::NotParquet(format!("its offset index {what}")))
        };
        let mut ranges = Vec::with_capacity(locations.len() + 1);
        let first = u64::try_from(locations[0].offset).map_err(|_| bad("has a negative offset"))?;
        if first < whole.start {
            return Err(bad("starts in front of the chunk"));
        }
        let has_dictionary = first > whole.start;
        if has_dictionary {
            ranges.push(whole.start..first);
        }
        let mut data = Vec::with_capacity(locations.len());
        let mut end_of_last = first;
        for (index, location) in locations.iter().enumerate() {
            let next_row = locations.get(index + 1).map_or(rows as i64, |next| next.first_row_index);
            if location.first_row_index < 0 || next_row < location.first_row_index || next_row > rows as i64 {
                return Err(bad("has rows out of order"));
            }
            if index == 0 && location.first_row_index != 0 {
                return Err(bad("does not start at the first row"));
            }
            let bytes =
                location.offset as u64..location.offset as u64 + location.compressed_page_size.max(0) as u64;
            if location.offset < 0 || bytes.start < end_of_last || bytes.end > whole.end {
                return Err(bad("has a page outside of the chunk"));
            }
            end_of_last = bytes.end;
            let page_rows = location.first_row_index as usize..next_row as usize;
            let is_wanted = wanted.any(&page_rows);
            if is_wanted {
                ranges.push(bytes);
            }
            data.push((page_rows, is_wanted));
        }
        Ok(Self { leaf, ranges, pages: Some(IndexedPages { has_dictionary, data }) })
    }

    /// Returns the number of bytes to read.
    pub fn bytes(&self) -> u64 {
        self.ranges.iter().map(|range| range.end - range.start).sum()
    }
}
