//! Dictionary filter: evaluates a condition once for each dictionary value, then tests the indices
//! of each row.

pub(crate) mod apply;
pub(crate) mod code_set;
pub(crate) mod early;
pub(crate) mod membership;

use std::time::Instant;

use arrow::array::BooleanBufferBuilder;
use arrow::buffer::BooleanBuffer;
use pelton_bitpack::Kernels;

use crate::counters::ScanCounters;
use crate::decode::dictionary_column::DictionaryColumn;
use crate::error::Result;
use crate::file::ParquetFile;
use crate::load::columns::LoadedColumns;
use crate::load::fetch::RowRanges;
use crate::load::fetch::Wanted;
use crate::scan::condition::Condition;
use crate::scan::dictionary_filter::code_set::CodeSet;
use crate::scan::dictionary_filter::membership::MembershipTest;
use crate::scan::row_selection::RowSelection;
use crate::scan::window::Window;
use crate::undecided::Undecided;

/// Code set of a condition on a column's dictionary.
#[derive(Debug)]
pub(crate) struct DictionaryEvaluation {
    pub dictionary: DictionaryColumn,
    pub code_set: CodeSet,
}

/// Result of a dictionary filter on a scan range.
pub(crate) struct FilterResult {
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
pub(crate) fn evaluate(
    file: &ParquetFile,
    loaded: &LoadedColumns,
    (column, leaf): (usize, usize),
    condition: &Condition,
    (window, selection): (&Window, &RowSelection),
    counters: &ScanCounters,
) -> Result<DictionaryEvaluation, Undecided> {
    let start = Instant::now();
    let dictionary = loaded.dictionary_column(leaf, selection.count())?;
    counters.decoded(window.row_group, start.elapsed());
    if !dictionary.pages().any(|page| page.is_dictionary_encoded && selection.any(&page.rows)) {
        return Err(Undecided::Plain);
    }
    let start = Instant::now();
    let code_set = CodeSet::new(condition.filter.as_ref(), file.schema().field(column), &dictionary);
    let code_set = code_set.map_err(|_| Undecided::Failed)?;
    counters.filtered(window.row_group, start.elapsed());
    Ok(DictionaryEvaluation { dictionary, code_set })
}

/// Applies a code set to the loaded pages of its column that hold a selected row.
///
/// # Errors
/// A page of dictionary indices is bad.
pub(crate) fn apply(
    kernels: Kernels,
    evaluation: DictionaryEvaluation,
    (window, selection): (&Window, &RowSelection),
    counters: &ScanCounters,
) -> Result<FilterResult> {
    let DictionaryEvaluation { dictionary, code_set } = evaluation;
    let mut test = MembershipTest::new(kernels, window.row_group, &dictionary, &code_set);
    let mut passed = BooleanBufferBuilder::new(window.rows.len());
    let mut result = FilterResult { passed: BooleanBuffer::new_unset(0), rest: Vec::new(), pages: 0 };
    for page in dictionary.pages().filter(|page| selection.any(&page.rows)) {
        let rows = page.rows.start.max(window.rows.start)..page.rows.end.min(window.rows.end);
        // no row of the pages between is selected
        passed.append_n((rows.start - window.rows.start).saturating_sub(passed.len()), false);
        if !page.is_dictionary_encoded {
            passed.append_n(rows.len(), true);
            result.rest.push(rows);
            continue;
        }
        result.pages += 1;
        match code_set.constant(dictionary.is_optional()) {
            Some(bit) => passed.append_n(rows.len(), bit),
            None => {
                let bits = test.page(&page, counters)?;
                passed.append_buffer(&bits.slice(rows.start - page.rows.start, rows.len()));
            }
        }
    }
    passed.append_n(window.rows.len() - passed.len(), false);
    result.passed = passed.finish();
    Ok(result)
}
