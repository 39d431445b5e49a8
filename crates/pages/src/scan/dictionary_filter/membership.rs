//! Membership of a page's dictionary indices in a code set.

use std::time::Instant;

use arrow::buffer::{BooleanBuffer, Buffer};
use bytes::Bytes;
use pelton_bitpack::{Bitmap, Error, Hybrid, Kernels, Predicate, Source};

use crate::counters::ScanCounters;
use crate::decode::dictionary_column::DataPage;
use crate::decode::dictionary_column::DictionaryColumn;
use crate::error::Result;
use crate::load::fused_filter::Membership;
use crate::scan::bits::deposit;
use crate::scan::dictionary_filter::code_set::CodeSet;
use crate::scan::dictionary_filter::code_set::Values;

/// Tests the dictionary indices of pages.
pub(crate) struct MembershipTest<'a> {
    kernels: Kernels,
    row_group: usize,
    dictionary: &'a DictionaryColumn,
    code_set: &'a CodeSet,
    /// Buffers for the bits of one page.
    beyond: Bitmap,
    found: Bitmap,
}

impl<'a> MembershipTest<'a> {
    pub fn new(
        kernels: Kernels,
        row_group: usize,
        dictionary: &'a DictionaryColumn,
        code_set: &'a CodeSet,
    ) -> Self {
        Self { kernels, row_group, dictionary, code_set, beyond: Bitmap::new(), found: Bitmap::new() }
    }

    /// Returns one bit for each row of a page.
    ///
    /// # Errors
    /// The page is bad.
    pub fn page(&mut self, page: &DataPage, counters: &ScanCounters) -> Result<BooleanBuffer> {
        let start = Instant::now();
        let found = self.dictionary.membership(page);
        counters.decoded(self.row_group, start.elapsed());
        let start = Instant::now();
        let bits = found.and_then(|found| self.membership(page, found));
        counters.filtered(self.row_group, start.elapsed());
        match bits {
            Some(bits) => Ok(bits),
            None => self.decompressed(page, counters),
        }
    }

    /// Returns one bit for each row from the bits of a device. `None` if the page contradicts its
    /// header; it is then decompressed, which returns the error.
    fn membership(&mut self, page: &DataPage, found: Membership) -> Option<BooleanBuffer> {
        let Membership { levels, index_count, bits } = found;
        let present = self.present(page, levels.as_ref()).ok()?;
        let count = present.as_ref().map_or(page.rows.len(), BooleanBuffer::count_set_bits);
        let values =
            (count == index_count).then(|| BooleanBuffer::new(Buffer::from(bits), 0, index_count))?;
        Some(self.of_rows(present, values))
    }

    /// Decompresses a page, waits for it, and returns one bit for each row.
    fn decompressed(&mut self, page: &DataPage, counters: &ScanCounters) -> Result<BooleanBuffer> {
        let start = Instant::now();
        let bytes = self.dictionary.bytes(page)?;
        counters.decoded(self.row_group, start.elapsed());
        let start = Instant::now();
        let parts = self.dictionary.parts(page, &bytes)?;
        let bad = |error: Error| self.dictionary.bad(page, &error.to_string());
        let present = self.present(page, parts.levels.as_ref()).map_err(bad)?;
        let count = present.as_ref().map_or(page.rows.len(), BooleanBuffer::count_set_bits);
        self.dictionary.check_count(page, count)?;
        let (width, indices) = &parts.indices;
        let values = match self.code_set.values() {
            Values::All(bit) if *bit => BooleanBuffer::new_set(count),
            Values::All(_) => BooleanBuffer::new_unset(count),
            _ if count == 0 => BooleanBuffer::new_unset(0),
            values => {
                self.found.clear();
                let source = Source::from(Hybrid::new(indices, u32::from(*width), count));
                let are_within = match values {
                    Values::Range(low, high) => {
                        let between = Predicate::Between { low: *low, high: *high };
                        self.kernels.scan(&source, between, &mut self.found).map_err(bad)?;
                        self.are_within(&source, *width).map_err(bad)?
                    }
                    Values::Set(set) => self.kernels.members(&source, set, &mut self.found).map_err(bad)?,
                    Values::All(_) => true,
                };
                if !are_within {
                    let len = self.dictionary.dictionary_len();
                    let what = format!("it has a code that is none of the {len} of its dictionary");
                    return Err(self.dictionary.bad(page, &what));
                }
                buffer(&self.found)
            }
        };
        let bits = self.of_rows(present, values);
        counters.filtered(self.row_group, start.elapsed());
        Ok(bits)
    }

    /// Returns whether the dictionary has all indices of the page, which are `width` bits wide.
    fn are_within(&mut self, source: &Source<'_>, width: u8) -> Result<bool, Error> {
        if self.dictionary.dictionary_len() as u64 >> width != 0 {
            return Ok(true);
        }
        self.beyond.clear();
        let beyond = Predicate::GreaterOrEqual(self.dictionary.dictionary_len() as u32);
        self.kernels.scan(source, beyond, &mut self.beyond)?;
        Ok(self.beyond.first_one().is_none())
    }

    /// Returns one bit for each row of a page, set if it has a value; `None` if all have one.
    fn present(&mut self, page: &DataPage, levels: Option<&Bytes>) -> Result<Option<BooleanBuffer>, Error> {
        let Some(levels) = levels else { return Ok(None) };
        self.found.clear();
        let levels = Source::from(Hybrid::new(levels, 1, page.rows.len()));
        self.kernels.scan(&levels, Predicate::Equal(1), &mut self.found)?;
        Ok(Some(buffer(&self.found)))
    }

    /// Returns bits for all rows from those of the rows with values.
    fn of_rows(&self, present: Option<BooleanBuffer>, values: BooleanBuffer) -> BooleanBuffer {
        match present {
            None => values,
            Some(present) => {
                let passed = deposit(&present, &values);
                if self.code_set.null() { &passed | &!&present } else { passed }
            }
        }
    }
}

fn buffer(bits: &Bitmap) -> BooleanBuffer {
    BooleanBuffer::new(Buffer::from_vec(bits.words().to_vec()), 0, bits.len())
}
