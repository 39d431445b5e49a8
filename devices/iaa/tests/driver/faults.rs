//! Every fault at every descriptor of a batch: results are right, and counters show the cost. Each
//! run has one fault, so that a fallback for another reason is noticed.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use pelton_codec::{Checksum, Format, Level, checksum};
use pelton_device_iaa::hw::{AnalyticsError, Descriptor, Opcode, Status, flags};
use pelton_device_iaa::{Mode, Options};
use pelton_device_model::iaa::{Fault, Faults, Model, QueueConfig};
use pelton_job::conformance::Reference;
use pelton_job::conformance::corpus::{Shape, compress};
use pelton_job::{Batch, Counts, Job, Operation, OutputSize, Router};

use crate::support::{MODES, device, model, options};

/// Uncompressed length of a job: within the device's window, so that only the injected fault fails.
const LEN: usize = 3000;

/// Returns jobs of all kinds.
fn jobs() -> Vec<Job> {
    let uncompressed = Shape::Text.bytes(LEN);
    let unpack = |format: Format, size| {
        Job::decompress(format, compress(format, format.default_level(), &uncompressed), size)
    };
    let level = |format, value| Level::new(format, value).expect("a level of the format");
    let mut members = Vec::from(compress(Format::Gzip, Format::Gzip.default_level(), &uncompressed[..1000]));
    members.extend_from_slice(&compress(Format::Gzip, Format::Gzip.default_level(), &uncompressed[1000..]));
    vec![
        unpack(Format::Gzip, OutputSize::Exact(LEN)),
        unpack(Format::Zlib, OutputSize::Exact(LEN)),
        unpack(Format::Deflate, OutputSize::Exact(LEN)),
        unpack(Format::Deflate, OutputSize::AtMost(2 * LEN - LEN / 2 - 500)),
        Job::decompress(Format::Gzip, members, OutputSize::AtMost(LEN + 10)),
        Job::compress(Format::Gzip, level(Format::Gzip, 6), uncompressed.clone()),
        Job::compress(Format::Zlib, level(Format::Zlib, 1), uncompressed.clone()),
        Job::compress_part(level(Format::Deflate, 1), uncompressed.clone()),
        Job::compress_part(level(Format::Deflate, 6), uncompressed[..LEN - 1].to_vec()),
        Job::checksum(Checksum::Crc64, uncompressed),
    ]
}

/// Counters of a run.
struct Seen {
    model: Model,
    counts: Counts,
}

/// Runs the jobs, with the reference behind the device, and checks all answers.
fn run(queue: QueueConfig, options: Options, faults: Faults, what: &dyn std::fmt::Debug) -> Seen {
    let uncompressed = Shape::Text.bytes(LEN);
    let model = model(queue, faults);
    let device = device(&model, options);
    let router = Router::builder().device(device).device(Arc::new(Reference)).build();
    let jobs = jobs();
    for (job, outcome) in jobs.iter().zip(router.submit(Batch::from(jobs.clone())).wait()) {
        let done = outcome.unwrap_or_else(|error| panic!("{what:?}: {:?}: {error}", job.operation));
        let right = match job.operation {
            Operation::Compress { format, .. } => {
                let mut back = vec![0; LEN];
                let decompressed = pelton_codec::Decoder::new().decompress(format, &done.output, &mut back);
                decompressed.is_ok_and(|decompressed| decompressed.consumed == done.output.len())
                    && back == uncompressed
            }
            Operation::CompressPart { .. } => {
                let stream = [&done.output[..], &[0b011, 0]].concat();
                let mut back = vec![0; job.input.len()];
                let decompressed =
                    pelton_codec::Decoder::new().decompress(Format::Deflate, &stream, &mut back);
                decompressed.is_ok_and(|decompressed| decompressed.consumed == stream.len())
                    && back == job.input
            }
            Operation::Checksum { kind } => done.checksum == Some(checksum(kind, &uncompressed)),
            _ => done.output == uncompressed,
        };
        assert!(right, "{what:?}: {:?}, done by {}: wrong bytes", job.operation, done.device);
    }
    assert_eq!(router.bytes_in_flight(), 0, "{what:?}");
    let counts = router.counters().total("iaa-model");
    assert_eq!(counts.done + counts.fell_back_total(), jobs.len() as u64, "{what:?}: {counts:?}");
    Seen { model, counts }
}

/// Returns the number of descriptors of the jobs.
fn descriptors() -> u64 {
    let seen = run(QueueConfig::new(Mode::Shared), options(), Faults::none(), &"no fault");
    assert_eq!(seen.counts.fell_back_total(), 0, "{:?}", seen.counts);
    seen.model.counters().accepted
}

/// Runs with a fault at each descriptor, and returns the counted reasons of fallbacks.
fn everywhere(mode: Mode, options: &Options, fault: Fault) -> BTreeMap<&'static str, u64> {
    let mut reasons = BTreeMap::new();
    for index in 0..descriptors() {
        let what = (mode, fault, index);
        let seen = run(QueueConfig::new(mode), options.clone(), Faults::none().at(index, fault), &what);
        assert_eq!(seen.model.counters().faults.total(), 1, "{what:?}");
        assert!(seen.counts.fell_back_total() <= 1, "{what:?}: {:?}", seen.counts);
        for (reason, count) in &seen.counts.fell_back {
            *reasons.entry(*reason).or_insert(0) += count;
        }
    }
    reasons
}

#[test]
fn what_is_tried_again_costs_no_fall_back() {
    for mode in MODES {
        let mut faults = vec![
            Fault::ReadFault,
            Fault::WriteFault,
            Fault::Overtaken(3),
            Fault::Late(Duration::from_millis(2)),
        ];
        // A full dedicated queue loses the descriptor without a report.
        faults.extend((mode != Mode::Dedicated).then_some(Fault::QueueFull));
        for fault in faults {
            let reasons = everywhere(mode, &options(), fault);
            assert!(reasons.is_empty(), "{mode:?}, {fault:?}: {reasons:?}");
        }
    }
}

#[test]
fn a_device_that_gives_up_costs_one_fall_back() {
    let all = descriptors();
    let faults =
        [Fault::UnresolvedReadFault, Fault::UnresolvedWriteFault, Fault::Status(Status::HardwareError)];
    for fault in faults {
        let reasons = everywhere(Mode::Shared, &options(), fault);
        assert_eq!(reasons, BTreeMap::from([("device fault", all)]), "{fault:?}");
    }
    for status in
        Status::ALL.into_iter().filter(|status| !matches!(status, Status::InProgress | Status::PageFault))
    {
        everywhere(Mode::Shared, &options(), Fault::Status(status));
    }
    for error in AnalyticsError::ALL {
        everywhere(Mode::Shared, &options(), Fault::Analytics(error));
    }
    everywhere(Mode::Shared, &options(), Fault::OutputOverflow);
}

#[test]
fn a_device_that_lies_is_not_believed() {
    for by in [1, -1, -3000, 1 << 20, i32::MIN] {
        for verify in [false, true] {
            everywhere(Mode::Shared, &Options { verify, ..options() }, Fault::WrongSize(by));
        }
    }
    // Only `verify` detects a wrong CRC-64. The first pass of a compression has a CRC that is not
    // used.
    let counts = |descriptor: &Descriptor| {
        descriptor.opcode_byte() == Opcode::Compress as u8
            && descriptor.own_flags() & flags::compress::STATISTICS != 0
    };
    let verify = Options { verify: true, ..options() };
    for index in 0..descriptors() {
        let faults = Faults::none().rule(move |offered| {
            (offered.index == index && !counts(offered.descriptor)).then_some(Fault::WrongCrc)
        });
        let seen = run(QueueConfig::new(Mode::Shared), verify.clone(), faults, &index);
        assert_eq!(seen.counts.fell_back_total(), seen.model.counters().faults.total(), "{index}");
    }
    // At least three wrong bit counts move the empty block of each of the two parts to another
    // byte. The order of the jobs decides which descriptor is a part's, so every compression gets
    // the fault.
    let found = (1..8).map(|by| {
        let faults = Faults::none().rule(move |offered| {
            let is_compressed = offered.descriptor.opcode_byte() == Opcode::Compress as u8;
            (is_compressed && !counts(offered.descriptor)).then_some(Fault::WrongBits(by))
        });
        run(QueueConfig::new(Mode::Shared), options(), faults, &by).counts.fell_back_total()
    });
    let found: u64 = found.sum();
    assert!(found >= 6, "{found}: parts that end in the wrong place are found out");
}

#[test]
fn a_device_that_never_answers_is_given_up() {
    let options = Options { time_limit: Duration::from_millis(60), ..options() };
    for mode in MODES {
        for fault in [Fault::NoAnswer, Fault::DeviceStops] {
            for index in [0, 3, 7] {
                let what = (mode, fault, index);
                let seen =
                    run(QueueConfig::new(mode), options.clone(), Faults::none().at(index, fault), &what);
                let lost = seen.counts.fell_back.get("device lost").copied().unwrap_or(0);
                assert!(lost >= 1 && lost == seen.counts.fell_back_total(), "{what:?}: {:?}", seen.counts);
                assert!(seen.model.counters().dropped_at_close >= 1, "{what:?}");
            }
        }
    }
}

/// A device that reports a missing page each time: the job is cut until it succeeds.
#[test]
fn a_job_that_keeps_faulting_is_cut() {
    const LARGE: usize = 200_000;
    const MOST: u32 = 30_000;
    let too_large = |sizes: [u32; 2]| sizes.into_iter().max() > Some(MOST);
    let faults = Faults::none().rule(move |offered| {
        let sizes = [offered.descriptor.source1_bytes(), offered.descriptor.destination_bytes()];
        too_large(sizes).then_some(Fault::ReadFault)
    });
    let model = model(QueueConfig::new(Mode::Shared), faults);
    let router = Router::builder().device(device(&model, options())).device(Arc::new(Reference)).build();
    let uncompressed = Shape::Zeros.bytes(LARGE);
    let level = Level::new(Format::Gzip, 1).expect("a level");
    let compressed = compress(Format::Gzip, level, &uncompressed);
    let jobs = vec![
        Job::decompress(Format::Gzip, compressed, OutputSize::Exact(LARGE)),
        Job::decompress(
            Format::Gzip,
            compress(Format::Gzip, level, &Shape::Random.bytes(LARGE)),
            OutputSize::Exact(LARGE),
        ),
    ];
    let mut outcomes = router.submit(jobs).wait();
    assert_eq!(outcomes.remove(0).expect("zeros").output, uncompressed);
    assert_eq!(outcomes.remove(0).expect("random bytes").output, Shape::Random.bytes(LARGE));
    let counts = router.counters().total("iaa-model");
    assert_eq!((counts.done, counts.fell_back_total()), (2, 0), "{counts:?}");
    assert!(model.counters().faults.read_fault >= 5);
}

/// One fault of any kind in seven descriptors, in a long run.
#[test]
fn faults_by_the_dozen() {
    let kinds = [
        Fault::QueueFull,
        Fault::ReadFault,
        Fault::WriteFault,
        Fault::UnresolvedReadFault,
        Fault::OutputOverflow,
        Fault::Analytics(AnalyticsError::DistanceTooFar),
        Fault::Status(Status::HardwareError),
        Fault::Overtaken(5),
        Fault::WrongSize(-7),
        Fault::WrongCrc,
        Fault::WrongBits(4),
    ];
    for seed in 0..30 {
        let options = Options { verify: true, ..options() };
        run(QueueConfig::new(Mode::Shared), options, Faults::none().one_in(7, seed, &kinds), &seed);
    }
}
