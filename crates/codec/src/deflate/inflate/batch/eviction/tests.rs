use super::*;

#[test]
fn stops_are_allowed_now_and_then() {
    let mut eviction = Eviction::default();
    assert!((0..100_000).all(|chunk| eviction.count_chunk(chunk % ONE_IN == 0, || false).is_some()));
}

#[test]
fn a_stream_of_stops_is_given_up_soon() {
    let mut eviction = Eviction::default();
    let kept = (0..100).take_while(|_| eviction.count_chunk(true, || false).is_some()).count();
    assert_eq!(kept, 21, "16, and one for every four of those 21");
}
#[test]
fn a_stream_that_waits_leaves_at_once_or_never() {
    assert!(Eviction::default().count_chunk(false, || true).is_none());
    let mut eviction = Eviction::default();
    assert!(eviction.count_chunk(false, || false).is_some());
    assert!(eviction.count_chunk(false, || true).is_some());
}
