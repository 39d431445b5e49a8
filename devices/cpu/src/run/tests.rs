use std::sync::Arc;

use pelton_codec::{BatchIsaLevel, Format};
use pelton_job::conformance::Reference;
use pelton_job::conformance::corpus::{decompress_job, page};
use pelton_job::{Batch, Counts, JobError, Router};

use super::*;
use crate::testing::Pooled;

const JOBS: usize = 20;
const LEN: usize = 50_000;

fn jobs() -> Batch {
    let plain = page(LEN);
    (0..JOBS).map(|_| decompress_job(Format::Gzip, &plain)).collect()
}

fn counts(router: &Router) -> Counts {
    router.counters().row("pooled", Operation::Decompress { format: Format::Gzip })
}

/// Whether there are batches on this processor; if not, why there is nothing to see.
fn are_batched() -> bool {
    let implementation = BatchInflater::new().isa_level();
    let batched = implementation != BatchIsaLevel::OneByOne;
    if !batched {
        println!("no batches here: this processor has not what they need, so streams are decoded one by one");
    }
    batched
}

/// Breaks in the middle of a batch, and only if it is one.
fn panic_within(inflater: &mut BatchInflater, streams: &mut [Stream<'_>]) {
    let (done, _) = streams.split_at_mut(3);
    inflater.inflate_batch(done);
    // Without the hook's message, which would look like this test's own.
    std::panic::resume_unwind(Box::new("out of lanes"));
}

#[test]
fn a_panic_fails_the_batch_it_is_in_and_no_other() {
    let device = Pooled::new(1, |tasks| match tasks.len() {
        5 => run_with(tasks, panic_within),
        _ => run_owned(tasks),
    });
    let router = Router::builder().device(device).build();
    let plain = page(LEN);
    // A failing batch of five, a batch of ten, and one job alone. The thread's state must serve the
    // later ones after the failure.
    for (jobs, fails) in [(5, are_batched()), (10, false), (1, false)] {
        let batch: Batch = (0..jobs).map(|_| decompress_job(Format::Gzip, &plain)).collect();
        for outcome in router.submit(batch).wait() {
            match outcome {
                Err(JobError::Panicked { message, .. }) => {
                    assert!(fails && &*message == "out of lanes", "of {jobs} jobs: {message}");
                }
                other => assert!(!fails && other.unwrap().output == plain, "of {jobs} jobs"),
            }
        }
    }
}

#[test]
fn jobs_of_a_batch_that_panicked_are_done_elsewhere() {
    let device = Pooled::new(1, |tasks| run_with(tasks, panic_within));
    let router = Router::builder().device(device).device(Arc::new(Reference)).build();
    if !are_batched() {
        return;
    }
    for outcome in router.submit(jobs()).wait() {
        assert_eq!(&*outcome.unwrap().device, "reference");
    }
    assert_eq!(counts(&router).fell_back["panic"], JOBS as u64);
}

#[test]
fn jobs_of_a_queue_are_decoded_interleaved() {
    let router = Router::builder().device(Pooled::new(1, run_owned)).build();
    let plain = page(LEN);
    for outcome in router.submit(jobs()).wait() {
        let done = outcome.unwrap();
        assert!(done.output == plain);
        assert_eq!(done.interleaved, are_batched());
    }
    let expected = if are_batched() { JOBS as u64 } else { 0 };
    assert_eq!((counts(&router).done, counts(&router).interleaved), (JOBS as u64, expected));
}
