use std::sync::Arc;

use datafusion::execution::memory_pool::{MemoryConsumer, MemoryPool, MemoryReservation};

use crate::plan::memory::LimitedPool;

/// A limit of which two operators get 750 kB each.
const LIMIT: usize = 1_600_000;

fn pool() -> Arc<dyn MemoryPool> {
    Arc::new(LimitedPool::new(LIMIT))
}

/// Returns the two reservations of a sort.
fn sort(pool: &Arc<dyn MemoryPool>, partition: usize) -> (MemoryReservation, MemoryReservation) {
    let rows = MemoryConsumer::new(format!("ExternalSorter[{partition}]")).with_can_spill(true);
    let rows = rows.register(pool);
    (rows, MemoryConsumer::new(format!("ExternalSorterMerge[{partition}]")).register(pool))
}

/// Fills a reservation to its share, and returns its bytes.
fn fill(rows: &MemoryReservation) -> usize {
    while rows.try_grow(1_000).is_ok() {}
    rows.size()
}

#[test]
fn a_sort_merges_its_rows_while_others_fill_their_share() {
    let pool = pool();
    let ((rows, merge), (other, _other_merge)) = (sort(&pool, 0), sort(&pool, 1));
    assert_eq!((fill(&rows), fill(&other)), (375_000, 375_000));
    // each batch goes from the rows to the merge, with a key
    let pieces: Vec<_> = (0..375).map(|_| rows.split(1_000)).collect();
    let keys: Vec<_> = (0..375).map(|_| merge.new_empty()).collect();
    for (piece, key) in pieces.iter().zip(&keys) {
        piece.free();
        assert_eq!(fill(&other), 375_000);
        merge.try_grow(1_000).expect("the sort's own half");
        key.try_grow(1_000).expect("the sort's own half");
    }
    assert_eq!(pool.reserved(), 3 * 375_000);
    drop((pieces, keys, merge));
    fill(&rows);
    assert_eq!(rows.size(), 375_000, "the next rows have the same room");
}

#[test]
fn an_operator_gets_its_share_after_others_have_filled_theirs() {
    let pool = pool();
    let (first, _merge) = sort(&pool, 0);
    assert_eq!(fill(&first), 750_000);
    let plain = MemoryConsumer::new("HashJoinInput").register(&pool);
    while plain.try_grow(1_000).is_ok() {}
    assert_eq!(plain.size(), LIMIT - 750_000);
    let second = MemoryConsumer::new("SingleHashAggregateStream[0]").with_can_spill(true).register(&pool);
    assert_eq!(fill(&second), (LIMIT - plain.size()) / 4 / 1_000 * 1_000);
    first.try_grow(1).expect_err("it has more than its share by now");
}

#[test]
fn a_first_batch_may_be_large_where_there_is_room() {
    let pool = pool();
    let ((first, _merge), (second, _other_merge)) = (sort(&pool, 0), sort(&pool, 1));
    first.try_grow(1_200_000).expect("there is room");
    first.try_grow(1).expect_err("a second one waits until the first is on disk");
    second.try_grow(400_000).expect_err("there is no room for another large one");
    second.try_grow(300_000).expect("its share");
}

#[test]
fn an_operator_that_has_hardly_begun_may_take_much_at_once() {
    let pool = pool();
    let aggregate = |number: usize| {
        let name = format!("FinalHashAggregateStream[{number}]");
        MemoryConsumer::new(name).with_can_spill(true).register(&pool)
    };
    let (first, second) = (aggregate(0), aggregate(1));
    first.try_grow(100_000).expect("its share");
    first.try_grow(600_000).expect("there is room");
    first.try_grow(1).expect_err("it has begun");
    second.try_grow(200_000).expect("its share");
    second.try_grow(300_000).expect_err("it has begun");
    second.try_grow(100_000).expect("its share");
}

#[test]
fn groups_may_exceed_their_half_beside_the_files_that_they_are_merged_from() {
    let pool = pool();
    let aggregate = MemoryConsumer::new("FinalHashAggregateStream[0]").with_can_spill(true).register(&pool);
    let (other, _other_merge) = sort(&pool, 0);
    let files = aggregate.new_empty();
    assert_eq!(fill(&files), 375_000);
    aggregate.try_grow(300_000).expect("its half");
    aggregate.try_grow(500_000).expect("there is room");
    aggregate.try_grow(400_000).expect_err("it has two shares");
    assert_eq!(fill(&other), 375_000, "the other operator has its half");
    aggregate.try_grow(100_000).expect_err("there is no room");
}

#[test]
fn accounts_end_with_both_consumers_of_a_sort() {
    let pool = pool();
    let (rows, merge) = sort(&pool, 0);
    drop(rows);
    let (other, other_merge) = sort(&pool, 1);
    assert_eq!(fill(&other), 375_000, "the merge still has a share");
    drop(merge);
    assert_eq!(fill(&other), 750_000);
    drop((other, other_merge));
    assert_eq!(pool.reserved(), 0);
}

#[test]
fn rows_between_threads_take_no_share() {
    let pool = pool();
    let between = |number: usize| {
        let name = format!("RepartitionExec[{number}]");
        MemoryConsumer::new(name).with_can_spill(true).register(&pool)
    };
    let (first, second) = (between(0), between(1));
    let aggregate = MemoryConsumer::new("FinalHashAggregateStream[0]").with_can_spill(true).register(&pool);
    assert_eq!(fill(&aggregate), 750_000);
    first.try_grow(60_000).expect("there is room");
    second.try_grow(40_000).expect("there is room");
    second.try_grow(1).expect_err("the rest goes to disk");
    first.free();
    second.try_grow(60_000).expect("there is room again");
}
