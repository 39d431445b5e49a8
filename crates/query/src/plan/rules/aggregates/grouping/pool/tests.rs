use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use datafusion::execution::memory_pool::{MemoryConsumer, MemoryPool, UnboundedMemoryPool};

use super::AggregatePool;
use crate::plan::memory::LimitedPool;

const LIMIT: usize = 64 << 20;

fn pool(inner: Arc<dyn MemoryPool>, has_ended: &Arc<AtomicBool>) -> Arc<dyn MemoryPool> {
    Arc::new(AggregatePool::new(inner, has_ended.clone(), Box::new(|| 2)))
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
fn files_that_are_merged_leave_room_for_their_groups() {
    let inner: Arc<dyn MemoryPool> = Arc::new(LimitedPool::new(LIMIT));
    let has_ended = Arc::new(AtomicBool::new(false));
    let first = pool(inner.clone(), &has_ended);
    let files = consumer("FinalHashAggregateStream[0]").register(&first);
    files.try_grow(LIMIT / 4).expect("a part of its share");
    files.try_grow(LIMIT / 2).expect_err("more than half of its share");
    has_ended.store(true, Relaxed);
    files.free();
    files.try_grow(LIMIT / 4).expect("a part of its share");
    files.try_grow(LIMIT / 4).expect_err("more than half of its share for files");
    let groups = files.new_empty();
    groups.try_grow(LIMIT / 2).expect("free memory for groups");
    groups.try_grow(LIMIT / 2).expect_err("more than is free");
    // the files have ended
    files.free();
    groups.try_grow(LIMIT / 4).expect("free memory for groups");
    assert_eq!(inner.reserved(), LIMIT / 2 + LIMIT / 4);
}

#[test]
fn a_pool_without_a_limit_stays_so() {
    let inner: Arc<dyn MemoryPool> = Arc::new(UnboundedMemoryPool::default());
    let first = pool(inner, &Arc::new(AtomicBool::new(false)));
    consumer("FinalHashAggregateStream[0]").register(&first).try_grow(LIMIT).expect("no limit");
}

#[test]
fn tables_are_kept_after_a_refusal() {
    let inner: Arc<dyn MemoryPool> = Arc::new(LimitedPool::new(LIMIT));
    let first = pool(inner.clone(), &Arc::new(AtomicBool::new(false)));
    let reading = consumer("PartialHashAggregateStream[0]").register(&first);
    reading.try_grow(LIMIT / 4).expect("a part of its share");
    for _ in 0..2 {
        reading.try_grow(LIMIT / 2).expect_err("more than half of its share");
        reading.try_grow(LIMIT / 3).expect("tables that it keeps");
        reading.shrink(LIMIT / 3);
    }
    reading.try_grow(LIMIT / 2).expect_err("more than half of its share");
    reading.shrink(1);
    reading.try_grow(LIMIT / 2).expect_err("its tables were smaller");
    assert_eq!(inner.reserved(), LIMIT / 4 - 1);
}

#[test]
fn groups_of_a_single_file_get_free_memory() {
    let inner: Arc<dyn MemoryPool> = Arc::new(LimitedPool::new(LIMIT));
    let has_ended = Arc::new(AtomicBool::new(false));
    let first: Arc<dyn MemoryPool> =
        Arc::new(AggregatePool::new(inner.clone(), has_ended.clone(), Box::new(|| 1)));
    let groups = consumer("FinalHashAggregateStream[0]").register(&first);
    groups.try_grow(LIMIT / 4).expect("a part of its share");
    groups.try_grow(LIMIT / 2).expect_err("more than half of its share");
    has_ended.store(true, Relaxed);
    groups.try_grow(LIMIT / 2).expect("free memory");
    assert_eq!(inner.reserved(), LIMIT / 4 + LIMIT / 2);
}
