//! Offsets of pages, indexes and filters in the old file and the new one.

use std::ops::Range;

use super::compress::NewPage;

/// Offset of a page header in both files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Moved {
    pub from: u64,
    pub to: u64,
    pub length: u64,
    pub is_dictionary: bool,
}

/// A column chunk in the new file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct NewChunk {
    /// Offset of its first byte.
    pub start: u64,
    /// Compressed bytes of its pages, including headers.
    pub compressed: u64,
    /// Uncompressed bytes of its pages, including headers.
    pub uncompressed: u64,
    /// Its pages in the order of the file.
    pub pages: Vec<Moved>,
    /// Byte range of its bloom filter.
    pub bloom: Option<Range<u64>>,
    /// Byte range of its column index.
    pub column_index: Option<Range<u64>>,
    /// Byte range of its offset index.
    pub offset_index: Option<Range<u64>>,
}

impl NewChunk {
    /// Adds a page that is written at `to`.
    pub fn push(&mut self, page: &NewPage, to: u64) {
        let length = (page.head.len() + page.body.len()) as u64;
        if self.pages.is_empty() {
            self.start = to;
        }
        self.compressed += length;
        self.uncompressed += page.head.len() as u64 + page.uncompressed;
        let is_dictionary = page.is_dictionary;
        self.pages.push(Moved { from: page.offset, to, length, is_dictionary });
    }

    /// Returns the page at an offset of the old file.
    pub fn page_at(&self, from: i64) -> Option<&Moved> {
        let from = u64::try_from(from).ok()?;
        let index = self.pages.binary_search_by_key(&from, |page| page.from).ok()?;
        self.pages.get(index)
    }

    /// Returns the offset of the first data page, or of the chunk's end if it has none.
    pub fn data_start(&self) -> u64 {
        let data = self.pages.iter().find(|page| !page.is_dictionary);
        data.map_or(self.start + self.compressed, |page| page.to)
    }
}
