//! A fault at each request of a batch: the answers stay right, and the counters say what it cost.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use pelton_codec::Format;
use pelton_device_model::nx::{Config, Fault, Faults, Model};
use pelton_device_nx::hw::Completion;
use pelton_device_nx::{Counters, NxDevice, Options};
use pelton_job::conformance::corpus::{Shape, compress};
use pelton_job::{Batch, Counts, Job, OutputSize};

use crate::support::{FORMATS, decompressed, device, level, model, options, router};

const LEN: usize = 40_000;

/// Returns a decompression and compressions of each format, and a part.
fn jobs() -> Vec<Job> {
    let uncompressed = Shape::Text.bytes(LEN);
    let mut jobs = Vec::new();
    for format in FORMATS {
        let block = compress(format, format.default_level(), &uncompressed);
        jobs.push(Job::decompress(format, block, OutputSize::Exact(LEN)));
        jobs.extend(
            [1, 3, 6].map(|number| Job::compress(format, level(format, number), uncompressed.clone())),
        );
    }
    jobs.push(Job::compress_part(level(Format::Deflate, 6), uncompressed));
    jobs
}

struct Seen {
    model: Model,
    device: Arc<NxDevice>,
    counts: Counts,
}

/// Runs the jobs, and checks the results.
fn run(config: Config, options: Options, what: &dyn std::fmt::Debug) -> Seen {
    let uncompressed = Shape::Text.bytes(LEN);
    let model = Model::new(config);
    let device = device(&model, options);
    let router = router(&device);
    let jobs = jobs();
    for (job, result) in jobs.iter().zip(router.submit(Batch::from(jobs.clone())).wait()) {
        let done = result.unwrap_or_else(|error| panic!("{what:?}: {:?}: {error}", job.operation));
        let output = match job.operation {
            pelton_job::Operation::Compress { format, .. } => decompressed(format, &done.output, LEN),
            pelton_job::Operation::CompressPart { .. } => {
                decompressed(Format::Deflate, &[&done.output[..], &[0b011, 0]].concat(), LEN)
            }
            _ => done.output.to_vec(),
        };
        assert!(
            output == uncompressed,
            "{what:?}: {:?}, done by {}: wrong bytes",
            job.operation,
            done.device
        );
    }
    assert_eq!(router.bytes_in_flight(), 0, "{what:?}");
    let counts = router.counters().total("nx-model");
    assert_eq!(counts.done + counts.fell_back_total(), jobs.len() as u64, "{what:?}: {counts:?}");
    Seen { model, device, counts }
}

fn faulty(faults: Faults) -> Config {
    Config { faults, ..Config::default() }
}

/// Returns the number of requests of the jobs.
fn requests() -> u64 {
    let seen = run(Config::default(), options(), &"no fault");
    assert_eq!(seen.counts.fell_back_total(), 0, "{:?}", seen.counts);
    seen.model.counters().accepted
}

/// Runs with a fault at each request, and returns the counted reasons of fallbacks and the sums of
/// the driver's counters.
fn everywhere(options: &Options, fault: Fault) -> (BTreeMap<&'static str, u64>, Vec<Counters>) {
    let (mut reasons, mut counters) = (BTreeMap::new(), Vec::new());
    for index in 0..requests() {
        let what = (fault, index);
        let seen = run(faulty(Faults::none().at(index, fault)), options.clone(), &what);
        assert_eq!(seen.model.counters().injected(), 1, "{what:?}");
        assert!(seen.counts.fell_back_total() <= 1, "{what:?}: {:?}", seen.counts);
        for (reason, count) in &seen.counts.fell_back {
            *reasons.entry(*reason).or_insert(0) += count;
        }
        counters.push(seen.device.counters());
    }
    (reasons, counters)
}

#[test]
fn address_faults_are_touched_and_replayed() {
    for fault in [Fault::SourceFault, Fault::TargetFault] {
        let (reasons, counters) = everywhere(&options(), fault);
        assert!(reasons.is_empty(), "{fault:?}: {reasons:?}");
        assert!(counters.iter().all(|counters| counters.faults == 1), "{counters:?}");
    }
}

#[test]
fn a_full_queue_is_waited_for() {
    let (reasons, counters) = everywhere(&options(), Fault::Busy);
    assert!(reasons.is_empty() && counters.iter().all(|counters| counters.busy == 1), "{reasons:?}");
}

#[test]
fn a_lost_credit_costs_nothing_while_there_are_others() {
    let (reasons, _) = everywhere(&options(), Fault::LostCredit);
    assert!(reasons.is_empty(), "{reasons:?}");
}

#[test]
fn a_suspended_request_is_resumed() {
    for bytes in [33_000, 36_000, 39_999] {
        let (reasons, counters) = everywhere(&options(), Fault::Suspend(bytes));
        assert!(reasons.is_empty(), "{bytes}: {reasons:?}");
        assert!(counters.iter().filter(|counters| counters.resumed > 0).count() >= 10, "{counters:?}");
    }
    // A raw stream that is suspended before it has a full history can't be checked.
    let (reasons, _) = everywhere(&options(), Fault::Suspend(1001));
    let early = "a stream without a checksum was suspended in its first 32 KB";
    assert_eq!(reasons, BTreeMap::from([(early, 1)]));
}

#[test]
fn a_suspended_window_is_opened_again() {
    let (reasons, counters) = everywhere(&options(), Fault::SuspendWindow);
    assert!(reasons.is_empty(), "{reasons:?}");
    assert!(
        counters.iter().all(|counters| (counters.suspended, counters.reopened) == (1, 1)),
        "{counters:?}"
    );
}

#[test]
fn hardware_failures_cost_one_fallback() {
    let all = requests();
    for code in [
        Completion::ReadError,
        Completion::InternalError,
        Completion::WriteError,
        Completion::DataError,
        Completion::Watchdog,
        Completion::ReadTranslation,
        Completion::NoEngine,
        Completion::Hung,
    ] {
        let (reasons, _) = everywhere(&options(), Fault::Code(code));
        assert_eq!(reasons, BTreeMap::from([("device fault", all)]), "{code:?}");
    }
    let (reasons, _) = everywhere(&options(), Fault::ForeignFault);
    assert_eq!(reasons, BTreeMap::from([("device fault", all)]));
}

/// Whatever code an engine reports, the result is right.
#[test]
fn every_code_everywhere() {
    for code in Completion::ALL {
        let (_, counters) = everywhere(&options(), Fault::Code(code));
        assert!(!counters.is_empty());
    }
}

/// An undefined symbol makes a table with all symbols; a full target makes the sample smaller, or
/// stores the piece.
#[test]
fn codes_that_compression_recovers_from() {
    let cases = [
        (1, Completion::InvalidCode, (2, 0)),
        (0, Completion::TargetFull, (1, 0)),
        (1, Completion::TargetFull, (1, 1)),
    ];
    for (index, code, expected) in cases {
        let model = model(Faults::none().at(index, Fault::Code(code)));
        let device = device(&model, options());
        let router = router(&device);
        let uncompressed = Shape::Text.bytes(LEN);
        let job = Job::compress(Format::Gzip, level(Format::Gzip, 6), uncompressed.clone());
        let done = router.submit(job).wait().remove(0).expect("done");
        assert_eq!(decompressed(Format::Gzip, &done.output, LEN), uncompressed);
        assert_eq!(&*done.device, "nx-model", "{code:?} of request {index}");
        let counters = device.counters();
        assert_eq!((counters.table_made, counters.stored), expected, "{code:?} of request {index}");
    }
}

#[test]
fn a_request_without_an_answer_is_given_up() {
    let options = Options { time_limit: Duration::from_millis(1500), ..options() };
    for index in [0, 3, 9] {
        let seen = run(faulty(Faults::none().at(index, Fault::NoAnswer)), options.clone(), &index);
        let counters = seen.device.counters();
        assert_eq!(counters.unanswered, 1, "{counters:?}");
        assert!(seen.counts.fell_back.get("device lost").is_some_and(|lost| *lost >= 1), "{:?}", seen.counts);
        assert!(seen.model.counters().dropped_at_close >= 1);
    }
}

/// When all credits are lost, the window is closed and another is opened.
#[test]
fn a_window_without_credits_is_replaced() {
    let options = Options { time_limit: Duration::from_millis(500), ..options() };
    let config =
        Config { credits: 2, ..faulty(Faults::none().at(0, Fault::LostCredit).at(1, Fault::LostCredit)) };
    let model = Model::new(config);
    let device = device(&model, options);
    let router = router(&device);
    let job = || Job::compress(Format::Gzip, level(Format::Gzip, 6), Shape::Text.bytes(LEN));
    let results: Vec<_> =
        (0..3).map(|_| router.submit(job()).wait().remove(0).expect("done").device).collect();
    assert_eq!(&*results[0], "nx-model");
    assert_eq!(model.counters().windows, 2, "{results:?}");
    assert!(router.counters().total("nx-model").done >= 2, "{results:?}");
}

/// An engine that reports a missing page each time: the job is cut until it succeeds.
#[test]
fn a_job_that_keeps_faulting_is_halved() {
    const LARGE: usize = 200_000;
    let faults = Faults::none().rule(|offered| {
        let source = offered.descriptor.source();
        // Source and history of a piece of one page of 64 KB.
        (source.len() > 50_000).then_some(Fault::SourceFault)
    });
    let model = model(faults);
    let device = device(&model, options());
    let router = router(&device);
    let uncompressed = Shape::Random.bytes(LARGE);
    let block = compress(Format::Gzip, level(Format::Gzip, 1), &uncompressed);
    let text = Shape::Text.bytes(LARGE);
    let jobs = vec![
        Job::decompress(Format::Gzip, block, OutputSize::Exact(LARGE)),
        Job::compress(Format::Gzip, level(Format::Gzip, 6), text.clone()),
    ];
    let mut results = router.submit(jobs).wait();
    assert_eq!(results.remove(0).expect("decompressed").output, uncompressed);
    assert_eq!(decompressed(Format::Gzip, &results.remove(0).expect("compressed").output, LARGE), text);
    let counts = router.counters().total("nx-model");
    assert_eq!((counts.done, counts.fell_back_total()), (2, 0), "{counts:?}");
    assert!(device.counters().halved >= 4, "{:?}", device.counters());
}

/// A page that never comes is a fault of the device, after the smallest request.
#[test]
fn a_page_that_never_comes_is_given_up() {
    let device = device(&model(Faults::none().rule(|_| Some(Fault::TargetFault))), options());
    let router = router(&device);
    let job = Job::compress(Format::Gzip, level(Format::Gzip, 6), Shape::Text.bytes(LEN));
    let done = router.submit(job).wait().remove(0).expect("done by the CPU");
    assert_ne!(&*done.device, "nx-model");
    let counters = device.counters();
    assert_eq!((counters.halved, counters.faults), (3, 4 * 17), "40000 bytes, three times halved");
}

/// One fault of any kind in seven requests, in a long run.
#[test]
fn faults_by_the_dozen() {
    let kinds = [
        Fault::Busy,
        Fault::SourceFault,
        Fault::TargetFault,
        Fault::ForeignFault,
        Fault::Suspend(35_000),
        Fault::Suspend(500),
        Fault::Code(Completion::InternalError),
        Fault::Code(Completion::TargetFull),
        Fault::Code(Completion::InvalidCode),
        Fault::SuspendWindow,
        Fault::LostCredit,
    ];
    for every in 2..9 {
        run(faulty(Faults::none().in_turns(every, &kinds)), Options { verify: true, ..options() }, &every);
    }
}
