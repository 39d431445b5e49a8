use std::sync::Arc;

use super::*;

#[test]
fn errors_name_the_operator_and_the_limit() {
    let pool: Arc<dyn MemoryPool> = Arc::new(LimitedPool::new(1_000_000));
    let sort = MemoryConsumer::new("ExternalSorter[3]").with_can_spill(true).register(&pool);
    let join = MemoryConsumer::new("HashJoinInput").register(&pool);
    sort.try_grow(400_000).expect("there is room");
    join.try_grow(300_000).expect("there is room");
    let error = join.try_grow(400_000).expect_err("there is no room");
    assert!(matches!(error, DataFusionError::ResourcesExhausted(_)), "{error:?}");
    assert_eq!(
        Error::from(error).to_string(),
        "out of memory within the limit that was set: the table of a hash join holds 293.0 KB and needs 390.6 KB \
         more, of 976.6 KB in all, of which 683.6 KB are taken (390.6 KB by a sort); raise the limit (--memory), or use fewer threads"
    );
    assert_eq!(join.size(), 300_000);
    let other = MemoryConsumer::new("SingleHashAggregateStream[0]").with_can_spill(true).register(&pool);
    let error = sort.try_grow(1).expect_err("its share is smaller than what it has").to_string();
    assert!(error.contains("of which 683.6 KB are taken, and 2 operators share the rest"), "{error}");
    drop((sort, join, other));
    assert_eq!(pool.reserved(), 0);
}

#[test]
fn operators_that_can_spill_leave_memory_to_others() {
    let pool: Arc<dyn MemoryPool> = Arc::new(LimitedPool::new(1_600_000));
    let sort = MemoryConsumer::new("ExternalSorter[0]").with_can_spill(true).register(&pool);
    sort.try_grow(1_500_000).expect("there is room");
    sort.try_grow(1).expect_err("the rest is for others");
    let merge = MemoryConsumer::new("SortPreservingMergeExec[0]").register(&pool);
    merge.try_grow(100_000).expect("there is room");
    merge.try_grow(1).expect_err("the memory is full");
}

#[test]
fn operators_have_names_that_queries_know() {
    assert_eq!(operator("NestedLoopJoinLoad[fallback]"), "the left side of a join without equal keys");
    assert_eq!(operator("FinalHashAggregateStream[2]"), "an aggregate");
    assert_eq!(operator("DenseAggregateExec[1]"), "an aggregate");
    assert_eq!(operator("RepartitionExec[Merge 1]"), "rows on their way between threads");
    assert_eq!(operator("the scan of t.parquet"), "the scan of t.parquet");
}
