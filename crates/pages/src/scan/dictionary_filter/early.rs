//! Conditions that are judged ahead, so that a device can look codes up while it decompresses them.

use std::collections::BTreeMap;

use crate::file::ParquetFile;
use crate::load::columns::LoadedColumns;
use crate::scan::condition::Condition;
use crate::scan::dictionary_filter;
use crate::scan::dictionary_filter::Judgement;
use crate::scan::row_selection::Survivors;
use crate::scan::window::ScanSpec;
use crate::scan::window::Window;
use crate::scan::window::leaves;

/// A column of which nothing is needed but what one condition says of it, with its only leaf and
/// the condition.
///
/// Of a column that is in the output too, or in another condition, the bytes are needed as well. To
/// have both would take the device two decompressions, to save the CPU a small part of one.
pub(crate) struct Candidate<'a> {
    column: usize,
    pub leaf: usize,
    condition: &'a Condition,
}

/// Those of some columns.
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

/// Judges the conditions of those of some columns whose pages of codes are held back, and has their
/// codes looked up. Where a condition can't be judged the pages are decompressed instead, and
/// whoever decides it later says why.
pub(crate) async fn judge(
    file: &ParquetFile,
    window: &Window,
    loaded: &LoadedColumns,
    candidates: &[Candidate<'_>],
    survivors: &Survivors,
    spec: &ScanSpec,
) -> BTreeMap<usize, Judgement> {
    let mut judgements = BTreeMap::new();
    for &Candidate { column, leaf, condition } in candidates.iter().filter(|one| loaded.holds(one.leaf)) {
        loaded.dictionary(leaf).await;
        let (rows, counters) = ((window, survivors), &spec.load.counters);
        let Ok(judgement) = dictionary_filter::judge(file, loaded, (column, leaf), condition, rows, counters)
        else {
            loaded.release(leaf);
            continue;
        };
        let Judgement { coded, verdict } = &judgement;
        // what is known without a look at the codes needs no pages at all, and where only nulls
        // matter nothing is to be looked up
        match (verdict.constant(coded.is_optional()), verdict.set(coded.codes())) {
            (Some(_), _) => {}
            (None, Some(set)) => loaded.look_up(leaf, &set),
            (None, None) => loaded.release(leaf),
        }
        judgements.insert(column, judgement);
    }
    judgements
}
