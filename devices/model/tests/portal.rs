//! Portals of the model: submission, closing and modelled time.

mod support;

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use pelton_device_iaa::hw::flags::operation;
use pelton_device_iaa::hw::{Descriptor, Opcode, RecordView, Status};
use pelton_device_iaa::{Mode, SubmitError};
use pelton_device_model::iaa::{Fault, Faults, Model, QueueConfig, Timing};

use support::{FLAGS, Job, compress, noop, uncompressed};

#[test]
fn a_noop_and_a_drain_complete() {
    let model = Model::builder().build();
    let portal = model.open().remove(0);
    for opcode in [Opcode::Noop, Opcode::Drain] {
        let mut job = Job::new(Descriptor::new(opcode).with_operation_flags(FLAGS));
        assert_eq!(job.submit(&portal), 1);
        assert_eq!(job.wait(), RecordView::new(Status::Success));
    }
    assert_eq!(model.counters().completed, 2);
}

#[test]
fn a_stream_is_decompressed_by_every_queue() {
    let uncompressed = uncompressed(300_000);
    let compressed = compress(&uncompressed);
    let modes = [Mode::Shared, Mode::Dedicated, Mode::Write];
    let model =
        Model::builder().devices(2).queues(modes.map(QueueConfig::new)).nodes([Some(0), Some(1)]).build();
    let portals = model.open();
    assert_eq!(portals.len(), 6);
    for (nth, portal) in portals.iter().enumerate() {
        assert_eq!(
            (portal.capabilities().mode, portal.capabilities().node),
            (modes[nth % 3], Some(nth as u32 / 3))
        );
        let mut job = Job::decompress(&compressed, uncompressed.len());
        job.submit(portal);
        let record = job.wait();
        assert_eq!(record.status(), Some(Status::Success), "{record:?}");
        assert_eq!(
            (record.produced() as usize, record.consumed() as usize),
            (uncompressed.len(), compressed.len())
        );
        assert!(job.output() == uncompressed);
    }
    let counters = model.counters();
    assert_eq!(counters.bytes_out, 6 * uncompressed.len() as u64);
    assert_eq!(counters.operations.get(&0x42), Some(&6));
}

#[test]
fn many_threads_and_queues_at_once() {
    let model = Model::builder().devices(4).build();
    let portals = model.open();
    let uncompressed = uncompressed(20_000);
    let compressed = compress(&uncompressed);
    thread::scope(|scope| {
        for nth in 0..4 {
            let (portals, compressed, uncompressed) = (&portals, &compressed, &uncompressed);
            scope.spawn(move || {
                for round in 0..20 {
                    let mut jobs: Vec<Job> =
                        (0..16).map(|_| Job::decompress(compressed, uncompressed.len())).collect();
                    for job in &mut jobs {
                        while job.submit(&portals[(nth + round) % 4]) == 0 {
                            thread::yield_now();
                        }
                    }
                    for job in &mut jobs {
                        assert_eq!(job.wait().status(), Some(Status::Success));
                        assert!(job.output() == *uncompressed);
                    }
                }
            });
        }
    });
    assert_eq!(model.counters().completed, 4 * 20 * 16);
    let clock = model.clock();
    assert_eq!((clock.operations, clock.engines), (1280, 32));
    assert!(clock.to_string().starts_with("modelled: 1280 operations in "), "{clock}");
}

/// Returns a model in which the first descriptor never completes, so that a drain stays in the
/// queue.
fn blocked(queue: QueueConfig) -> Model {
    Model::builder().queues([queue]).faults(Faults::none().at(0, Fault::NoAnswer)).build()
}

#[test]
fn a_full_queue_takes_the_first_and_says_so() {
    for mode in [Mode::Shared, Mode::Write] {
        let model = blocked(QueueConfig { depth: 4, ..QueueConfig::new(mode) });
        let portal = model.open().remove(0);
        let mut lost = Job::new(noop());
        assert_eq!(lost.submit(&portal), 1);
        let fenced = Descriptor::new(Opcode::Drain).with_operation_flags(FLAGS);
        let mut jobs: Vec<Job> = (0..6).map(|_| Job::new(fenced)).collect();
        // The drain waits for a descriptor that never completes, so the queue stays full.
        let accepted: usize = jobs.iter_mut().map(|job| job.submit(&portal)).sum();
        assert!((3..=4).contains(&accepted), "{accepted}");
        let counters = model.counters();
        assert_eq!((counters.accepted, counters.refused_full), (1 + accepted as u64, 6 - accepted as u64));
        portal.close();
    }
}

#[test]
fn a_dedicated_queue_that_is_full_loses_what_comes() {
    let model = blocked(QueueConfig { depth: 2, ..QueueConfig::new(Mode::Dedicated) });
    let portal = model.open().remove(0);
    let drain = Descriptor::new(Opcode::Drain).with_operation_flags(FLAGS);
    let mut jobs: Vec<Job> = [noop(), drain, drain, drain, drain].into_iter().map(Job::new).collect();
    assert_eq!(jobs.iter_mut().map(|job| job.submit(&portal)).sum::<usize>(), 5);
    assert!(model.counters().lost_full >= 2);
    assert!(model.open().is_empty(), "a dedicated queue is open once");
    portal.close();
    assert_eq!(model.open().len(), 1);
}

#[test]
fn a_drain_waits_for_all_before_it() {
    let late = Fault::Late(Duration::from_millis(100));
    let model = Model::builder().faults(Faults::none().at(0, late)).build();
    let portal = model.open().remove(0);
    let fenced = noop().with_operation_flags(FLAGS | operation::FENCE);
    for last in [Descriptor::new(Opcode::Drain).with_operation_flags(FLAGS), fenced] {
        let (mut first, mut last) = (Job::new(noop()), Job::new(last));
        first.submit(&portal);
        last.submit(&portal);
        last.wait();
        assert_eq!(first.now().and_then(|record| record.status()), Some(Status::Success));
    }
}

#[test]
fn nothing_is_written_once_a_portal_is_closed() {
    let uncompressed = uncompressed(200_000);
    let compressed = compress(&uncompressed);
    for _ in 0..20 {
        let model = Model::builder().build();
        let portal = model.open().remove(0);
        let other = model.open().remove(0);
        let mut jobs: Vec<Job> = (0..20).map(|_| Job::decompress(&compressed, uncompressed.len())).collect();
        let accepted = jobs.iter_mut().map(|job| job.submit(&portal)).sum::<usize>() as u64;
        portal.close();
        let frozen: Vec<_> = jobs.iter().map(|job| (job.now(), job.output_now())).collect();
        let error = jobs[0].try_submit(&portal);
        assert!(matches!(error, Err(SubmitError::Closed)), "{error:?}");
        // Another portal to the same queue still works.
        let mut job = Job::new(noop());
        job.submit(&other);
        job.wait();
        thread::sleep(Duration::from_millis(5));
        for (job, frozen) in jobs.iter().zip(&frozen) {
            assert!((job.now(), job.output_now()) == *frozen);
        }
        let counters = model.counters();
        assert_eq!(counters.dropped_at_close + counters.completed, accepted + 1);
        portal.close();
    }
}

#[test]
fn the_kernel_refuses_a_misaligned_record_and_the_device_reports_nothing() {
    let model = Model::builder().queues([Mode::Write, Mode::Shared].map(QueueConfig::new)).build();
    let portals = model.open();
    let misaligned = Job::new(noop()).descriptor().with_completion(4096 * 5 + 32);
    // SAFETY: the model touches no memory of the descriptors.
    let refused = unsafe { portals[0].submit(&[misaligned]) };
    assert!(
        matches!(&refused, Err(SubmitError::System(error)) if error.kind() == std::io::ErrorKind::InvalidInput)
    );
    // SAFETY: as above.
    assert_eq!(unsafe { portals[1].submit(&[misaligned]) }.unwrap(), 1);
    support::until(|| model.counters().unrecorded == 1);
}

#[test]
fn modelled_time_is_setup_and_bytes() {
    let uncompressed = uncompressed(570_000);
    let compressed = compress(&uncompressed);
    let setup = Duration::from_micros(5);
    let run = |timing, devices, engines, jobs: usize| {
        let model = Model::builder().devices(devices).engines(engines).timing(timing).build();
        let portals = model.open();
        let mut all: Vec<Job> = (0..jobs).map(|_| Job::decompress(&compressed, uncompressed.len())).collect();
        for (nth, job) in all.iter_mut().enumerate() {
            job.submit(&portals[nth % devices]);
            if jobs == 1 || engines == 1 {
                job.wait();
            }
        }
        all.iter_mut().for_each(|job| assert_eq!(job.wait().status(), Some(Status::Success)));
        model.clock()
    };
    // The length takes 1 ms at the published bandwidth.
    let timing = Timing { setup, ..Timing::PAPER };
    let near = |time: Duration, expected: f64| (time.as_secs_f64() * 1e6 - expected).abs() < 1.0;
    assert!(near(run(timing, 1, 8, 1).modelled_makespan, 1005.0));
    assert!(near(run(timing, 1, 1, 3).modelled_makespan, 3015.0));
    let free = Timing { setup: Duration::ZERO, ..Timing::PAPER };
    assert!(near(run(free, 1, 1, 3).modelled_makespan, 3000.0));
    // A device with the bandwidth of two engines is as fast with eight.
    let narrow = Timing { engines_at_once: 2.0, ..free };
    let clock = run(narrow, 1, 8, 8);
    assert!(clock.modelled_makespan >= Duration::from_micros(3999), "{clock}");
    assert_eq!(clock.bytes_out, 8 * 570_000);
}

#[test]
fn an_arc_of_a_portal_is_shared_by_threads() {
    fn is_shared<T: Send + Sync>(_: &T) {}
    let model = Arc::new(Model::builder().build());
    is_shared(&model);
    is_shared(&model.open());
}
