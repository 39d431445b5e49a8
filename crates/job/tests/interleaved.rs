//! Interleaved jobs: their times, counters and results.

#[allow(dead_code, reason = "each of the tests that include this file uses a part of it")]
mod support;

use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use pelton_codec::{Error, Format};
use pelton_job::conformance::Reference;
use pelton_job::{
    Batch, Counts, Failure, InterleavedJobs, JobError, JobResult, Operation, OwnedOutput, Router,
};
use support::{Held, compute, job};

const DECOMPRESS: Operation = Operation::Decompress { format: Format::Zlib };

/// Uncompressed bytes of the jobs. The second is four times as large as the others.
const SIZES: [usize; 3] = [50_000, 200_000, 50_000];

/// Returns a device that is expected to be so slow that its setup time is negligible.
fn held() -> (Arc<Held>, Arc<Router>) {
    let device = Held::new("held", 1, 1e6);
    (device.clone(), Router::builder().device(device).build())
}

fn batch() -> Batch {
    SIZES.into_iter().map(|len| job(&vec![b'g'; len])).collect()
}

fn computed(group: &InterleavedJobs) -> Vec<Result<OwnedOutput, Failure>> {
    let interleaved = |running| OwnedOutput { interleaved: true, ..compute(running) };
    group.running().iter().map(|running| Ok(interleaved(running))).collect()
}

fn times(job_results: &[JobResult]) -> Vec<Duration> {
    job_results.iter().map(|job_result| job_result.as_ref().unwrap().time).collect()
}

fn row(router: &Router) -> Counts {
    router.counters().row("held", DECOMPRESS)
}

#[test]
fn the_time_of_a_group_is_counted_once_and_shared_by_size() {
    let (device, router) = held();
    let ticket = router.submit(batch());
    let before = Instant::now();
    let group = InterleavedJobs::start(device.take());
    sleep(Duration::from_millis(20));
    let results = computed(&group);
    group.finish(results);
    let passed = before.elapsed();
    let job_results = ticket.wait();
    let times = times(&job_results);
    let sum: Duration = times.iter().sum();
    assert!(sum >= Duration::from_millis(19) && sum <= passed, "{times:?} of {passed:?}");
    let ratio = times[1].div_duration_f64(times[0]);
    assert!((3.9..=4.1).contains(&ratio), "{times:?}: four times the bytes, {ratio} times the time");
    assert_eq!(row(&router).time, sum);
}

#[test]
fn interleaved_jobs_are_counted() {
    let (device, router) = held();
    let ticket = router.submit(batch());
    let group = InterleavedJobs::start(device.take());
    let mut results = computed(&group);
    if let Ok(alone) = &mut results[1] {
        alone.interleaved = false;
    }
    group.finish(results);
    let told: Vec<bool> =
        ticket.wait().into_iter().map(|job_result| job_result.unwrap().interleaved).collect();
    assert_eq!(told, [true, false, true]);
    assert_eq!((row(&router).done, row(&router).interleaved), (3, 2));
    assert!(router.counters().to_string().contains("side by side"));
}

#[test]
fn each_job_has_its_own_result() {
    let (device, router) = held();
    let ticket = router.submit(batch());
    let group = InterleavedJobs::start(device.take());
    let mut results = computed(&group);
    results[1] = Err(Failure::Panicked("in the group".into()));
    group.finish(results);
    let job_results = ticket.wait();
    assert!(
        matches!(&job_results[1], Err(JobError::Panicked { message, .. }) if &**message == "in the group")
    );
    for index in [0, 2] {
        assert_eq!(job_results[index].as_ref().unwrap().output, vec![b'g'; SIZES[index]]);
    }
    assert_eq!((row(&router).done, row(&router).failed, row(&router).interleaved), (2, 1, 2));
}

#[test]
fn cancelled_jobs_are_left_out_and_started_ones_are_not_cancelled() {
    let (device, router) = held();
    let (first, second) = (router.submit(batch()), router.submit(batch()));
    first.cancel();
    let group = InterleavedJobs::start(device.take());
    second.cancel();
    assert_eq!(group.running().len(), SIZES.len());
    let results = computed(&group);
    group.finish(results);
    assert!(first.wait().iter().all(|job_result| matches!(job_result, Err(JobError::Cancelled))));
    assert!(second.wait().iter().all(Result::is_ok));
    assert_eq!((row(&router).done, row(&router).cancelled), (3, 3));
    assert_eq!(router.bytes_in_flight(), 0);
}

#[test]
fn jobs_without_a_result_go_to_the_next_device() {
    let device = Held::new("held", 1, 1e6);
    let router = Router::builder().device(device.clone()).device(Arc::new(Reference)).build();
    let ticket = router.submit(batch());
    let group = InterleavedJobs::start(device.take());
    let mut results = computed(&group);
    results.truncate(1);
    group.finish(results);
    let ticket_two = router.submit(batch());
    drop(InterleavedJobs::start(device.take()));
    assert!(ticket.wait().iter().chain(&ticket_two.wait()).all(Result::is_ok));
    assert_eq!((row(&router).done, row(&router).fell_back["device lost"]), (1, 5));
}

#[test]
fn a_group_of_nothing_is_nothing() {
    let group = InterleavedJobs::start([]);
    assert!(group.running().is_empty());
    group.finish([Err(Failure::Data(Error::Truncated { format: Format::Zlib }))]);
}
