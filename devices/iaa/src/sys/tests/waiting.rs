//! Waiting, with what this processor has and without.

use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::hw::{CompletionRecord, RecordView, Status};
use crate::sys::{WaitPkg, Waiter};

/// Long enough that only a wait that never ends reaches it.
const FOREVER: Duration = Duration::from_secs(60);

/// Both ways to wait, of which the second may be the first.
fn waiters() -> [Waiter; 2] {
    if WaitPkg::new().is_none() {
        eprintln!("only the portable wait tested: this processor has no UMWAIT");
    }
    [Waiter::portable(), Waiter::new()]
}

#[test]
fn what_is_there_is_seen_even_after_the_deadline() {
    for waiter in waiters() {
        let past = Instant::now();
        assert!(waiter.wait_until_nonzero(&AtomicU8::new(1), past));
        assert!(waiter.wait_until(|| true, past));
    }
}

#[test]
fn a_wait_ends_at_its_deadline_and_not_before() {
    for waiter in waiters() {
        // Through every stage: spinning, light sleep or yielding, and sleep.
        for wait in [Duration::ZERO, Duration::from_micros(50), Duration::from_millis(3)] {
            let deadline = Instant::now() + wait;
            assert!(!waiter.wait_until_nonzero(&AtomicU8::new(0), deadline));
            assert!(Instant::now() >= deadline);
            assert!(!waiter.wait_until(|| false, deadline));
        }
    }
}

#[test]
fn a_record_written_by_another_thread_ends_the_wait() {
    for waiter in waiters() {
        for pause in [Duration::ZERO, Duration::from_micros(20), Duration::from_millis(2)] {
            let record = CompletionRecord::new();
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    std::thread::sleep(pause);
                    record.write(&RecordView::new(Status::Success).with_produced(77));
                });
                assert!(waiter.wait_until_nonzero(record.status_cell(), Instant::now() + FOREVER));
            });
            assert_eq!(record.view().expect("a record").produced(), 77);
        }
    }
}

#[test]
fn a_condition_of_many_cells_ends_the_wait() {
    for waiter in waiters() {
        let cells = [const { AtomicU8::new(0) }; 16];
        let seen = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for cell in &cells {
                scope.spawn(|| cell.store(1, Ordering::Release));
            }
            let all = || {
                seen.fetch_add(1, Ordering::Relaxed);
                cells.iter().all(|cell| cell.load(Ordering::Acquire) != 0)
            };
            assert!(waiter.wait_until(all, Instant::now() + FOREVER));
        });
        assert!(seen.load(Ordering::Relaxed) > 0);
    }
}
