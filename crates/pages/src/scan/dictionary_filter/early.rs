//! Early evaluation of conditions on dictionaries, for fused decompress and filter on a device.

use std::collections::BTreeMap;

use crate::file::ParquetFile;
use crate::load::columns::LoadedColumns;
use crate::scan::condition::Condition;
use crate::scan::dictionary_filter;
use crate::scan::dictionary_filter::DictionaryEvaluation;
use crate::scan::row_selection::RowSelection;
use crate::scan::window::ScanSpec;
use crate::scan::window::Window;
use crate::scan::window::leaves;

/// A column that only one condition needs, with its only leaf and the condition.
///
/// A column in the output or in another condition is excluded: its bytes are needed as well, and
/// the device would decompress each page twice to save the CPU a small part of one decompression.
pub(crate) struct Candidate<'a> {
    column: usize,
    pub leaf: usize,
    condition: &'a Condition,
}

/// Returns the candidates among some columns.
pub(crate) fn candidates<'a>(
    file: &ParquetFile,
    columns: &[usize],
    spec: &'a ScanSpec,
) -> Vec<Candidate<'a>> {
    if spec.kernels.is_none() {
        return Vec::new();
    }
    let conditions = || spec.stages.iter().flat_map(|stage| &stage.conditions);
    let candidate = |&column: &usize| {
        let mut on_it = conditions().filter(|condition| condition.columns.contains(&column));
        let condition = on_it.next().filter(|condition| condition.columns.len() == 1)?;
        let is_needed = on_it.next().is_some() || spec.output.contains(&column);
        let [leaf] = leaves(file, &[column])[..] else { return None };
        (!is_needed).then_some(Candidate { column, leaf, condition })
    };
    columns.iter().filter_map(candidate).collect()
}

/// Evaluates conditions on the dictionaries of candidates with deferred pages, and submits these
/// pages for membership tests. If a condition can't be evaluated, the pages are submitted for
/// decompression, and the later evaluation reports the reason.
pub(crate) async fn evaluate(
    file: &ParquetFile,
    window: &Window,
    loaded: &LoadedColumns,
    candidates: &[Candidate<'_>],
    selection: &RowSelection,
    spec: &ScanSpec,
) -> BTreeMap<usize, DictionaryEvaluation> {
    let mut evaluations = BTreeMap::new();
    for &Candidate { column, leaf, condition } in
        candidates.iter().filter(|one| loaded.has_deferred(one.leaf))
    {
        loaded.dictionary(leaf).await;
        let (rows, counters) = ((window, selection), &spec.load.counters);
        let Ok(evaluation) =
            dictionary_filter::evaluate(file, loaded, (column, leaf), condition, rows, counters)
        else {
            loaded.release(leaf);
            continue;
        };
        let DictionaryEvaluation { dictionary, code_set } = &evaluation;
        // A constant result needs no pages. If the result depends on null only, a test of the
        // indices would say nothing, and the pages are decompressed for their levels.
        match (code_set.constant(dictionary.is_optional()), code_set.set(dictionary.dictionary_len())) {
            (Some(_), _) => {}
            (None, Some(set)) => loaded.test_membership(leaf, &set),
            (None, None) => loaded.release(leaf),
        }
        evaluations.insert(column, evaluation);
    }
    evaluations
}
