use super::*;

#[test]
fn what_is_loaded_arrives() {
    let readers = Readers::start(2, 1 << 20).expect("threads");
    let loading: Vec<_> = (0..10).map(|number| readers.load(async move { number * number })).collect();
    let found: Vec<_> = loading.iter().map(|loading| loading.wait()).collect();
    assert_eq!(found, (0..10).map(|number| Some(number * number)).collect::<Vec<_>>());
}

#[test]
fn a_panic_is_told_and_takes_no_thread() {
    let readers = Readers::start(1, 1 << 20).expect("threads");
    assert_eq!(readers.load(async { panic!("on purpose") }).wait(), None::<()>);
    assert_eq!(readers.load(async { 7 }).wait(), Some(7));
}

#[test]
fn what_is_dropped_stops() {
    let readers = Readers::start(1, 1 << 20).expect("threads");
    drop(readers.load(futures::future::pending::<()>()));
    // The only thread is free again.
    assert_eq!(readers.load(async { 7 }).wait(), Some(7));
}
