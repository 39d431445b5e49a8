use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread::{current, yield_now};

use super::{DeepThreads, MAX_WAITING};

/// Waits until as many threads wait for work.
fn wait_for(threads: &DeepThreads, waiting: usize) {
    while threads.0.lock().threads.len() != waiting {
        yield_now();
    }
}

#[test]
fn a_thread_works_again() {
    let threads = DeepThreads::default();
    let (send, ids) = channel();
    for _ in 0..3 {
        let begun = threads.begin(send.clone(), |send| send.send(current().id()).unwrap());
        begun.ok().unwrap().join().unwrap();
        wait_for(&threads, 1);
    }
    let ids: Vec<_> = ids.try_iter().collect();
    assert_eq!(ids.len(), 3);
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
}

#[test]
fn a_panic_is_the_callers_and_the_thread_goes_on() {
    let threads = DeepThreads::default();
    let begun = threads.begin((), |()| panic!("on purpose")).ok().unwrap();
    assert_eq!(begun.join().unwrap_err().downcast_ref::<&str>(), Some(&"on purpose"));
    wait_for(&threads, 1);
    let begun = threads.begin(5, |number| assert_eq!(number, 5)).ok().unwrap();
    begun.join().unwrap();
}

#[test]
fn few_threads_wait_and_none_outlives_the_engine() {
    let threads = DeepThreads::default();
    let alive = Arc::new(());
    let (open, opened) = channel::<()>();
    let opened = Arc::new(parking_lot::Mutex::new(opened));
    let begun: Vec<_> = (0..MAX_WAITING + 4)
        .map(|_| {
            let input = (alive.clone(), opened.clone());
            threads.begin(input, |(_alive, opened)| assert!(opened.lock().recv().is_err())).ok().unwrap()
        })
        .collect();
    drop(open);
    begun.into_iter().for_each(|begun| begun.join().unwrap());
    wait_for(&threads, MAX_WAITING);
    assert_eq!(Arc::strong_count(&alive), 1);
    let waiting = threads.0.clone();
    drop(threads);
    // each thread holds one of these until it ends
    while Arc::strong_count(&waiting) > 1 {
        yield_now();
    }
}
