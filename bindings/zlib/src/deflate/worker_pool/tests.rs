use std::sync::Arc;
use std::thread;

use pelton_codec::Window;

use super::*;

const PARAMETERS: FallbackParameters = FallbackParameters { level: 6, strategy: 0, window: Window::FULL };

/// Returns a job that panics, as its block begins behind its end.
fn broken() -> Job {
    Job::new(vec![0; 10], 20, PARAMETERS, 3)
}

#[test]
fn a_panic_in_a_thread_is_reported_to_the_waiting_one() {
    let job = Arc::new(broken());
    let other = Arc::clone(&job);
    // The thread survives for the next job.
    thread::spawn(move || other.run()).join().expect("the panic was caught");
    assert!(job.is_done());
    assert!(job.wait(|_| panic!("there is nothing")).is_err());
}

#[test]
fn a_panic_in_the_calling_thread_is_reported() {
    assert!(broken().wait(|_| panic!("there is nothing")).is_err());
}

#[test]
fn the_waiting_thread_repeats_a_failed_job() {
    let job = Job::new(b"some words and some words and some words".to_vec(), 0, PARAMETERS, 3);
    *job.compressed.lock().unwrap() = Some(Err(NoMemory));
    job.is_taken.store(true, Ordering::Release);
    let mut compressed = vec![];
    assert!(
        job.wait(|bytes| {
            compressed.extend_from_slice(bytes);
            Ok(())
        })
        .is_ok()
    );
    assert!(compressed.ends_with(&[0, 0, 0xff, 0xff]), "{compressed:?}");
}
