use datafusion::execution::memory_pool::{GreedyMemoryPool, UnboundedMemoryPool};
use pelton_pages::Packing;

use super::*;

/// A statement that writes has its part of the limit, and its files share it.
#[test]
fn files_that_are_written_count_towards_the_limit() {
    let pool: Arc<dyn MemoryPool> = Arc::new(GreedyMemoryPool::new(64 << 20));
    let memory = WritingMemory::reserve(&pool);
    assert_eq!((memory.bytes(), pool.reserved()), (Some(8 << 20), 8 << 20));
    let options = WriteOptions::new(Packing::Snappy);
    assert_eq!(memory.bounded_options(options, 1).held_bytes, 8 << 20);
    let RowFormat::Parquet(shared) = memory.bounded(RowFormat::Parquet(options), 4) else {
        panic!("the format stays");
    };
    assert_eq!(shared.held_bytes, 2 << 20);
    drop(memory);
    assert_eq!(pool.reserved(), 0);
    let pool: Arc<dyn MemoryPool> = Arc::new(UnboundedMemoryPool::default());
    let memory = WritingMemory::reserve(&pool);
    assert_eq!((memory.bytes(), pool.reserved()), (None, 0));
    assert_eq!(memory.bounded_options(options, 64), options);
}
