use std::collections::BTreeSet;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use pelton_codec::{Checksum, checksum};
use pelton_job::conformance::Reference;
use pelton_job::{Batch, Job, Limits, Router};

use super::*;
use crate::CpuDevice;
use crate::run::run_owned;
use crate::testing::Pooled;

const KIND: Checksum = Checksum::Crc32;

fn jobs(n: usize) -> Batch {
    (0..n).map(|_| Job::checksum(KIND, &b"123456789"[..])).collect()
}

#[test]
fn threads_have_names_and_are_no_more_than_asked_for() {
    static NAMES: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let device = Pooled::new(3, |tasks| {
        let name = thread::current().name().unwrap_or("none").to_string();
        lock(&NAMES).insert(name);
        run_owned(tasks);
    });
    let router = Router::builder().device(device.clone()).build();
    assert_eq!(device.started(), 0, "threads are there before jobs");
    assert_eq!(router.submit(jobs(1)).wait().len(), 1);
    assert_eq!(device.started(), 1, "one job needs one thread");
    for _ in 0..20 {
        assert!(router.submit(jobs(50)).wait().iter().all(Result::is_ok));
    }
    assert_eq!(device.started(), 3);
    let names = lock(&NAMES).clone();
    let expected = ["pelton-cpu-0", "pelton-cpu-1", "pelton-cpu-2"].map(String::from);
    assert!(names.contains("pelton-cpu-0") && names.is_subset(&BTreeSet::from(expected)), "{names:?}");
}

#[test]
fn caller_runs_jobs_run_on_the_thread_that_waits_for_them() {
    static NAMES: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let device = Pooled::new(3, |tasks| {
        lock(&NAMES).insert(thread::current().name().unwrap_or("none").to_string());
        run_owned(tasks);
    });
    let router = Router::builder().device(device.clone()).build();
    let mut ticket = router.submit(jobs(50).caller_runs());
    assert!(lock(&NAMES).is_empty(), "one ran before somebody waited");
    let first = ticket.wait_next().expect("an outcome").expect("a sound job");
    assert_eq!(first.checksum, Some(checksum(KIND, b"123456789")));
    assert_eq!(ticket.wait().len(), 49);
    assert_eq!(device.started(), 0, "threads were started");
    let own = thread::current().name().unwrap_or("none").to_string();
    assert_eq!(*lock(&NAMES), BTreeSet::from([own]));
}

#[test]
fn a_caller_runs_batch_that_is_dropped_leaves_nothing() {
    let device = Pooled::new(1, run_owned);
    let router = Router::builder().device(device.clone()).build();
    let ticket = router.submit(jobs(50).caller_runs());
    assert_eq!(router.bytes_in_flight(), 0, "bytes that would keep others waiting");
    drop(ticket);
    let row = router.counters().total("pooled");
    assert_eq!((row.tried, row.cancelled, row.done), (50, 50, 0));
    assert_eq!(device.caller_runs(), 0, "tasks are left");
}

/// The caller of a caller-runs batch may be waiting for other jobs. Those have to run meanwhile,
/// even if there is no room for them.
#[test]
fn jobs_larger_than_the_limit_do_not_wait_for_caller_runs_jobs() {
    let limits = Limits { bytes_in_flight: 4, ..Limits::default() };
    let router = Router::builder().device(Pooled::new(1, run_owned)).limits(limits).build();
    let caller_runs = router.submit(jobs(3).caller_runs());
    assert_eq!(router.submit(jobs(5)).wait().len(), 5);
    let others = router.submit(jobs(5));
    assert!(caller_runs.wait().iter().chain(&others.wait()).all(Result::is_ok));
}

/// One thread submits tasks just after another has cancelled them.
#[test]
fn caller_runs_batches_that_are_dropped_at_once_leave_nothing() {
    let device = Pooled::new(1, run_owned);
    let router = Router::builder().device(device.clone()).build();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for round in 0..5_000 {
                    let mut ticket = router.submit(jobs(5).caller_runs());
                    if round % 3 == 0 {
                        ticket.wait_next().expect("an outcome").expect("a sound job");
                    }
                }
            });
        }
    });
    assert_eq!(device.caller_runs(), 0, "tasks are left");
    let row = router.counters().total("pooled");
    assert_eq!(row.tried, row.cancelled + row.done);
}

/// Two jobs that wait for each other can only end if they run at the same time.
#[test]
fn jobs_run_at_the_same_time() {
    static MEETING: (Mutex<usize>, Condvar) = (Mutex::new(0), Condvar::new());
    let device = Pooled::new(2, |tasks| {
        let (here, changed) = &MEETING;
        let mut here = lock(here);
        *here += 1;
        changed.notify_all();
        while *here < 2 {
            here = changed.wait(here).unwrap_or_else(PoisonError::into_inner);
        }
        drop(here);
        run_owned(tasks);
    });
    let router = Router::builder().device(device).build();
    assert_eq!(router.submit(jobs(2)).wait().len(), 2);
}

#[test]
fn a_thread_that_panics_goes_on() {
    static ODD: Mutex<bool> = Mutex::new(false);
    let device = Pooled::new(1, |tasks| {
        let odd = std::mem::replace(&mut *lock(&ODD), true);
        if !odd {
            std::panic::resume_unwind(Box::new("the first task"));
        }
        run_owned(tasks);
    });
    let router = Router::builder().device(device.clone()).device(Arc::new(Reference)).build();
    for outcome in router.submit(jobs(10)).wait() {
        assert_eq!(outcome.unwrap().checksum, Some(checksum(KIND, b"123456789")));
    }
    let row = router.counters().total("pooled");
    assert_eq!((row.done, row.fell_back["device lost"]), (9, 1));
    assert_eq!(device.started(), 1);
}

#[test]
fn queued_jobs_of_a_dropped_pool_go_elsewhere() {
    static GATE: Mutex<()> = Mutex::new(());
    let device = Pooled::new(1, |tasks| {
        drop(lock(&GATE));
        run_owned(tasks);
    });
    let router = Router::builder().device(device.clone()).device(Arc::new(Reference)).build();
    let gate = lock(&GATE);
    let ticket = router.submit(jobs(10));
    let pool = device.take();
    // Dropping waits for the thread, which waits for the gate.
    let (started, starts) = mpsc::channel();
    let dropper = thread::spawn(move || {
        started.send(()).unwrap();
        drop(pool);
    });
    starts.recv().unwrap();
    drop(gate);
    for outcome in ticket.wait() {
        assert_eq!(outcome.unwrap().checksum, Some(checksum(KIND, b"123456789")));
    }
    dropper.join().unwrap();
    let counters = router.counters();
    assert_eq!(counters.total("pooled").tried, 10);
    assert_eq!(counters.total("pooled").done + counters.total("reference").done, 10);
}

/// The last to hold the router may be a job on the pool's own thread, which then ends the pool that
/// it runs on.
#[test]
fn the_last_job_may_end_the_pool() {
    for _ in 0..200 {
        let device = CpuDevice::builder().threads(2).build();
        let alive = Arc::downgrade(&device);
        let router = Router::builder().device(device).build();
        drop(router.submit(jobs(3)));
        drop(router);
        let start = Instant::now();
        while alive.upgrade().is_some() {
            assert!(start.elapsed() < Duration::from_secs(60), "the device is there after its router");
            thread::yield_now();
        }
    }
}
