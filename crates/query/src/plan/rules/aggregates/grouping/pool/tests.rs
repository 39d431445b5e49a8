use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use datafusion::execution::memory_pool::{MemoryConsumer, MemoryPool, UnboundedMemoryPool};

use super::OutputPool;
use crate::plan::memory::LimitedPool;

const LIMIT: usize = 64 << 20;

fn pool(inner: Arc<dyn MemoryPool>, has_ended: &Arc<AtomicBool>) -> Arc<dyn MemoryPool> {
    Arc::new(OutputPool::new(inner, has_ended.clone()))
}

fn consumer(name: &str) -> MemoryConsumer {
    MemoryConsumer::new(name).with_can_spill(true)
}

#[test]
fn free_memory_is_given_when_the_input_has_ended() {
    let inner: Arc<dyn MemoryPool> = Arc::new(LimitedPool::new(LIMIT));
    let has_ended = Arc::new(AtomicBool::new(false));
    let (first, other) = (pool(inner.clone(), &has_ended), consumer("sort").register(&inner));
    let emitting = consumer("FinalHashAggregateStream[0]").register(&first);
    // less than half of its share, of what two operators share
    emitting.try_grow(LIMIT / 8).expect("a part of its share");
    other.try_grow(LIMIT / 8).expect("a part of its share");
    has_ended.store(true, Relaxed);
    emitting.try_grow(LIMIT / 2).expect("free memory");
    assert_eq!(inner.reserved(), LIMIT / 4 + LIMIT / 2);
    emitting.try_grow(LIMIT / 2).expect_err("more than is free");
    emitting.free();
    assert_eq!(inner.reserved(), LIMIT / 8);
}

#[test]
fn merged_groups_get_no_more_than_two_shares() {
    let inner: Arc<dyn MemoryPool> = Arc::new(LimitedPool::new(LIMIT));
    let has_ended = Arc::new(AtomicBool::new(false));
    let first = pool(inner.clone(), &has_ended);
    let emitting = consumer("FinalHashAggregateStream[0]").register(&first);
    emitting.try_grow(LIMIT / 4).expect("a part of its share");
    emitting.try_grow(LIMIT / 2).expect_err("more than half of its share");
    has_ended.store(true, Relaxed);
    let others: Vec<_> = (0..3).map(|number| consumer(&format!("sort {number}")).register(&inner)).collect();
    emitting.try_grow(LIMIT / 5).expect("free memory within two shares");
    emitting.try_grow(LIMIT / 5).expect_err("more than two of four shares");
    drop(others);
}

#[test]
fn tables_that_remain_are_given_after_a_refusal() {
    let inner: Arc<dyn MemoryPool> = Arc::new(LimitedPool::new(LIMIT));
    let first = pool(inner.clone(), &Arc::new(AtomicBool::new(false)));
    let reading = consumer("PartialHashAggregateStream[0]").register(&first);
    reading.try_grow(LIMIT / 4).expect("a part of its share");
    for _ in 0..2 {
        reading.try_grow(LIMIT / 2).expect_err("more than half of its share");
        reading.try_grow(LIMIT / 3).expect("tables that it has");
        reading.shrink(LIMIT / 3);
    }
    assert_eq!(inner.reserved(), LIMIT / 4);
}

#[test]
fn a_pool_without_a_limit_stays_so() {
    let inner: Arc<dyn MemoryPool> = Arc::new(UnboundedMemoryPool::default());
    let first = pool(inner, &Arc::new(AtomicBool::new(false)));
    consumer("FinalHashAggregateStream[0]").register(&first).try_grow(LIMIT).expect("no limit");
}
