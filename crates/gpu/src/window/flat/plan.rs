//! Layout of a decoded column's buffer.

use pelton_device_cuda::from_bytes;
use pelton_pages::{Cause, Place};

use crate::window::device::DeviceWindow;
use crate::window::error::{Error, Result};
use crate::window::layout::{Column, HINT_ROWS, NULL_WORD_BYTES, Page, form};
use crate::window::plan::Arena;

/// A column to decode, with the layout of its buffer.
pub(super) struct Flat {
    pub column: Column,
    pub pages: Vec<Page>,
    pub dictionary: Option<Page>,
    pub rows: u64,
    /// Values that are not null.
    present: u32,
    pub form: u32,
    pub width: u32,
    /// Offsets: of the page and the dictionary's, of hints, of the numbers of values before each
    /// page, of null words, of values, and of the dictionary's values and offsets.
    pub at: Places,
    pub arena: Arena,
}

#[derive(Default)]
pub(super) struct Places {
    pub pages: u64,
    pub hints: u64,
    pub before: u64,
    pub words: Option<u64>,
    pub values: u64,
    pub dictionary: u64,
    pub offsets: u64,
}

impl Flat {
    /// Plans a column with page directories; `tables` are the bytes of the scan range's.
    pub fn new(column: &Column, window: &DeviceWindow, tables: &[u8]) -> Result<Self> {
        let odd = |what: &str| {
            let cause = Cause::Decode(format!("internal error: {what}"));
            Error::Unsupported(pelton_pages::Error::new(Place::default(), cause))
        };
        let pages_at = |address: u64, count: u32| {
            let start = address.wrapping_sub(window.columns.address()) as usize;
            let bytes =
                start.checked_add(count as usize * size_of::<Page>()).and_then(|end| tables.get(start..end));
            bytes.and_then(from_bytes::<Page>).ok_or_else(|| odd("pages that are not in their window"))
        };
        let pages = pages_at(column.pages, column.page_count)?;
        let dictionary = match column.dictionary {
            0 => None,
            address => pages_at(address, 1)?.first().copied(),
        };
        let rows: u64 = pages.iter().map(|page| u64::from(page.rows)).sum();
        let present: u64 = pages.iter().map(|page| u64::from(page.present)).sum();
        let gap = |pair: &[Page]| pair[0].first_row + u64::from(pair[0].rows) != pair[1].first_row;
        if pages.first().is_some_and(|page| page.first_row != 0) || pages.windows(2).any(gap) {
            return Err(odd("pages that do not follow each other"));
        }
        let present = u32::try_from(present).ok().filter(|_| rows <= u64::from(u32::MAX));
        let present = present.ok_or_else(|| odd("a row group of more than 2^32 rows"))?;
        let coded = pages.iter().filter(|page| page.present > 0).all(|page| page.form == form::CODES);
        let (form, width) = match (&dictionary, column.physical) {
            (Some(dictionary), _) if coded => (form::FLAT_CODES, code_bytes(dictionary.present)),
            (_, 0) => (form::BITS, 0),
            _ if column.value_width > 0 => (form::FIXED, column.value_width),
            // a column of strings that has none
            _ if present == 0 => (form::FIXED, 0),
            _ => return Err(odd("strings that are no codes")),
        };
        let has_nulls = u64::from(present) < rows;
        let mut flat = Self {
            column: *column,
            pages,
            dictionary: dictionary.filter(|_| form == form::FLAT_CODES),
            rows,
            present,
            form,
            width,
            at: Places::default(),
            arena: Arena::default(),
        };
        let mut arena = Arena::default();
        flat.at = Places {
            pages: arena.reserve(2 * size_of::<Page>() as u64),
            hints: arena.reserve(flat.hints() * 4),
            before: arena.reserve(flat.pages.len() as u64 * 4),
            words: has_nulls.then(|| arena.reserve(rows.div_ceil(32) * NULL_WORD_BYTES)),
            values: arena.reserve(flat.value_bytes()),
            dictionary: arena.reserve(flat.dictionary_bytes()),
            offsets: arena.reserve(flat.dictionary.map_or(0, |page| (u64::from(page.present) + 1) * 4)),
        };
        flat.arena = arena;
        Ok(flat)
    }

    pub fn hints(&self) -> u64 {
        self.rows.div_ceil(HINT_ROWS)
    }

    fn value_bytes(&self) -> u64 {
        match self.form {
            form::BITS => u64::from(self.present).div_ceil(32) * 4,
            _ => u64::from(self.present) * u64::from(self.width),
        }
    }

    pub fn dictionary_bytes(&self) -> u64 {
        self.dictionary.map_or(0, |page| page.values_length.into())
    }

    /// Returns the number of values in front of each page.
    pub fn before(&self) -> Vec<u32> {
        let sums = self.pages.iter().scan(0, |sum, page| {
            let before = *sum;
            *sum += page.present;
            Some(before)
        });
        sums.collect()
    }

    /// Returns the pages of the values and of the dictionary, in a buffer at `base`.
    pub fn flat_pages(&self, base: u64) -> Vec<Page> {
        let flat = Page {
            first_row: 0,
            rows: self.rows as u32,
            column: self.column.number,
            physical: self.column.physical,
            value_width: self.column.value_width,
            words: self.at.words.map_or(0, |at| base + at),
            values: base + self.at.values,
            values_length: u32::try_from(self.value_bytes()).unwrap_or(u32::MAX),
            form: self.form,
            present: self.present,
            has_nulls: u32::from(self.at.words.is_some()),
            code_width: self.width * 8,
            ..Page::default()
        };
        let dictionary = self.dictionary.map(|page| Page {
            values: base + self.at.dictionary,
            offsets: base + self.at.offsets,
            ..page
        });
        [Some(flat), dictionary].into_iter().flatten().collect()
    }
}

/// Returns the bytes of an index into a dictionary of `values` values.
fn code_bytes(values: u32) -> u32 {
    match values {
        0..=0x100 => 1,
        0x101..=0x1_0000 => 2,
        _ => 4,
    }
}
