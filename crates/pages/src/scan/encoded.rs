//! Conditions on codes: evaluated once for each value of a dictionary, then looked up for each row.

use std::time::Instant;

use arrow::array::BooleanBufferBuilder;
use arrow::buffer::{BooleanBuffer, Buffer};
use pelton_filter::{Bitmap, Hybrid, Kernels, Predicate, Source};

use super::bits::deposit;
use super::filter::Condition;
use super::selection::Survivors;
use super::verdict::{Values, Verdict};
use super::window::Window;
use crate::counters::ScanCounters;
use crate::error::Result;
use crate::fetch::{RowRanges, Wanted};
use crate::file::ParquetFile;
use crate::read::{CodedColumn, CodedPage, LoadedColumns};
use crate::undecided::Undecided;

/// What a condition says of a window's rows, as far as codes tell.
pub(super) struct Decision {
    /// One bit for each row of the window; those that are not decided pass.
    pub passed: BooleanBuffer,
    /// The rows of the row group that are not decided, since their pages hold no codes.
    pub rest: RowRanges,
    /// Pages that were decided.
    pub pages: usize,
}

/// Decides a condition on the column `column` on its loaded pages, of which only those with survivors are looked at.
///
/// # Errors
/// The outer one: a page with codes is bad. The inner one: why it can't be decided so.
pub(super) fn decide(
    kernels: Kernels,
    file: &ParquetFile,
    loaded: &LoadedColumns,
    (column, leaf): (usize, usize),
    condition: &Condition,
    (window, survivors): (&Window, &Survivors),
    counters: &ScanCounters,
) -> Result<Result<Decision, Undecided>> {
    let start = Instant::now();
    let coded = match loaded.coded(leaf, survivors.count()) {
        Ok(coded) => coded,
        Err(reason) => return Ok(Err(reason)),
    };
    counters.decoded(window.row_group, start.elapsed());
    let pages: Vec<_> = coded.pages().filter(|page| survivors.any(&page.rows)).collect();
    if !pages.iter().any(|page| page.is_coded) {
        return Ok(Err(Undecided::Plain));
    }
    let start = Instant::now();
    let verdict = match Verdict::new(condition.filter.as_ref(), file.schema().field(column), &coded) {
        Ok(verdict) => verdict,
        Err(_) => return Ok(Err(Undecided::Failed)),
    };
    counters.filtered(window.row_group, start.elapsed());
    let row_group = window.row_group;
    let mut looked_up =
        LookUp { kernels, row_group, coded: &coded, verdict, beyond: Bitmap::new(), found: Bitmap::new() };
    let mut passed = BooleanBufferBuilder::new(window.rows.len());
    let mut decision = Decision { passed: BooleanBuffer::new_unset(0), rest: Vec::new(), pages: 0 };
    for page in &pages {
        let rows = page.rows.start.max(window.rows.start)..page.rows.end.min(window.rows.end);
        // pages between them have no survivors
        passed.append_n((rows.start - window.rows.start).saturating_sub(passed.len()), false);
        if !page.is_coded {
            passed.append_n(rows.len(), true);
            decision.rest.push(rows);
            continue;
        }
        decision.pages += 1;
        match looked_up.verdict.constant(coded.is_optional()) {
            Some(bit) => passed.append_n(rows.len(), bit),
            None => {
                let bits = looked_up.page(page, counters)?;
                passed.append_buffer(&bits.slice(rows.start - page.rows.start, rows.len()));
            }
        }
    }
    passed.append_n(window.rows.len() - passed.len(), false);
    decision.passed = passed.finish();
    Ok(Ok(decision))
}

/// Looks the codes of pages up in a verdict.
struct LookUp<'a> {
    kernels: Kernels,
    row_group: usize,
    coded: &'a CodedColumn,
    verdict: Verdict,
    /// Memory for one page's bits.
    beyond: Bitmap,
    found: Bitmap,
}

impl LookUp<'_> {
    /// One bit for each row of a page.
    fn page(&mut self, page: &CodedPage, counters: &ScanCounters) -> Result<BooleanBuffer> {
        let start = Instant::now();
        let bytes = self.coded.bytes(page)?;
        counters.decoded(self.row_group, start.elapsed());
        let start = Instant::now();
        let parts = self.coded.parts(page, &bytes)?;
        let bad = |error: pelton_filter::Error| self.coded.bad(page, &error.to_string());
        let rows = page.rows.len();
        let present = match &parts.levels {
            None => None,
            Some(levels) => {
                self.found.clear();
                let levels = Source::from(Hybrid::new(levels, 1, rows));
                self.kernels.scan(&levels, Predicate::Equal(1), &mut self.found).map_err(bad)?;
                Some(buffer(&self.found))
            }
        };
        let count = present.as_ref().map_or(rows, BooleanBuffer::count_set_bits);
        self.coded.check_count(page, count)?;
        let (width, codes) = &parts.codes;
        let values = match self.verdict.values() {
            Values::All(bit) if *bit => BooleanBuffer::new_set(count),
            Values::All(_) => BooleanBuffer::new_unset(count),
            _ if count == 0 => BooleanBuffer::new_unset(0),
            values => {
                self.found.clear();
                let source = Source::from(Hybrid::new(codes, u32::from(*width), count));
                if self.coded.codes() as u64 >> width == 0 {
                    self.beyond.clear();
                    let beyond = Predicate::GreaterOrEqual(self.coded.codes() as u32);
                    self.kernels.scan(&source, beyond, &mut self.beyond).map_err(bad)?;
                    if self.beyond.first_one().is_some() {
                        let what = format!(
                            "it has a code that is none of the {} of its dictionary",
                            self.coded.codes()
                        );
                        return Err(self.coded.bad(page, &what));
                    }
                }
                match values {
                    Values::Range(low, high) => {
                        let between = Predicate::Between { low: *low, high: *high };
                        self.kernels.scan(&source, between, &mut self.found).map_err(bad)?;
                    }
                    Values::Set(set) => self.kernels.members(&source, set, &mut self.found).map_err(bad)?,
                    Values::All(_) => {}
                }
                buffer(&self.found)
            }
        };
        let bits = match present {
            None => values,
            Some(present) => {
                let passed = deposit(&present, &values);
                if self.verdict.null() { &passed | &!&present } else { passed }
            }
        };
        counters.filtered(self.row_group, start.elapsed());
        Ok(bits)
    }
}

fn buffer(bits: &Bitmap) -> BooleanBuffer {
    BooleanBuffer::new(Buffer::from_vec(bits.words().to_vec()), 0, bits.len())
}
