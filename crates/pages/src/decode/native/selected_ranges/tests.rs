use super::*;

/// Returns the batches of selected rows of a mask, which is given as runs: length, and whether
/// the rows are selected.
fn steps(runs: &[(usize, bool)], loaded_ranges: RowRanges, count: usize) -> Vec<(RowRanges, Vec<bool>)> {
    let mut bits = BooleanBufferBuilder::new(0);
    runs.iter().for_each(|&(len, bit)| bits.append_n(len, bit));
    let mask = bits.finish();
    let mut selected = SelectedRanges::new(100..100 + mask.len(), Some(mask), loaded_ranges);
    let steps: Vec<_> = std::iter::from_fn(|| selected.next(count)).collect();
    assert!(selected.next(count).is_none(), "rows behind the last wanted one");
    let keep = |keep: Option<BooleanArray>| keep.map_or(vec![], |keep| keep.values().iter().collect());
    steps.into_iter().map(|NextRows { ranges, keep: kept }| (ranges, keep(kept))).collect()
}

#[test]
fn all_rows_come_in_steps() {
    let mut selected = SelectedRanges::new(5..30, None, vec![0..100]);
    let ranges: Vec<_> = std::iter::from_fn(|| selected.next(10)).map(|next| next.ranges).collect();
    assert_eq!(ranges, [vec![5..15], vec![15..25], vec![25..30]]);
}

#[test]
fn runs_are_split_where_a_step_is_full() {
    let found = steps(&[(10, false), (30, true), (100, false), (5, true), (9, false)], vec![0..1000], 20);
    assert_eq!(found, [(vec![110..130], vec![]), (vec![130..140, 240..245], vec![])]);
}

#[test]
fn small_gaps_are_decoded_too_and_dropped() {
    let found = steps(&[(1, true), (2, false), (1, true), (32, false), (1, true)], vec![100..137], 9);
    assert_eq!(found, [(vec![100..104, 136..137], vec![true, false, false, true, true])]);
}

#[test]
fn gaps_without_their_pages_are_not() {
    let runs = [(10, true), (4, false), (10, true)];
    let found = steps(&runs, vec![100..110, 114..124], 50);
    assert_eq!(found, [(vec![100..110, 114..124], vec![])]);
    let found = steps(&runs, vec![100..112, 112..124], 50);
    assert_eq!(found, [(vec![100..110, 114..124], vec![])]);
}
