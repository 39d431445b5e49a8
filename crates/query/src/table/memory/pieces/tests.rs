use std::sync::Arc;

use datafusion::execution::memory_pool::{GreedyMemoryPool, MemoryConsumer, MemoryPool};
use object_store::ObjectStoreExt;

use super::*;

#[tokio::test]
async fn ranges_within_and_across_pieces_are_read() {
    let pool: Arc<dyn MemoryPool> = Arc::new(GreedyMemoryPool::new(3 * PIECE_BYTES));
    let mut pieces = Pieces::new(MemoryConsumer::new("a table").register(&pool));
    let bytes: Vec<u8> = (0..2 * PIECE_BYTES + 100).map(|at| (at / 3) as u8).collect();
    for part in bytes.chunks(PIECE_BYTES / 3 + 1) {
        pieces.push(part).expect("it fits");
    }
    pieces.push(&bytes[..PIECE_BYTES]).expect_err("more than the limit");
    assert_eq!(pool.reserved(), bytes.len());
    let path = Path::from("0.parquet");
    let (store, meta) = pieces.into_store(path.clone());
    assert_eq!(meta.size, bytes.len() as u64);
    let edge = PIECE_BYTES as u64;
    for range in
        [0..1, 0..edge, edge..edge + 1, edge - 1..edge + 1, 5..2 * edge + 100, 2 * edge..2 * edge + 100]
    {
        let found = store.get_range(&path, range.clone()).await.expect("a range of the file");
        assert_eq!(found, bytes[range.start as usize..range.end as usize], "{range:?}");
    }
    assert_eq!(store.get(&path).await.expect("the file").bytes().await.expect("its bytes"), bytes);
    assert_eq!(store.head(&path).await.expect("its attributes"), meta);
    store.head(&Path::from("1.parquet")).await.expect_err("another path");
    drop(store);
    assert_eq!(pool.reserved(), 0);
}
