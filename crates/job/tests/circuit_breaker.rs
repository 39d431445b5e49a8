//! The circuit breaker of a device that keeps failing, and the fallback tier.

mod support;

use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

use pelton_codec::{Error, Format};
use pelton_job::{Failure, Operation, Router};
use support::{Held, complete, job};

const UNCOMPRESSED: &[u8] = &[b'p'; 10_000];
const DECOMPRESS: Operation = Operation::Decompress { format: Format::Zlib };
const OPEN: &str = "set aside after failing three times in a row";

/// Longer than any test runs.
const NEVER: Duration = Duration::from_secs(3600);

fn router(breaker_open_time: Duration) -> (Arc<Held>, Arc<Held>, Arc<Router>) {
    let (fast, cpu) = (Held::new("fast", 1, 1e9), Held::new("authority", 1, 1e6));
    let router = Router::builder()
        .device(fast.clone())
        .device(cpu.clone())
        .breaker_open_time(breaker_open_time)
        .build();
    (fast, cpu, router)
}

/// Submits a job that `device` fails in this way and that `other` completes.
fn fail(router: &Arc<Router>, device: &Held, other: &Held, failure: Failure) {
    let ticket = router.submit(job(UNCOMPRESSED));
    device.take().remove(0).start().unwrap().finish(Err(failure));
    complete(other.take().remove(0).start().unwrap());
    assert_eq!(ticket.wait().remove(0).unwrap().output, UNCOMPRESSED);
}

fn fault() -> Failure {
    Failure::Fault("for the test".into())
}

#[test]
fn three_consecutive_faults_open_the_breaker() {
    let (fast, cpu, router) = router(NEVER);
    for _ in 0..3 {
        fail(&router, &fast, &cpu, fault());
    }
    let ticket = router.submit(job(UNCOMPRESSED));
    assert_eq!((fast.len(), cpu.len()), (0, 1));
    complete(cpu.take().remove(0).start().unwrap());
    assert!(ticket.wait().remove(0).is_ok());
    let counters = router.counters();
    assert_eq!(counters.row("fast", DECOMPRESS).refused[OPEN], 1);
    assert_eq!(counters.row("fast", DECOMPRESS).fell_back["device fault"], 3);
    assert_eq!(counters.devices[0].breaker_opened, 1);
    assert_eq!(counters.devices[1].breaker_opened, 0);
}

#[test]
fn a_success_between_faults_keeps_the_breaker_closed() {
    let (fast, cpu, router) = router(NEVER);
    for _ in 0..4 {
        fail(&router, &fast, &cpu, fault());
        fail(&router, &fast, &cpu, fault());
        let ticket = router.submit(job(UNCOMPRESSED));
        complete(fast.take().remove(0).start().unwrap());
        assert!(ticket.wait().remove(0).is_ok());
    }
    assert_eq!(router.counters().devices[0].breaker_opened, 0);
}

#[test]
fn complaints_about_good_data_are_faults_and_about_bad_data_are_not() {
    let bad = || Failure::Data(Error::Truncated { format: Format::Zlib });
    let (fast, cpu, router) = router(NEVER);
    for _ in 0..5 {
        let ticket = router.submit(job(UNCOMPRESSED));
        fast.take().remove(0).start().unwrap().finish(Err(bad()));
        cpu.take().remove(0).start().unwrap().finish(Err(bad()));
        assert!(ticket.wait().remove(0).is_err());
    }
    assert_eq!(router.counters().devices[0].breaker_opened, 0, "the authority said so too");
    for _ in 0..3 {
        fail(&router, &fast, &cpu, bad());
    }
    assert_eq!(router.counters().devices[0].breaker_opened, 1, "the authority found nothing wrong");
}

#[test]
fn one_job_probes_it_later_and_brings_it_back() {
    let wait = Duration::from_millis(20);
    let (fast, cpu, router) = router(wait);
    for _ in 0..3 {
        fail(&router, &fast, &cpu, fault());
    }
    sleep(wait);
    let first = router.submit(job(UNCOMPRESSED));
    let second = router.submit(job(UNCOMPRESSED));
    assert_eq!((fast.len(), cpu.len()), (1, 1), "one probe, and no other job beside it");
    complete(fast.take().remove(0).start().unwrap());
    complete(cpu.take().remove(0).start().unwrap());
    assert!(first.wait().remove(0).is_ok() && second.wait().remove(0).is_ok());
    let third = router.submit(job(UNCOMPRESSED));
    assert_eq!((fast.len(), cpu.len()), (1, 0));
    complete(fast.take().remove(0).start().unwrap());
    assert!(third.wait().remove(0).is_ok());
}

#[test]
fn a_device_with_an_open_breaker_is_better_than_none() {
    let only = Held::new("only", 1, 1e6);
    let router = Router::builder().device(only.clone()).breaker_open_time(NEVER).build();
    for _ in 0..5 {
        let ticket = router.submit(job(UNCOMPRESSED));
        only.take().remove(0).start().unwrap().finish(Err(fault()));
        assert!(ticket.wait().remove(0).is_err());
    }
    let ticket = router.submit(job(UNCOMPRESSED));
    complete(only.take().remove(0).start().unwrap());
    assert!(ticket.wait().remove(0).is_ok());
}

#[test]
fn the_fallback_gets_only_jobs_that_other_devices_fail() {
    let (slow, cpu) = (Held::new("slow", 1, 1e3), Held::new("authority", 8, 1e9));
    let router = Router::builder().device(slow.clone()).fallback(cpu.clone()).build();
    let tickets: Vec<_> = (0..20).map(|_| router.submit(job(UNCOMPRESSED))).collect();
    assert_eq!((slow.len(), cpu.len()), (20, 0));
    for (number, task) in slow.take().into_iter().enumerate() {
        match number % 7 {
            6 => task.start().unwrap().finish(Err(fault())),
            _ => complete(task.start().unwrap()),
        }
    }
    assert_eq!(cpu.len(), 2);
    for task in cpu.take() {
        complete(task.start().unwrap());
    }
    for ticket in tickets {
        assert_eq!(ticket.wait().remove(0).unwrap().output, UNCOMPRESSED);
    }
}

#[test]
fn a_probe_whose_job_is_cancelled_allows_another() {
    let wait = Duration::from_millis(20);
    let (fast, cpu, router) = router(wait);
    for _ in 0..3 {
        fail(&router, &fast, &cpu, fault());
    }
    sleep(wait);
    // The probe complains about the data, and the ticket is dropped before an authoritative device
    // has checked the complaint.
    let ticket = router.submit(job(UNCOMPRESSED));
    fast.take()
        .remove(0)
        .start()
        .unwrap()
        .finish(Err(Failure::Data(Error::Truncated { format: Format::Zlib })));
    drop(ticket);
    assert!(cpu.take().remove(0).start().is_none(), "it was cancelled");
    let ticket = router.submit(job(UNCOMPRESSED));
    assert_eq!((fast.len(), cpu.len()), (1, 0), "the next job is the probe");
    complete(fast.take().remove(0).start().unwrap());
    assert!(ticket.wait().remove(0).is_ok());
}
