//! Where things were in the old file, and where they are in the new one.

use std::ops::Range;

use super::compress::NewPage;

/// Where a page was and is; the bytes of both begin with its header.
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
    /// Where its first byte is.
    pub start: u64,
    /// Bytes of its pages.
    pub packed: u64,
    /// Bytes of its pages without compression, headers included.
    pub plain: u64,
    /// Its pages in the order of the file.
    pub pages: Vec<Moved>,
    /// Where its bloom filter is.
    pub bloom: Option<Range<u64>>,
    /// Where its column index is.
    pub column_index: Option<Range<u64>>,
    /// Where its offset index is.
    pub offset_index: Option<Range<u64>>,
}

impl NewChunk {
    /// Takes note of a page that is written at `to`.
    pub fn push(&mut self, page: &NewPage, to: u64) {
        let length = (page.head.len() + page.body.len()) as u64;
        if self.pages.is_empty() {
            self.start = to;
        }
        self.packed += length;
        self.plain += page.head.len() as u64 + page.plain;
        let is_dictionary = page.is_dictionary;
        self.pages.push(Moved { from: page.offset, to, length, is_dictionary });
    }

    /// The page that started at an offset of the old file.
    pub fn page_at(&self, from: i64) -> Option<&Moved> {
        let from = u64::try_from(from).ok()?;
        let index = self.pages.binary_search_by_key(&from, |page| page.from).ok()?;
        self.pages.get(index)
    }

    /// Where its first page that is no dictionary is; its end, if there is none.
    pub fn data_start(&self) -> u64 {
        let data = self.pages.iter().find(|page| !page.is_dictionary);
        data.map_or(self.start + self.packed, |page| page.to)
    }
}
