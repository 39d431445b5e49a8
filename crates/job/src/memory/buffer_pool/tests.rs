use super::*;

fn filled(recycler: &Arc<Recycler>, len: usize, byte: u8) -> Bytes {
    let mut buffer = recycler.take(len);
    buffer[..len].fill(byte);
    Recycled { buffer, used: len, recycler: Arc::clone(recycler) }.into_bytes()
}

fn kept(recycler: &Recycler) -> (usize, usize) {
    let kept = lock(&recycler.kept);
    assert_eq!(kept.ages.len(), kept.buffers.len());
    assert_eq!(kept.bytes, kept.buffers.values().map(Vec::len).sum::<usize>());
    (kept.buffers.len(), kept.bytes)
}

const LEN: usize = 100_000;

#[test]
fn dropped_memory_is_used_again_and_held_memory_is_not() {
    let recycler = Recycler::new(usize::MAX);
    let first = filled(&recycler, LEN, 1);
    let address = first.as_ptr();
    let clone = first.slice(5..10);
    drop(first);
    let second = filled(&recycler, LEN, 2);
    assert_ne!(second.as_ptr(), address, "the first output is held by its slice");
    assert_eq!(*clone, [1; 5]);
    drop(clone);
    assert_eq!(filled(&recycler, LEN, 3).as_ptr(), address);
    assert_eq!(*second, [2; LEN]);
}

#[test]
fn a_buffer_serves_sizes_from_half_its_own_up_to_its_own() {
    for (len, again) in [(LEN, true), (LEN / 2, true), (LEN + 1, false), (LEN / 2 - 1, false)] {
        let recycler = Recycler::new(usize::MAX);
        drop(filled(&recycler, LEN, 1));
        let buffer = recycler.take(len);
        assert!(buffer.len() >= len);
        assert_eq!(kept(&recycler).0 == 0, again, "{len}");
    }
}

#[test]
fn of_several_that_fit_the_smallest_and_then_the_latest_is_taken() {
    let recycler = Recycler::new(usize::MAX);
    let buffers = [LEN + 20, LEN + 10, LEN + 10, LEN - 1].map(|len| filled(&recycler, len, 0));
    let addresses = buffers.each_ref().map(|buffer| buffer.as_ptr());
    drop(buffers);
    for expected in [addresses[2], addresses[1], addresses[0]] {
        let taken = recycler.take(LEN);
        assert_eq!(taken.as_ptr(), expected);
    }
    assert_eq!(kept(&recycler), (1, LEN - 1));
}

#[test]
fn what_is_kept_stays_within_the_limit_and_the_oldest_goes_first() {
    let recycler = Recycler::new(3 * LEN);
    let lens = [LEN, LEN + 1, LEN + 2, LEN - 3];
    let outputs = lens.map(|len| filled(&recycler, len, 1));
    assert_eq!(kept(&recycler), (0, 0));
    drop(outputs);
    // All four have 4 * LEN bytes. Without the first they have 3 * LEN.
    assert_eq!(kept(&recycler), (3, 3 * LEN));
    drop(filled(&recycler, 3 * LEN + 1, 1));
    assert_eq!(kept(&recycler), (3, 3 * LEN), "a buffer over the limit is not kept");
    drop(filled(&recycler, 3 * LEN, 1));
    assert_eq!(kept(&recycler), (1, 3 * LEN));
}

#[test]
fn small_buffers_are_not_kept() {
    let recycler = Recycler::new(usize::MAX);
    drop(filled(&recycler, SMALLEST - 1, 1));
    assert_eq!(kept(&recycler), (0, 0));
    drop(filled(&recycler, SMALLEST, 1));
    assert_eq!(kept(&recycler), (1, SMALLEST));
}

#[test]
fn a_short_result_gets_memory_of_its_own_and_the_room_is_kept() {
    let recycler = Recycler::new(usize::MAX);
    let mut buffer = recycler.take(LEN);
    buffer[..10].fill(7);
    let bytes = Recycled { buffer, used: 10, recycler: Arc::clone(&recycler) }.into_bytes();
    assert_eq!(kept(&recycler), (1, LEN));
    assert_eq!(*bytes, [7; 10]);
}

#[test]
fn outputs_outlive_their_recyclers_router() {
    let recycler = Recycler::new(usize::MAX);
    let bytes = filled(&recycler, LEN, 9);
    let alive = Arc::downgrade(&recycler);
    drop(recycler);
    assert_eq!(*bytes, [9; LEN]);
    drop(bytes);
    assert!(alive.upgrade().is_none());
}
