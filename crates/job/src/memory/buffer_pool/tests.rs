use super::*;

fn filled(pool: &Arc<BufferPool>, len: usize, byte: u8) -> Bytes {
    let mut buffer = pool.take(len);
    buffer[..len].fill(byte);
    PooledBuffer { buffer, used: len, pool: Arc::clone(pool) }.into_bytes()
}

/// Returns the number of free buffers and their bytes.
fn free(pool: &BufferPool) -> (usize, usize) {
    let free = lock(&pool.free);
    assert_eq!(free.ages.len(), free.buffers.len());
    assert_eq!(free.bytes, free.buffers.values().map(Vec::len).sum::<usize>());
    (free.buffers.len(), free.bytes)
}

const LEN: usize = 100_000;

#[test]
fn dropped_memory_is_used_again_and_held_memory_is_not() {
    let pool = BufferPool::new(usize::MAX);
    let first = filled(&pool, LEN, 1);
    let address = first.as_ptr();
    let clone = first.slice(5..10);
    drop(first);
    let second = filled(&pool, LEN, 2);
    assert_ne!(second.as_ptr(), address, "the first output is held by its slice");
    assert_eq!(*clone, [1; 5]);
    drop(clone);
    assert_eq!(filled(&pool, LEN, 3).as_ptr(), address);
    assert_eq!(*second, [2; LEN]);
}

#[test]
fn a_buffer_serves_sizes_from_half_its_own_up_to_its_own() {
    for (len, again) in [(LEN, true), (LEN / 2, true), (LEN + 1, false), (LEN / 2 - 1, false)] {
        let pool = BufferPool::new(usize::MAX);
        drop(filled(&pool, LEN, 1));
        let buffer = pool.take(len);
        assert!(buffer.len() >= len);
        assert_eq!(free(&pool).0 == 0, again, "{len}");
    }
}

#[test]
fn the_smallest_and_then_the_latest_of_several_that_fit_is_taken() {
    let pool = BufferPool::new(usize::MAX);
    let buffers = [LEN + 20, LEN + 10, LEN + 10, LEN - 1].map(|len| filled(&pool, len, 0));
    let addresses = buffers.each_ref().map(|buffer| buffer.as_ptr());
    drop(buffers);
    for expected in [addresses[2], addresses[1], addresses[0]] {
        let taken = pool.take(LEN);
        assert_eq!(taken.as_ptr(), expected);
    }
    assert_eq!(free(&pool), (1, LEN - 1));
}

#[test]
fn free_buffers_stay_within_the_limit_and_the_oldest_goes_first() {
    let pool = BufferPool::new(3 * LEN);
    let lens = [LEN, LEN + 1, LEN + 2, LEN - 3];
    let outputs = lens.map(|len| filled(&pool, len, 1));
    assert_eq!(free(&pool), (0, 0));
    drop(outputs);
    // All four have 4 * LEN bytes. Without the first they have 3 * LEN.
    assert_eq!(free(&pool), (3, 3 * LEN));
    drop(filled(&pool, 3 * LEN + 1, 1));
    assert_eq!(free(&pool), (3, 3 * LEN), "a buffer over the limit is not kept");
    drop(filled(&pool, 3 * LEN, 1));
    assert_eq!(free(&pool), (1, 3 * LEN));
}

#[test]
fn small_buffers_are_not_kept() {
    let pool = BufferPool::new(usize::MAX);
    drop(filled(&pool, MIN_SIZE - 1, 1));
    assert_eq!(free(&pool), (0, 0));
    drop(filled(&pool, MIN_SIZE, 1));
    assert_eq!(free(&pool), (1, MIN_SIZE));
}

#[test]
fn a_short_output_gets_memory_of_its_own_and_the_buffer_returns() {
    let pool = BufferPool::new(usize::MAX);
    let mut buffer = pool.take(LEN);
    buffer[..10].fill(7);
    let bytes = PooledBuffer { buffer, used: 10, pool: Arc::clone(&pool) }.into_bytes();
    assert_eq!(free(&pool), (1, LEN));
    assert_eq!(*bytes, [7; 10]);
}

#[test]
fn outputs_outlive_the_router_of_their_pool() {
    let pool = BufferPool::new(usize::MAX);
    let bytes = filled(&pool, LEN, 9);
    let alive = Arc::downgrade(&pool);
    drop(pool);
    assert_eq!(*bytes, [9; LEN]);
    drop(bytes);
    assert!(alive.upgrade().is_none());
}
