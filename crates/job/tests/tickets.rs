//! Tickets: waking, cancelling and admission, with a device under the test's control.

mod support;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use pelton_codec::Checksum;
use pelton_job::conformance::{Reference, block_on};
use pelton_job::{Batch, Failure, Job, JobError, Limits, Router, Ticket};
use support::{Held, complete, job};

/// A waker that counts its wake-ups.
#[derive(Default)]
struct Count(AtomicUsize);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, SeqCst);
    }
}

impl Count {
    fn new() -> (Arc<Count>, Waker) {
        let count = Arc::new(Count::default());
        (Arc::clone(&count), Waker::from(count))
    }

    fn get(&self) -> usize {
        self.0.load(SeqCst)
    }
}

fn batch(jobs: usize) -> Batch {
    (0..jobs).map(|i| job(&vec![b'x'; i + 1])).collect()
}

fn held() -> (Arc<Held>, Arc<Router>) {
    let device = Held::new("held", 1, 1e6);
    (device.clone(), Router::builder().device(device).build())
}

fn poll_next(ticket: &mut Ticket, waker: &Waker) -> Poll<Option<usize>> {
    let polled = ticket.poll_next(&mut Context::from_waker(waker));
    polled.map(|result| result.map(|result| result.unwrap().output.len()))
}

#[test]
fn next_is_woken_by_its_own_job_and_by_no_other() {
    let (device, router) = held();
    let mut ticket = router.submit(batch(3));
    let mut tasks = device.take();
    let (count, waker) = Count::new();
    assert_eq!(poll_next(&mut ticket, &waker), Poll::Pending);
    complete(tasks.remove(1).start().unwrap());
    assert_eq!(count.get(), 0);
    complete(tasks.remove(0).start().unwrap());
    assert_eq!(count.get(), 1);
    assert_eq!(poll_next(&mut ticket, &waker), Poll::Ready(Some(1)));
    assert_eq!(poll_next(&mut ticket, &waker), Poll::Ready(Some(2)));
    assert_eq!(poll_next(&mut ticket, &waker), Poll::Pending);
    assert_eq!(ticket.remaining(), 1);
    complete(tasks.remove(0).start().unwrap());
    assert_eq!(count.get(), 2);
    assert_eq!(poll_next(&mut ticket, &waker), Poll::Ready(Some(3)));
    assert_eq!(poll_next(&mut ticket, &waker), Poll::Ready(None));
}

#[test]
fn the_whole_batch_is_woken_by_its_last_job() {
    let (device, router) = held();
    let mut ticket = router.submit(batch(3));
    let (count, waker) = Count::new();
    assert!(Pin::new(&mut ticket).poll(&mut Context::from_waker(&waker)).is_pending());
    assert!(ticket.try_wait().is_none());
    for task in device.take() {
        assert_eq!(count.get(), 0);
        complete(task.start().unwrap());
    }
    assert_eq!(count.get(), 1);
    assert!(
        matches!(Pin::new(&mut ticket).poll(&mut Context::from_waker(&waker)), Poll::Ready(o) if o.len() == 3)
    );
}

#[test]
fn the_task_that_polled_last_is_woken() {
    let (device, router) = held();
    let mut ticket = router.submit(batch(1));
    let ((first, first_waker), (second, second_waker)) = (Count::new(), Count::new());
    assert_eq!(poll_next(&mut ticket, &first_waker), Poll::Pending);
    assert_eq!(poll_next(&mut ticket, &second_waker), Poll::Pending);
    complete(device.take().remove(0).start().unwrap());
    assert_eq!((first.get(), second.get()), (0, 1));
}

#[test]
fn waiting_for_all_after_next_was_given_up_wakes_at_the_end() {
    let (device, router) = held();
    let mut ticket = router.submit(batch(2));
    let (count, waker) = Count::new();
    assert_eq!(poll_next(&mut ticket, &waker), Poll::Pending);
    assert!(Pin::new(&mut ticket).poll(&mut Context::from_waker(&waker)).is_pending());
    let mut tasks = device.take();
    complete(tasks.remove(0).start().unwrap());
    assert_eq!(count.get(), 0);
    complete(tasks.remove(0).start().unwrap());
    assert_eq!(count.get(), 1);
}

#[test]
fn a_waker_that_panics_harms_nobody_else() {
    struct Panics;
    impl Wake for Panics {
        fn wake(self: Arc<Self>) {
            std::panic::resume_unwind(Box::new("waker"));
        }
    }
    let (device, router) = held();
    let mut ticket = router.submit(batch(1));
    assert_eq!(poll_next(&mut ticket, &Waker::from(Arc::new(Panics))), Poll::Pending);
    complete(device.take().remove(0).start().unwrap());
    assert_eq!(router.bytes_in_flight(), 0);
    assert_eq!(block_on(ticket).len(), 1);
}

#[test]
fn no_wake_up_is_lost_between_threads() {
    let (device, router) = held();
    for round in 0..500 {
        let mut ticket = router.submit(batch(4));
        let tasks = device.take();
        let finisher = thread::spawn(move || {
            for task in tasks {
                complete(task.start().unwrap());
            }
        });
        let lengths: Vec<usize> = if round % 2 == 0 {
            block_on(async {
                let mut lengths = Vec::new();
                while let Some(result) = ticket.next().await {
                    lengths.push(result.unwrap().output.len());
                }
                lengths
            })
        } else {
            std::iter::from_fn(|| ticket.wait_next()).map(|result| result.unwrap().output.len()).collect()
        };
        assert_eq!(lengths, [1, 2, 3, 4]);
        finisher.join().unwrap();
    }
}

#[test]
fn a_cancelled_ticket_wakes_who_waits() {
    let (_device, router) = held();
    let mut ticket = router.submit(batch(2));
    let (count, waker) = Count::new();
    assert_eq!(poll_next(&mut ticket, &waker), Poll::Pending);
    ticket.cancel();
    assert_eq!(count.get(), 1);
    assert!(ticket.wait().into_iter().all(|result| matches!(result, Err(JobError::Cancelled))));
}

#[test]
fn a_cancelled_task_does_not_start_and_releases_its_bytes() {
    let (device, router) = held();
    let ticket = router.submit(batch(2));
    drop(ticket);
    assert!(router.bytes_in_flight() > 0, "the device has the tasks still");
    for task in device.take() {
        assert!(task.start().is_none());
    }
    assert_eq!(router.bytes_in_flight(), 0);
    let row = router.counters().total("held");
    assert_eq!((row.tried, row.cancelled), (2, 2));
}

#[test]
fn a_running_job_outlives_its_ticket_and_its_result_is_dropped() {
    struct Tracked(Arc<AtomicUsize>);
    impl AsRef<[u8]> for Tracked {
        fn as_ref(&self) -> &[u8] {
            b"input"
        }
    }
    impl Drop for Tracked {
        fn drop(&mut self) {
            self.0.fetch_add(1, SeqCst);
        }
    }
    let freed = Arc::new(AtomicUsize::new(0));
    let (device, router) = held();
    let input = Bytes::from_owner(Tracked(Arc::clone(&freed)));
    let ticket = router.submit(Job::checksum(Checksum::Crc32, input));
    let running = device.take().remove(0).start().unwrap();
    drop(ticket);
    assert_eq!(freed.load(SeqCst), 0, "the device reads the input still");
    assert_eq!(&*running.job().input, b"input");
    complete(running);
    assert_eq!(freed.load(SeqCst), 1);
    assert_eq!(router.bytes_in_flight(), 0);
    assert_eq!(router.counters().total("held").done, 1);
}

#[test]
fn a_job_that_fails_after_it_was_cancelled_is_not_tried_again() {
    let device = Held::new("held", 1, 1e9);
    let router = Router::builder().device(device.clone()).device(Arc::new(Reference)).build();
    let ticket = router.submit(batch(1));
    let running = device.take().remove(0).start().unwrap();
    ticket.cancel();
    running.finish(Err(Failure::Fault("too late".into())));
    assert!(matches!(ticket.wait()[..], [Err(JobError::Cancelled)]));
    assert_eq!(router.counters().total("reference").tried, 0);
    assert_eq!(router.counters().total("held").cancelled, 1);
    assert_eq!(router.bytes_in_flight(), 0);
}

#[test]
fn a_finished_job_lets_the_next_in_first_come_first_served() {
    let device = Held::new("held", 8, 1e6);
    let one = job(&[b'x'; 1000]);
    let limits = Limits { bytes_in_flight: 2 * one.bytes(), output_per_job: 1 << 20, ..Limits::default() };
    let router = Router::builder().device(device.clone()).limits(limits).build();
    let first: Batch = (0..3).map(|_| one.clone()).collect();
    let first = router.submit(first);
    // It would fit after the first job, but the last job of the first batch was submitted before
    // it.
    let second = router.submit(job(&[b'y'; 1000]));
    assert_eq!((device.len(), router.jobs_waiting()), (2, 2));
    assert_eq!(router.bytes_in_flight(), 2 * one.bytes());
    let mut tasks = device.take();
    complete(tasks.remove(0).start().unwrap());
    assert_eq!((device.len(), router.jobs_waiting()), (1, 1));
    tasks.extend(device.take());
    for task in tasks {
        complete(task.start().unwrap());
    }
    assert_eq!(first.wait().len(), 3);
    for task in device.take() {
        complete(task.start().unwrap());
    }
    assert_eq!(*second.wait().remove(0).unwrap().output, [b'y'; 1000]);
}

#[test]
fn a_cancelled_batch_makes_way_for_the_next() {
    let device = Held::new("held", 8, 1e6);
    let (small, large) = (job(&[b'x'; 100]), job(&[b'x'; 100_000]));
    let limits = Limits { bytes_in_flight: 1000, output_per_job: 1 << 20, ..Limits::default() };
    let router = Router::builder().device(device.clone()).limits(limits).build();
    let _running = router.submit(small.clone());
    let blocking = router.submit(large);
    let _behind = router.submit(small);
    assert_eq!((device.len(), router.jobs_waiting()), (1, 2));
    drop(blocking);
    assert_eq!((device.len(), router.jobs_waiting()), (2, 0));
}

/// A device that finishes jobs inside `submit`, with a limit that admits one job at a time: each
/// completion admits the next. This must be a loop, not a recursion, or the stack overflows.
#[test]
fn a_long_queue_does_not_need_a_deep_stack() {
    const JOBS: usize = 50_000;
    const STACK: usize = 256 << 10;
    let work = || {
        let limits = Limits { bytes_in_flight: 1, output_per_job: 0, ..Limits::default() };
        let router = Router::builder().device(Arc::new(Reference)).limits(limits).build();
        let job = Job::checksum(Checksum::Crc32, &b"abc"[..]);
        let results = router.submit((0..JOBS).map(|_| job.clone()).collect::<Batch>()).wait();
        assert!(results.iter().all(Result::is_ok));
        assert_eq!(router.counters().peak_bytes_in_flight, 3);
    };
    thread::Builder::new().stack_size(STACK).spawn(work).unwrap().join().unwrap();
}

#[test]
fn submitting_does_not_wait_for_the_device() {
    let (device, router) = held();
    let ticket = router.submit(batch(1));
    let finisher = thread::spawn(move || {
        thread::sleep(Duration::from_millis(10));
        complete(device.take().remove(0).start().unwrap());
    });
    assert_eq!(ticket.wait().len(), 1);
    finisher.join().unwrap();
}
