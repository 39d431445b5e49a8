use super::*;
use crate::stream::Wrap;

/// Tests that name slots of other streams run one at a time: those may be of another test.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn calls_are_counted_while_a_stream_is_open_and_after() {
    let _alone = alone();
    let open_one = || open(Owner::Inflater, Stream::decompress(Wrap::Raw).unwrap()).unwrap();
    let handles: Vec<i64> = (0..3 * CHUNK).map(|_| open_one()).collect();
    for &handle in &handles {
        with_tally(handle, |_, tally| tally.count(3, 5)).unwrap();
    }
    let number = handles.len() as u64;
    let check = |totals: Totals| {
        assert_eq!((totals.calls, totals.bytes_in, totals.bytes_out), (number, 3 * number, 5 * number));
        totals.streams
    };
    assert_eq!(check(totals(Owner::Inflater)), number);
    handles.iter().for_each(|&handle| close(handle));
    // A slot that is used again starts at nothing.
    let again = open_one();
    assert_eq!(check(totals(Owner::Inflater)), number + 1);
    assert_eq!(totals(Owner::Deflater).streams, 0);
    close(again);
    close(again);
    assert_eq!(with(again, |_| ()), Err(Refused::Closed));
}

#[test]
fn a_stream_that_is_closed_in_use_is_freed_after_its_call() {
    let _alone = alone();
    let handle = open(Owner::Pelton, Stream::decompress(Wrap::Raw).unwrap()).unwrap();
    let code = with(handle, |stream| {
        assert_eq!(with(handle, |_| ()), Err(Refused::Busy));
        close(handle);
        assert_eq!(with(handle, |_| ()), Err(Refused::Closed));
        stream.reset()
    });
    assert_eq!(code, Ok(crate::stream::OK));
    assert_eq!(with(handle, |_| ()), Err(Refused::Closed));
    for other in [0, 1, 2, -1, i64::MAX, i64::MIN + 1, handle + 2, handle ^ 1] {
        assert_eq!(with(other, |_| ()), Err(Refused::Closed), "{other}");
        close(other);
    }
}
