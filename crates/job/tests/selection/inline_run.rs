//! Inline runs, by the submitter under a device's name.

use std::sync::Arc;

use bytes::Bytes;
use pelton_codec::Format;
use pelton_job::conformance::{Fault, Faulty};
use pelton_job::{BorrowedJob, Job, Operation, Router};

use crate::support::Held;

fn part() -> Job {
    Job::compress_part(Format::Deflate.default_level(), Bytes::from(vec![0; 10_000]))
}

fn with(other: f64) -> Arc<Router> {
    Router::builder().device(Held::new("other", 1, other)).device(Held::new("authority", 1, 1e6)).build()
}

#[test]
fn the_submitter_runs_inline_if_its_device_would_finish_first() {
    assert!(with(2e6).inline_run(&part().view(), "authority").is_none());
    assert!(with(5e5).inline_run(&part().view(), "authority").is_some());
    assert!(with(5e5).inline_run(&part().view(), "nobody").is_none());
    assert!(Router::builder().build().inline_run(&part().view(), "authority").is_none());
}

#[test]
fn a_fallback_runs_inline_if_no_other_device_supports_the_job() {
    let fallback = || Held::new("authority", 1, 1e12);
    let router = Router::builder().device(Held::new("other", 1, 1.0)).fallback(fallback()).build();
    assert!(router.inline_run(&part().view(), "authority").is_none());
    let unsupported = Faulty::new(Held::new("other", 1, 1e12), Fault::UnsupportedOver(0), 1);
    let router = Router::builder().device(unsupported).fallback(fallback()).build();
    assert!(router.inline_run(&part().view(), "authority").is_some());
    let refused: u64 = router.counters().devices[0].rows.iter().map(|row| row.refused_total()).sum();
    assert_eq!(refused, 1, "{}", router.counters());
}

#[test]
fn completed_and_dropped_runs_are_counted() {
    let router = with(1.0);
    let job = part();
    let run = router.inline_run(&job.view(), "authority").expect("the other is slow");
    run.complete(123);
    drop(router.inline_run(&job.view(), "authority"));
    let row = router.counters().row("authority", job.operation);
    assert_eq!((row.tried, row.done, row.cancelled), (2, 1, 1), "{row:?}");
    assert_eq!((row.bytes_in, row.bytes_out), (10_000, 123));
    assert_eq!(row.operation, "compress part");
    assert!(matches!(job.operation, Operation::CompressPart { .. }));
}

#[test]
fn an_inline_run_is_load_until_it_ends() {
    let router = with(9e5);
    let job = part();
    let run = router.inline_run(&job.view(), "authority").expect("it is a little faster");
    assert!(
        router.inline_run(&job.view(), "authority").is_none(),
        "behind that job it takes longer than elsewhere"
    );
    run.complete(1);
    assert!(router.inline_run(&job.view(), "authority").is_some());
}

#[test]
fn a_job_that_a_device_fails_returns_to_the_submitter() {
    let router = || {
        // It fails all borrowed jobs.
        let other = Held::new("other", 1, 1e12);
        Router::builder().device(other).fallback(Held::new("authority", 1, 1.0)).build()
    };
    let (uncompressed, mut room) = (vec![0; 10_000], vec![0; 20_000]);
    let level = Format::Deflate.default_level();
    let mut job = BorrowedJob::compress_part(level, &uncompressed, &mut room);
    let failing = router();
    let run = failing.run_or_inline(&mut job, "authority").expect_err("it failed").expect("an inline run");
    run.complete(5);
    let row = failing.counters().row("authority", job.operation);
    assert_eq!((row.tried, row.done, row.failed), (1, 1, 0), "{row:?}");
    assert_eq!(failing.counters().row("other", job.operation).fell_back_total(), 1);
    // Without a device of that name, the failure is an error as usual.
    assert!(matches!(router().run_or_inline(&mut job, "nobody"), Err(None)));
    // With the breaker of the other device open, the submitter runs inline at once.
    for _ in 0..3 {
        drop(failing.run_or_inline(&mut job, "authority"));
    }
    assert!(failing.inline_run(&job.view(), "authority").is_some());
    let aside = &failing.counters().row("other", job.operation).refused;
    assert_eq!(aside.keys().copied().collect::<Vec<_>>(), ["set aside after failing three times in a row"]);
}
