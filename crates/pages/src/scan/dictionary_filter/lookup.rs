//! Which rows of a page pass, by their codes.

use std::time::Instant;

use arrow::buffer::{BooleanBuffer, Buffer};
use bytes::Bytes;
use pelton_bitpack::{Bitmap, Error, Hybrid, Kernels, Predicate, Source};

use crate::counters::ScanCounters;
use crate::decode::coded::CodedColumn;
use crate::decode::coded::CodedPage;
use crate::error::Result;
use crate::load::fused_lookup::LookedUp;
use crate::scan::bits::deposit;
use crate::scan::dictionary_filter::code_set::Values;
use crate::scan::dictionary_filter::code_set::Verdict;

/// Looks the codes of pages up in a verdict.
pub(crate) struct LookUp<'a> {
    kernels: Kernels,
    row_group: usize,
    coded: &'a CodedColumn,
    verdict: &'a Verdict,
    /// Memory for one page's bits.
    beyond: Bitmap,
    found: Bitmap,
}

impl<'a> LookUp<'a> {
    pub fn new(kernels: Kernels, row_group: usize, coded: &'a CodedColumn, verdict: &'a Verdict) -> Self {
        Self { kernels, row_group, coded, verdict, beyond: Bitmap::new(), found: Bitmap::new() }
    }

    /// One bit for each row of a page.
    ///
    /// # Errors
    /// The page is bad.
    pub fn page(&mut self, page: &CodedPage, counters: &ScanCounters) -> Result<BooleanBuffer> {
        let start = Instant::now();
        let found = self.coded.looked_up(page);
        counters.decoded(self.row_group, start.elapsed());
        let start = Instant::now();
        let bits = found.and_then(|found| self.looked_up(page, found));
        counters.filtered(self.row_group, start.elapsed());
        match bits {
            Some(bits) => Ok(bits),
            None => self.decompressed(page, counters),
        }
    }

    /// The bits that a device found, for the rows that have a code. `None`: the page contradicts
    /// its header; its bytes will be looked at, and what is wrong with them said.
    fn looked_up(&mut self, page: &CodedPage, found: LookedUp) -> Option<BooleanBuffer> {
        let LookedUp { levels, codes, bits } = found;
        let present = self.present(page, levels.as_ref()).ok()?;
        let count = present.as_ref().map_or(page.rows.len(), BooleanBuffer::count_set_bits);
        let values = (count == codes).then(|| BooleanBuffer::new(Buffer::from(bits), 0, codes))?;
        Some(self.of_rows(present, values))
    }

    /// The bits of a page that was decompressed, waiting for it.
    fn decompressed(&mut self, page: &CodedPage, counters: &ScanCounters) -> Result<BooleanBuffer> {
        let start = Instant::now();
        let bytes = self.coded.bytes(page)?;
        counters.decoded(self.row_group, start.elapsed());
        let start = Instant::now();
        let parts = self.coded.parts(page, &bytes)?;
        let bad = |error: Error| self.coded.bad(page, &error.to_string());
        let present = self.present(page, parts.levels.as_ref()).map_err(bad)?;
        let count = present.as_ref().map_or(page.rows.len(), BooleanBuffer::count_set_bits);
        self.coded.check_count(page, count)?;
        let (width, codes) = &parts.codes;
        let values = match self.verdict.values() {
            Values::All(bit) if *bit => BooleanBuffer::new_set(count),
            Values::All(_) => BooleanBuffer::new_unset(count),
            _ if count == 0 => BooleanBuffer::new_unset(0),
            values => {
                self.found.clear();
                let source = Source::from(Hybrid::new(codes, u32::from(*width), count));
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
                    let codes = self.coded.codes();
                    let what = format!("it has a code that is none of the {codes} of its dictionary");
                    return Err(self.coded.bad(page, &what));
                }
                buffer(&self.found)
            }
        };
        let bits = self.of_rows(present, values);
        counters.filtered(self.row_group, start.elapsed());
        Ok(bits)
    }

    /// Whether all codes, of `width` bits, are of the dictionary.
    fn are_within(&mut self, source: &Source<'_>, width: u8) -> Result<bool, Error> {
        if self.coded.codes() as u64 >> width != 0 {
            return Ok(true);
        }
        self.beyond.clear();
        let beyond = Predicate::GreaterOrEqual(self.coded.codes() as u32);
        self.kernels.scan(source, beyond, &mut self.beyond)?;
        Ok(self.beyond.first_one().is_none())
    }

    /// One bit for each row of a page, whether it has a value; `None`: all have one.
    fn present(&mut self, page: &CodedPage, levels: Option<&Bytes>) -> Result<Option<BooleanBuffer>, Error> {
        let Some(levels) = levels else { return Ok(None) };
        self.found.clear();
        let levels = Source::from(Hybrid::new(levels, 1, page.rows.len()));
        self.kernels.scan(&levels, Predicate::Equal(1), &mut self.found)?;
        Ok(Some(buffer(&self.found)))
    }

    /// What was found of the values, for the rows that have them and for those that are null.
    fn of_rows(&self, present: Option<BooleanBuffer>, values: BooleanBuffer) -> BooleanBuffer {
        match present {
            None => values,
            Some(present) => {
                let passed = deposit(&present, &values);
                if self.verdict.null() { &passed | &!&present } else { passed }
            }
        }
    }
}

fn buffer(bits: &Bitmap) -> BooleanBuffer {
    BooleanBuffer::new(Buffer::from_vec(bits.words().to_vec()), 0, bits.len())
}
