//! Devices that fail again and again, and devices that are only a reserve.

mod support;

use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

use pelton_codec::{Error, Format};
use pelton_job::{Failure, Operation, Router};
use support::{Held, complete, job};

const PLAIN: &[u8] = &[b'p'; 10_000];
const UNPACK: Operation = Operation::Decompress { format: Format::Zlib };
const ASIDE: &str = "set aside after failing three times in a row";

/// Long enough that no test waits for it by accident.
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

/// Submits a job that `device` fails in this way, and that the other one does.
fn fail(router: &Arc<Router>, device: &Held, other: &Held, failure: Failure) {
    let ticket = router.submit(job(PLAIN));
    device.take().remove(0).start().unwrap().finish(Err(failure));
    complete(other.take().remove(0).start().unwrap());
    assert_eq!(ticket.wait().remove(0).unwrap().output, PLAIN);
}

fn fault() -> Failure {
    Failure::Fault("for the test".into())
}

#[test]
fn three_faults_in_a_row_set_a_device_aside() {
    let (fast, cpu, router) = router(NEVER);
    for _ in 0..3 {
        fail(&router, &fast, &cpu, fault());
    }
    let ticket = router.submit(job(PLAIN));
    assert_eq!((fast.len(), cpu.len()), (0, 1));
    complete(cpu.take().remove(0).start().unwrap());
    assert!(ticket.wait().remove(0).is_ok());
    let counters = router.counters();
    assert_eq!(counters.row("fast", UNPACK).refused[ASIDE], 1);
    assert_eq!(counters.row("fast", UNPACK).fell_back["device fault"], 3);
    assert_eq!(counters.devices[0].breaker_opened, 1);
    assert_eq!(counters.devices[1].breaker_opened, 0);
}

#[test]
fn a_success_between_faults_keeps_it() {
    let (fast, cpu, router) = router(NEVER);
    for _ in 0..4 {
        fail(&router, &fast, &cpu, fault());
        fail(&router, &fast, &cpu, fault());
        let ticket = router.submit(job(PLAIN));
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
        let ticket = router.submit(job(PLAIN));
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
    let first = router.submit(job(PLAIN));
    let second = router.submit(job(PLAIN));
    assert_eq!((fast.len(), cpu.len()), (1, 1), "one probe, and no other job beside it");
    complete(fast.take().remove(0).start().unwrap());
    complete(cpu.take().remove(0).start().unwrap());
    assert!(first.wait().remove(0).is_ok() && second.wait().remove(0).is_ok());
    let third = router.submit(job(PLAIN));
    assert_eq!((fast.len(), cpu.len()), (1, 0));
    complete(fast.take().remove(0).start().unwrap());
    assert!(third.wait().remove(0).is_ok());
}

#[test]
fn a_device_that_is_set_aside_is_better_than_none() {
    let only = Held::new("only", 1, 1e6);
    let router = Router::builder().device(only.clone()).breaker_open_time(NEVER).build();
    for _ in 0..5 {
        let ticket = router.submit(job(PLAIN));
        only.take().remove(0).start().unwrap().finish(Err(fault()));
        assert!(ticket.wait().remove(0).is_err());
    }
    let ticket = router.submit(job(PLAIN));
    complete(only.take().remove(0).start().unwrap());
    assert!(ticket.wait().remove(0).is_ok());
}

#[test]
fn a_reserve_gets_only_what_the_others_do_not_do() {
    let (slow, cpu) = (Held::new("slow", 1, 1e3), Held::new("authority", 8, 1e9));
    let router = Router::builder().device(slow.clone()).fallback(cpu.clone()).build();
    let tickets: Vec<_> = (0..20).map(|_| router.submit(job(PLAIN))).collect();
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
        assert_eq!(ticket.wait().remove(0).unwrap().output, PLAIN);
    }
}

#[test]
fn a_probe_whose_job_is_given_up_is_no_probe() {
    let wait = Duration::from_millis(20);
    let (fast, cpu, router) = router(wait);
    for _ in 0..3 {
        fail(&router, &fast, &cpu, fault());
    }
    sleep(wait);
    // The probe complains about the data, and before an authority has looked at that nobody wants to know any more.
    let ticket = router.submit(job(PLAIN));
    fast.take()
        .remove(0)
        .start()
        .unwrap()
        .finish(Err(Failure::Data(Error::Truncated { format: Format::Zlib })));
    drop(ticket);
    assert!(cpu.take().remove(0).start().is_none(), "it was cancelled");
    let ticket = router.submit(job(PLAIN));
    assert_eq!((fast.len(), cpu.len()), (1, 0), "the next job is the probe");
    complete(fast.take().remove(0).start().unwrap());
    assert!(ticket.wait().remove(0).is_ok());
}
