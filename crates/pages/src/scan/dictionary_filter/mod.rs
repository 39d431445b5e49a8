//! Dictionary filter: evaluates a condition once for each dictionary value, then tests the indices
//! of each row.

pub(crate) mod code_set;
pub(crate) mod decide;
pub(crate) mod early;
pub(crate) mod lookup;

use std::time::Instant;

use arrow::array::BooleanBufferBuilder;
use arrow::buffer::BooleanBuffer;
use pelton_bitpack::Kernels;

use crate::counters::ScanCounters;
use crate::decode::coded::CodedColumn;
use crate::error::Result;
use crate::file::ParquetFile;
use crate::load::columns::LoadedColumns;
use crate::load::fetch::RowRanges;
use crate::load::fetch::Wanted;
use crate::scan::condition::Condition;
use crate::scan::dictionary_filter::code_set::Verdict;
use crate::scan::dictionary_filter::lookup::LookUp;
use crate::scan::row_selection::Survivors;
use crate::scan::window::Window;
use crate::undecided::Undecided;

/// Code set of a condition on a column's dictionary.
#[derive(Debug)]
pub(crate) struct Judgement {
    pub coded: CodedColumn,
    pub verdict: Verdict,
}

/// Result of a dictionary filter on a scan range.
pub(crate) struct Decision {
    /// One bit for each row of the range. Undecided rows pass.
    pub passed: BooleanBuffer,
    /// Rows of the row group that are undecided, since their pages have no dictionary indices.
    pub rest: RowRanges,
    /// Number of pages with dictionary indices.
    pub pages: usize,
}

/// Evaluates a condition on the dictionary of the column `column`, after waiting for its
/// decompression.
///
/// # Errors
/// The reason for evaluating the condition on decoded rows instead.
pub(crate) fn judge(
    file: &ParquetFile,
    loaded: &LoadedColumns,
    (column, leaf): (usize, usize),
    condition: &Condition,
    (window, survivors): (&Window, &Survivors),
    counters: &ScanCounters,
) -> Result<Judgement, Undecided> {
    let start = Instant::now();
    let coded = loaded.coded(leaf, survivors.count())?;
    counters.decoded(window.row_group, start.elapsed());
    if !coded.pages().any(|page| page.is_coded && survivors.any(&page.rows)) {
        return Err(Undecided::Plain);
    }
    let start = Instant::now();
    let verdict = Verdict::new(condition.filter.as_ref(), file.schema().field(column), &coded);
    let verdict = verdict.map_err(|_| Undecided::Failed)?;
    counters.filtered(window.row_group, start.elapsed());
    Ok(Judgement { coded, verdict })
}

/// Applies a code set to the loaded pages of its column that hold a selected row.
///
/// # Errors
/// A page of dictionary indices is bad.
pub(crate) fn decide(
    kernels: Kernels,
    judgement: Judgement,
    (window, survivors): (&Window, &Survivors),
    counters: &ScanCounters,
) -> Result<Decision> {
    let Judgement { coded, verdict } = judgement;
    let mut looked_up = LookUp::new(kernels, window.row_group, &coded, &verdict);
    let mut passed = BooleanBufferBuilder::new(window.rows.len());
    let mut decision = Decision { passed: BooleanBuffer::new_unset(0), rest: Vec::new(), pages: 0 };
    for page in coded.pages().filter(|page| survivors.any(&page.rows)) {
        let rows = page.rows.start.max(window.rows.start)..page.rows.end.min(window.rows.end);
        // no row of the pages between is selected
        passed.append_n((rows.start - window.rows.start).saturating_sub(passed.len()), false);
        if !page.is_coded {
            passed.append_n(rows.len(), true);
            decision.rest.push(rows);
            continue;
        }
        decision.pages += 1;
        match verdict.constant(coded.is_optional()) {
            Some(bit) => passed.append_n(rows.len(), bit),
            None => {
                let bits = looked_up.page(&page, counters)?;
                passed.append_buffer(&bits.slice(rows.start - page.rows.start, rows.len()));
            }
        }
    }
    passed.append_n(window.rows.len() - passed.len(), false);
    decision.passed = passed.finish();
    Ok(decision)
}
