//! Every fault that the model injects, from the driver's side.

mod support;

use std::sync::Arc;
use std::time::{Duration, Instant};

use pelton_codec::{Checksum, checksum};
use pelton_device_iaa::hw::flags::operation;
use pelton_device_iaa::hw::{AnalyticsError, RecordView, Status};
use pelton_device_iaa::{Mode, Portal};
use pelton_device_model::iaa::{Fault, Faults, Injected, Model, QueueConfig};

use support::{FLAGS, Job, compress, noop, uncompressed, until};

/// Returns a model with a fault at its second descriptor, and its portal.
fn with(fault: Fault) -> (Model, Arc<dyn Portal>) {
    let queue = QueueConfig { block_on_fault: true, ..QueueConfig::new(Mode::Shared) };
    let model = Model::builder().queues([queue]).faults(Faults::none().at(1, fault)).build();
    let portal = model.open().remove(0);
    (model, portal)
}

/// Runs three decompressions with the fault at the second one, and returns its record and the
/// counters.
fn second(fault: Fault, flags: u32) -> (Job, RecordView, Injected) {
    let (model, portal) = with(fault);
    let uncompressed = uncompressed(10_000);
    let compressed = compress(&uncompressed);
    let mut jobs: Vec<Job> =
        (0..3).map(|_| Job::decompress(&compressed, uncompressed.len()).with_flags(flags)).collect();
    for job in &mut jobs {
        assert_eq!(job.submit(&portal), 1);
        job.wait();
    }
    for sound in [0, 2] {
        assert_eq!(jobs[sound].now().unwrap().status(), Some(Status::Success));
        assert!(jobs[sound].output() == uncompressed);
    }
    let record = jobs[1].now().unwrap();
    let counters = model.counters();
    assert_eq!((counters.faults.total(), counters.completed), (1, 3));
    (jobs.remove(1), record, counters.faults)
}

fn is_in(address: u64, bytes: &[u8]) -> bool {
    bytes.as_ptr_range().contains(&(address as usize as *const u8))
}

#[test]
fn page_faults() {
    let (job, record, counted) = second(Fault::ReadFault, FLAGS);
    assert_eq!((record.status_byte(), counted.read_fault), (0x03, 1));
    assert!(is_in(record.fault_address(), job.input()));
    let (job, record, counted) = second(Fault::WriteFault, FLAGS);
    assert_eq!((record.status_byte(), counted.write_fault), (0x83, 1));
    assert!(is_in(record.fault_address(), job.output()) && record.is_write_fault());
    assert!(job.output().iter().all(|byte| *byte == 0), "nothing was done");
    let (_, record, counted) = second(Fault::UnresolvedReadFault, FLAGS);
    assert_eq!((record.status_byte(), counted.unresolved_fault), (0x04, 1));
    let (_, record, counted) = second(Fault::UnresolvedWriteFault, FLAGS | operation::BLOCK_ON_FAULT);
    assert_eq!((record.status_byte(), counted.unresolved_fault), (0x84, 1));
}

#[test]
fn page_faults_that_the_device_waits_for() {
    for fault in [Fault::ReadFault, Fault::WriteFault] {
        let (model, portal) = with(fault);
        let mut times = Vec::new();
        for _ in 0..3 {
            let before = model.clock().modelled_makespan;
            let mut job = Job::new(noop().with_operation_flags(FLAGS | operation::BLOCK_ON_FAULT));
            job.submit(&portal);
            assert_eq!(job.wait(), RecordView::new(Status::Success));
            times.push(model.clock().modelled_makespan - before);
        }
        assert_eq!(model.counters().page_faults_waited, 1);
        assert!(times[1] > times[0] + Duration::from_micros(9), "{times:?}");
    }
}

#[test]
fn an_output_that_is_said_to_be_full() {
    let (job, record, counted) = second(Fault::OutputOverflow, FLAGS);
    assert_eq!(
        (record.status(), record.produced(), counted.output_overflow),
        (Some(Status::OutputOverflow), 5_000, 1)
    );
    assert!(job.output()[..5_000] == uncompressed(10_000)[..5_000]);
}

#[test]
fn errors_of_data_and_hardware() {
    for error in AnalyticsError::ALL {
        let (_, record, counted) = second(Fault::Analytics(error), FLAGS);
        assert_eq!((record.status(), record.analytics_error()), (Some(Status::AnalyticsError), Some(error)));
        assert_eq!(counted.analytics, 1);
    }
    for status in
        [Status::HardwareError, Status::Watchdog, Status::PageRequestTimeout, Status::TranslationFailure]
    {
        let (_, record, counted) = second(Fault::Status(status), FLAGS);
        assert_eq!((record, counted.status), (RecordView::new(status), 1));
    }
}

#[test]
fn lies() {
    let (job, record, counted) = second(Fault::WrongSize(-1), FLAGS);
    assert_eq!((record.status(), record.produced(), counted.wrong_size), (Some(Status::Success), 9_999, 1));
    assert!(job.output() == uncompressed(10_000));
    let (_, record, _) = second(Fault::WrongSize(1 << 20), FLAGS);
    assert_eq!(record.produced(), 10_000 + (1 << 20));
    let (job, record, counted) = second(Fault::WrongCrc, FLAGS);
    assert_ne!(u64::from(record.crc()), checksum(Checksum::Crc32, job.output()));
    assert_eq!((record.produced(), counted.wrong_crc), (10_000, 1));
}

#[test]
fn a_full_queue() {
    for (mode, taken) in [(Mode::Shared, 0), (Mode::Write, 0), (Mode::Dedicated, 1)] {
        let faults = Faults::none().at(1, Fault::QueueFull);
        let model = Model::builder().queues([QueueConfig::new(mode)]).faults(faults).build();
        let portal = model.open().remove(0);
        let mut jobs: Vec<Job> = (0..3).map(|_| Job::new(noop())).collect();
        assert_eq!(jobs[0].submit(&portal), 1);
        assert_eq!(jobs[1].submit(&portal), taken);
        assert_eq!(jobs[2].submit(&portal), 1);
        jobs[0].wait();
        jobs[2].wait();
        let counters = model.counters();
        assert_eq!((counters.lost_full as usize, counters.refused_full as usize), (taken, 1 - taken));
        assert_eq!((counters.faults.queue_full, counters.accepted), (1, 2));
        assert!(jobs[1].now().is_none());
        portal.close();
    }
}

#[test]
fn several_in_a_call_up_to_the_one_that_is_refused() {
    let model = Model::builder().faults(Faults::none().at(2, Fault::QueueFull)).build();
    let portal = model.open().remove(0);
    let mut jobs: Vec<Job> = (0..4).map(|_| Job::new(noop())).collect();
    let descriptors: Vec<_> = jobs.iter().map(Job::descriptor).collect();
    // SAFETY: the memory of each job is kept until it has completed.
    assert_eq!(unsafe { portal.submit(&descriptors) }.unwrap(), 2);
    // SAFETY: as above.
    assert_eq!(unsafe { portal.submit(&descriptors[2..]) }.unwrap(), 2);
    jobs.iter_mut().for_each(|job| assert_eq!(job.wait(), RecordView::new(Status::Success)));
}

#[test]
fn a_descriptor_that_is_never_answered() {
    let (model, portal) = with(Fault::NoAnswer);
    let mut jobs: Vec<Job> = (0..4).map(|_| Job::new(noop())).collect();
    jobs.iter_mut().for_each(|job| assert_eq!(job.submit(&portal), 1));
    for nth in [0, 2, 3] {
        jobs[nth].wait();
    }
    assert!(jobs[1].now().is_none());
    portal.close();
    assert!(jobs[1].now().is_none());
    assert_eq!((model.counters().faults.no_answer, model.counters().dropped_at_close), (1, 1));
}

#[test]
fn a_device_that_stops_starts_again_when_all_have_closed_it() {
    let faults = Faults::none().at(2, Fault::DeviceStops);
    let queues = [QueueConfig::new(Mode::Shared), QueueConfig::new(Mode::Write)];
    let model = Model::builder().devices(2).queues(queues).faults(faults).build();
    let portals = model.open();
    let run = |portal: &Arc<dyn Portal>| {
        let mut job = Job::new(noop());
        job.submit(portal);
        job
    };
    run(&portals[0]).wait();
    run(&portals[1]).wait();
    let stopped = run(&portals[0]);
    until(|| model.counters().faults.device_stops == 1);
    // The other device continues; the other queue of this one does not.
    let other = run(&portals[1]);
    for _ in 0..5 {
        run(&portals[2]).wait();
    }
    std::thread::sleep(Duration::from_millis(5));
    assert!(stopped.now().is_none());
    portals[0].close();
    portals[1].close();
    assert!(stopped.now().is_none() && other.now().is_none());
    run(&model.open_queue(0).unwrap()).wait();
}

#[test]
fn records_out_of_order() {
    let (model, portal) = with(Fault::Overtaken(3));
    let mut jobs: Vec<Job> = (0..6).map(|_| Job::new(noop())).collect();
    jobs[0].submit(&portal);
    jobs[0].wait();
    jobs[1].submit(&portal);
    // It comes by itself, as there is no other record to wait for.
    jobs[1].wait();
    assert_eq!(model.counters().faults.overtaken, 1);

    // A descriptor that waits for an unanswered one keeps the model busy.
    let faults = Faults::none().at(0, Fault::NoAnswer).at(2, Fault::Overtaken(2));
    let model = Model::builder().devices(2).faults(faults).build();
    let portals = model.open();
    let mut never = Job::new(noop());
    let mut fenced = Job::new(noop().with_operation_flags(FLAGS | operation::FENCE));
    never.submit(&portals[0]);
    fenced.submit(&portals[0]);
    let (mut overtaken, mut first, mut second) = (Job::new(noop()), Job::new(noop()), Job::new(noop()));
    overtaken.submit(&portals[1]);
    first.submit(&portals[1]);
    first.wait();
    assert!(overtaken.now().is_none());
    second.submit(&portals[1]);
    second.wait();
    assert_eq!(overtaken.wait(), RecordView::new(Status::Success));
    assert!(fenced.now().is_none());
    portals[0].close();
}

#[test]
fn a_late_record() {
    let by = Duration::from_millis(30);
    let (model, portal) = with(Fault::Late(by));
    let mut jobs: Vec<Job> = (0..3).map(|_| Job::new(noop())).collect();
    jobs[0].submit(&portal);
    jobs[0].wait();
    let start = Instant::now();
    jobs[1].submit(&portal);
    jobs[2].submit(&portal);
    jobs[2].wait();
    jobs[1].wait();
    assert!(start.elapsed() >= by);
    assert_eq!(model.counters().faults.late, 1);
}

#[test]
fn rules_can_be_repeated() {
    let faults =
        [Fault::WrongCrc, Fault::Status(Status::HardwareError), Fault::Analytics(AnalyticsError::Timeout)];
    let run = |rules: &Faults| {
        let model = Model::builder().devices(2).faults(rules.clone()).build();
        let portals = model.open();
        let mut jobs: Vec<Job> = (0..700).map(|_| Job::new(noop())).collect();
        let records: Vec<RecordView> = jobs
            .iter_mut()
            .enumerate()
            .map(|(nth, job)| {
                while job.submit(&portals[nth % 2]) == 0 {}
                job.wait()
            })
            .collect();
        (records, model.counters().faults)
    };
    let seventh = Faults::none().one_in(7, 42, &faults);
    let (records, counted) = run(&seventh);
    assert_eq!((records.clone(), counted), run(&seventh));
    assert!((60..140).contains(&counted.total()), "{counted:?}");
    assert!(counted.wrong_crc > 10 && counted.status > 10 && counted.analytics > 10, "{counted:?}");
    let other = run(&Faults::none().one_in(7, 43, &faults));
    assert_ne!(records, other.0);
    assert_eq!(run(&Faults::none().every(7, faults[1])).1.status, 100);
    let own =
        Faults::none().rule(move |offered| (offered.queue == 1 && offered.index < 10).then_some(faults[1]));
    assert_eq!(run(&own).1.status, 5);
}
