//! Device selection, at first and after a failure, and its counters.

#[path = "selection/fused_filter.rs"]
mod fused_filter;
#[path = "selection/inline_run.rs"]
mod inline_run;
mod support;

use std::sync::Arc;
use std::time::Duration;

use pelton_codec::{Error, Format};
use pelton_job::conformance::{Fault, Faulty, Reference};
use pelton_job::{
    Batch, BorrowedJob, BorrowedOutput, Cost, Device, Failure, Job, JobError, JobView, Operation, OutputSize,
    Router, Task, Unsupported,
};
use support::{Held, complete, job};

const UNCOMPRESSED: &[u8] = &[b'p'; 10_000];
const DECOMPRESS: Operation = Operation::Decompress { format: Format::Zlib };

fn two(first: &Arc<Held>, second: &Arc<Held>) -> Arc<Router> {
    Router::builder().device(first.clone()).device(second.clone()).build()
}

fn batch(jobs: usize) -> Batch {
    (0..jobs).map(|_| job(UNCOMPRESSED)).collect()
}

#[test]
fn the_device_that_finishes_soonest_gets_the_job() {
    let (slow, fast) = (Held::new("slow", 1, 1e6), Held::new("fast", 1, 1e7));
    let router = two(&slow, &fast);
    let _ticket = router.submit(job(UNCOMPRESSED));
    assert_eq!((slow.len(), fast.len()), (0, 1));
}

#[test]
fn the_first_of_equal_devices_gets_the_job() {
    let (first, second) = (Held::new("first", 1, 1e6), Held::new("second", 1, 1e6));
    let router = two(&first, &second);
    let _ticket = router.submit(job(UNCOMPRESSED));
    assert_eq!((first.len(), second.len()), (1, 0));
}

#[test]
fn a_large_batch_is_split_in_proportion_to_speed() {
    let (slow, fast) = (Held::new("slow", 1, 1e6), Held::new("fast", 1, 3e6));
    let router = two(&slow, &fast);
    let _ticket = router.submit(batch(100));
    assert_eq!(slow.len() + fast.len(), 100);
    assert!(
        (24..=26).contains(&slow.len()),
        "{} of 100 jobs on the device with a quarter of the speed",
        slow.len()
    );
}

#[test]
fn workers_count_as_speed() {
    let (one, four) = (Held::new("one", 1, 1e6), Held::new("four", 4, 1e6));
    let router = two(&one, &four);
    let _ticket = router.submit(batch(100));
    assert!((18..=22).contains(&one.len()), "{} of 100 jobs on one of five workers", one.len());
}

#[test]
fn the_queue_counts_and_is_forgotten_when_it_is_done() {
    let (slow, fast) = (Held::new("slow", 1, 2.5e6), Held::new("fast", 1, 1e7));
    let router = two(&slow, &fast);
    let _first = router.submit(batch(4));
    // With its queue, the fast device would finish the next job later than the idle slow one.
    let _second = router.submit(batch(1));
    assert_eq!((slow.len(), fast.len()), (1, 4));
    for task in fast.take() {
        complete(task.start().unwrap());
    }
    let _third = router.submit(batch(1));
    assert_eq!((slow.len(), fast.len()), (1, 1));
}

#[test]
fn a_failing_device_is_not_asked_again_for_the_same_job() {
    let (first, second) = (Held::new("first", 1, 1e7), Held::new("second", 1, 1e6));
    let router = two(&first, &second);
    let ticket = router.submit(job(UNCOMPRESSED));
    first.take().remove(0).start().unwrap().finish(Err(Failure::Fault("one".into())));
    assert_eq!((first.len(), second.len()), (0, 1));
    second.take().remove(0).start().unwrap().finish(Err(Failure::Lost("two".into())));
    assert_eq!((first.len(), second.len()), (0, 0));
    match ticket.wait().remove(0) {
        Err(JobError::DeviceFailed { device, reason }) => assert_eq!((&*device, &*reason), ("second", "two")),
        other => panic!("{other:?}"),
    }
    let counters = router.counters();
    assert_eq!(counters.row("first", DECOMPRESS).fell_back["device fault"], 1);
    assert_eq!(counters.row("first", DECOMPRESS).failed, 0);
    assert_eq!(counters.row("second", DECOMPRESS).failed, 1);
    assert_eq!(counters.row("second", DECOMPRESS).fell_back_total(), 0);
    assert_eq!(router.bytes_in_flight(), 0);
}

#[test]
fn a_complaint_about_data_is_checked_by_an_authority_only() {
    let devices = [Held::new("a", 1, 1e9), Held::new("b", 1, 1e8), Held::new("authority", 1, 1.0)];
    let builder = devices.iter().fold(Router::builder(), |builder, device| builder.device(device.clone()));
    let router = builder.build();
    let ticket = router.submit(job(UNCOMPRESSED));
    let bad = Error::Truncated { format: Format::Zlib };
    devices[0].take().remove(0).start().unwrap().finish(Err(Failure::Data(bad)));
    assert_eq!((devices[1].len(), devices[2].len()), (0, 1));
    complete(devices[2].take().remove(0).start().unwrap());
    assert_eq!(&*ticket.wait().remove(0).unwrap().device, "authority");
    assert_eq!(router.counters().row("a", DECOMPRESS).fell_back["bad data"], 1);
}

#[test]
fn an_authoritys_complaint_is_final() {
    let (authority, other) = (Held::new("authority", 1, 1e9), Held::new("other", 1, 1.0));
    let router = two(&authority, &other);
    let ticket = router.submit(job(UNCOMPRESSED));
    let bad = Error::Truncated { format: Format::Zlib };
    authority.take().remove(0).start().unwrap().finish(Err(Failure::Data(bad.clone())));
    assert_eq!(other.len(), 0);
    match ticket.wait().remove(0) {
        Err(JobError::Codec { device, error }) => assert_eq!((&*device, error), ("authority", bad)),
        other => panic!("{other:?}"),
    }
    assert_eq!(router.counters().row("authority", DECOMPRESS).failed, 1);
}

#[test]
fn without_an_authority_a_complaint_stands() {
    let (first, second) = (Held::new("first", 1, 1e9), Held::new("second", 1, 1.0));
    let router = two(&first, &second);
    let ticket = router.submit(job(UNCOMPRESSED));
    first.take().remove(0).start().unwrap().finish(Err(Failure::WrongSize { expected: 10_000, produced: 4 }));
    assert_eq!(second.len(), 0);
    let error = ticket.wait().remove(0).unwrap_err();
    assert_eq!(error.to_string(), "produced 4 bytes where exactly 10000 were declared");
}

#[test]
fn bad_data_is_run_once_on_each_and_counted_on_both() {
    let faulty = Faulty::new(Arc::new(Reference), Fault::Fails, usize::MAX);
    let router = Router::builder().device(faulty).device(Arc::new(Reference)).build();
    let bad = Job::decompress(Format::Zlib, &b"no zlib stream"[..], OutputSize::Exact(10));
    let result = router.submit(bad).wait().remove(0);
    assert!(matches!(&result, Err(JobError::Codec { device, .. }) if &**device == "reference"), "{result:?}");
    let counters = router.counters();
    assert_eq!(counters.row("faulty-reference", DECOMPRESS).fell_back["bad data"], 1);
    assert_eq!(counters.row("reference", DECOMPRESS).failed, 1);
}

#[test]
fn without_devices_every_job_is_refused() {
    let router = Router::builder().build();
    let error = router.submit(job(UNCOMPRESSED)).wait().remove(0).unwrap_err();
    assert_eq!(error.to_string(), "no device takes this job: the router has no devices");
}

/// A device that panics in every method that can.
struct Panicking;

impl Device for Panicking {
    fn name(&self) -> &str {
        "panicking"
    }

    fn description(&self) -> String {
        "panics".into()
    }

    fn supports(&self, job: &JobView<'_>) -> Result<(), Unsupported> {
        match job.operation {
            Operation::Checksum { .. } => std::panic::resume_unwind(Box::new("supports")),
            _ => Ok(()),
        }
    }

    fn prior_cost(&self, operation: Operation) -> Cost {
        match operation {
            Operation::Compress { .. } => std::panic::resume_unwind(Box::new("cost")),
            _ => Cost { setup: Duration::from_nanos(1), bytes_per_second: 1e9 },
        }
    }

    fn worker_count(&self) -> usize {
        1
    }

    fn submit(&self, _tasks: Vec<Task>) {
        std::panic::resume_unwind(Box::new("submit"))
    }

    fn run_borrowed(&self, _job: &mut BorrowedJob<'_>) -> Result<BorrowedOutput, Failure> {
        std::panic::resume_unwind(Box::new("run_borrowed"))
    }
}

#[test]
fn a_device_that_panics_everywhere_harms_no_job() {
    let router = Router::builder().device(Arc::new(Panicking)).device(Arc::new(Reference)).build();
    let compressed = job(UNCOMPRESSED).input;
    let mut output = vec![0; UNCOMPRESSED.len()];
    router.run_one(&mut BorrowedJob::decompress(Format::Zlib, &compressed, &mut output)).unwrap();
    assert_eq!(output, UNCOMPRESSED);
    for result in router.submit(batch(10)).wait() {
        assert_eq!(*result.unwrap().output, *UNCOMPRESSED);
    }
    let kind = pelton_codec::Checksum::Crc32;
    let sum = router.submit(Job::checksum(kind, UNCOMPRESSED)).wait().remove(0).unwrap().checksum;
    assert_eq!(sum, Some(pelton_codec::checksum(kind, UNCOMPRESSED)));
    let level = Format::Zlib.default_level();
    assert!(router.submit(Job::compress(Format::Zlib, level, UNCOMPRESSED)).wait().remove(0).is_ok());
    let row = router.counters().row("panicking", DECOMPRESS);
    assert_eq!((row.fell_back["device lost"], row.fell_back["panic"]), (10, 1));
}

#[test]
fn a_panic_is_the_jobs_error_without_another_device() {
    let router = Router::builder().device(Arc::new(Panicking)).build();
    let compressed = job(UNCOMPRESSED).input;
    let mut output = vec![0; UNCOMPRESSED.len()];
    let error =
        router.run_one(&mut BorrowedJob::decompress(Format::Zlib, &compressed, &mut output)).unwrap_err();
    assert!(
        matches!(&error, JobError::Panicked { message, .. } if &**message == "run_borrowed"),
        "{error:?}"
    );
    assert!(error.to_string().starts_with("internal error"), "{error}");
}

#[test]
fn the_block_of_a_membership_test_counts_towards_the_limit() {
    let limits = pelton_job::Limits { output_per_job: 1000, ..Default::default() };
    let router = Router::builder().device(Arc::new(Reference)).limits(limits).build();
    let test = pelton_job::MembershipTest { uncompressed_len: 1001, count: 8, set: Default::default() };
    let result = router.submit(Job::test_membership(Format::Zlib, &b""[..], test)).wait().remove(0);
    assert!(matches!(result, Err(JobError::LimitExceeded { declared: 1001, limit: 1000 })), "{result:?}");
}
