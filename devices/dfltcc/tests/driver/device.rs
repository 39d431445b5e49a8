//! Support, sequences of calls and results of the device.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::{Duration, Instant};

use bytes::Bytes;
use pelton_codec::{Decoder, Format, Level, compress_bound};
use pelton_device_dfltcc::{Answer, Call, Condition, DfltccDevice, Function, Operands, Options, hw};
use pelton_device_model::dfltcc::{Config, Model, Setup};
use pelton_job::conformance::corpus::{Shape, compress, page};
use pelton_job::{BorrowedJob, Device, Hints, Job, JobError, Operation, OutputSize};

use crate::support::{NAME, assert_no_mistake, device, open, options, router};

const LEN: usize = 100_000;
const FORMATS: [Format; 3] = [Format::Deflate, Format::Zlib, Format::Gzip];

fn plain() -> Config {
    Config { is_awkward: false, ..Config::default() }
}

fn level(format: Format, level: i32) -> Level {
    Level::new(format, level).expect("a level")
}

#[test]
fn what_it_compresses_it_decompresses() {
    let (device, model) = open(Config { again_every: Some(3), ..Config::default() });
    for format in FORMATS {
        for uncompressed in [page(LEN), Shape::Text.bytes(LEN), Vec::new(), vec![7], page(700_000)] {
            let router = router(&device);
            for number in [1, 6] {
                let job = Job::compress(format, level(format, number), uncompressed.clone());
                let compressed = router.submit(job).wait().remove(0).expect("done").output;
                let mut back = vec![0; uncompressed.len()];
                Decoder::new().decompress(format, &compressed, &mut back).expect("a block");
                assert!(back == uncompressed, "{format}, level {number}");
                let job = Job::decompress(format, compressed, OutputSize::Exact(uncompressed.len()));
                assert_eq!(router.submit(job).wait().remove(0).expect("done").output, uncompressed);
            }
            let counts = router.counters().total(NAME);
            assert_eq!((counts.done, counts.fell_back_total()), (4, 0), "{format}: {counts:?}");
        }
    }
    assert_no_mistake(&model);
}

#[test]
fn a_page_is_one_call_and_a_block_two() {
    let (device, _) = open(plain());
    let uncompressed = page(700_000);
    let mut compressed = vec![0; compress_bound(Format::Gzip, uncompressed.len())];
    let gzip = Format::Gzip;
    let done = device
        .run_borrowed(&mut BorrowedJob::compress(gzip, level(gzip, 6), &uncompressed, &mut compressed))
        .expect("done");
    // Blocks of 256 KB, and the rest.
    let counters = device.counters();
    assert_eq!((counters.tables, counters.compressions, counters.repeated), (3, 3, 0), "{counters:?}");
    let mut back = vec![0; uncompressed.len()];
    device
        .run_borrowed(&mut BorrowedJob::decompress(gzip, &compressed[..done.produced], &mut back).exact())
        .expect("done");
    assert!(back == uncompressed);
    assert_eq!((device.counters().expansions, device.counters().ended), (1, 0));
    // The lowest level has fixed codes, and an empty page needs no call.
    let before = device.counters();
    for (bytes, calls) in [(&uncompressed[..LEN], 1), (&[], 0)] {
        let at = device.counters().compressions;
        device
            .run_borrowed(&mut BorrowedJob::compress(gzip, level(gzip, 1), bytes, &mut compressed))
            .expect("done");
        assert_eq!(device.counters().compressions - at, calls);
    }
    assert_eq!(device.counters().tables, before.tables);
}

#[test]
fn better_levels_make_less() {
    let (device, _) = open(plain());
    let uncompressed = Shape::Text.bytes(LEN);
    let sizes = [1, 6].map(|number| {
        let mut output = vec![0; LEN];
        let format = Format::Zlib;
        let mut job = BorrowedJob::compress(format, level(format, number), &uncompressed, &mut output);
        device.run_borrowed(&mut job).expect("done").produced
    });
    assert!(sizes[1] < sizes[0] && sizes[0] < LEN, "{sizes:?}");
}

/// The device has no stored blocks: the CPU gets data that grows beyond its bound.
#[test]
fn data_that_does_not_shrink_is_refused_late_and_counted() {
    let (device, _) = open(plain());
    let router = router(&device);
    let uncompressed = Shape::Random.bytes(3000);
    let job = Job::compress(Format::Gzip, level(Format::Gzip, 6), uncompressed.clone());
    let done = router.submit(job).wait().remove(0).expect("done");
    assert_eq!(&*done.device, "reference", "{} bytes", done.output.len());
    let counts = router.counters().total(NAME);
    assert_eq!((counts.tried, counts.done), (1, 0), "{counts:?}");
    let reason = counts.fell_back.keys().next().expect("a reason");
    assert!(reason.contains("without stored blocks"), "{reason}");
}

#[test]
fn refusals_have_reasons() {
    let (device, _) = open(plain());
    let reason = |job: Job| device.supports(&job.view()).err().map(|refusal| refusal.reason());
    let gzip = |number| Job::compress(Format::Gzip, level(Format::Gzip, number), page(LEN));
    let with_window = |window| gzip(6).with_hints(Hints { window: Some(window), ..Hints::default() });
    assert_eq!(reason(gzip(1)), None);
    assert_eq!(reason(gzip(6)), None);
    assert_eq!(reason(with_window(32_768)), None);
    assert!(reason(gzip(7)).is_some_and(|reason| reason.contains("no such level")));
    assert!(reason(with_window(4096)).is_some_and(|reason| reason.contains("limits the window")));
    let zstd = Job::compress(Format::Zstd, Format::Zstd.default_level(), page(LEN));
    assert!(reason(zstd).is_some_and(|reason| reason.contains("no format but DEFLATE")));
}

/// The stream may still have its end when the output is full.
#[test]
fn an_output_of_exactly_the_right_size_is_enough() {
    let (device, model) = open(Config { again_every: Some(2), ..Config::default() });
    for len in [0, 1, 100, 4096, 65_536, LEN] {
        for format in FORMATS {
            let uncompressed = Shape::Text.bytes(len);
            let compressed = compress(format, format.default_level(), &uncompressed);
            for exact in [true, false] {
                let mut output = vec![0; len];
                let mut job = BorrowedJob::decompress(format, &compressed, &mut output);
                job.exact = exact;
                let done = device.run_borrowed(&mut job).expect("done");
                assert_eq!((done.produced, done.consumed), (len, compressed.len()), "{format}, {len}");
                assert!(output == uncompressed);
            }
            if len > 0 {
                let mut short = vec![0; len - 1];
                let mut job = BorrowedJob::decompress(format, &compressed, &mut short);
                assert!(device.run_borrowed(&mut job).is_err(), "{format}, {len}");
            }
        }
    }
    assert!(device.counters().target_full > 0);
    assert_no_mistake(&model);
}

#[test]
fn members_of_a_gzip_block_follow_one_another() {
    let (device, _) = open(plain());
    let parts = [page(10_000), Vec::new(), Shape::Text.bytes(LEN)];
    let members: Vec<Bytes> =
        parts.iter().map(|part| compress(Format::Gzip, Format::Gzip.default_level(), part)).collect();
    let mut output = vec![0; parts.concat().len()];
    let input = members.concat();
    let mut job = BorrowedJob::decompress(Format::Gzip, &input, &mut output).exact();
    let done = device.run_borrowed(&mut job).expect("done");
    assert_eq!((done.consumed, done.produced), (input.len(), output.len()));
    assert!(output == parts.concat());
    // The empty member needs no output, and the last one a second call only if it is full.
    assert!(device.counters().expansions >= 3, "{:?}", device.counters());
}

#[test]
fn damaged_data_is_checked_by_the_cpu() {
    let (device, _) = open(plain());
    let router = router(&device);
    let mut compressed = compress(Format::Gzip, Format::Gzip.default_level(), &page(LEN)).to_vec();
    let middle = compressed.len() / 2;
    compressed[middle] ^= 0x55;
    let job = Job::decompress(Format::Gzip, compressed, OutputSize::Exact(LEN));
    let error = router.submit(job).wait().remove(0).expect_err("damaged");
    assert!(matches!(error, JobError::Codec { .. } | JobError::WrongSize { .. }), "{error}");
    let counts = router.counters().total(NAME);
    assert_eq!((counts.tried, counts.fell_back.get("bad data").copied()), (1, Some(1)), "{counts:?}");
}

/// Output depends on where operands are in their pages, and is the same data.
#[test]
fn two_runs_may_differ_and_decompress_alike() {
    let (device, _) = open(Config::default());
    let uncompressed: Vec<u8> = (0..LEN as u32 / 4).flat_map(|at| (at * at % 5003).to_le_bytes()).collect();
    let mut results = Vec::new();
    let mut memory = vec![0; 2 * LEN];
    for offset in 0..16 {
        let format = Format::Deflate;
        let output = &mut memory[offset * 200..][..LEN];
        let mut job = BorrowedJob::compress(format, level(format, 6), &uncompressed, output);
        let produced = device.run_borrowed(&mut job).expect("done").produced;
        let mut back = vec![0; LEN];
        let compressed = &memory[offset * 200..][..produced];
        Decoder::new().decompress(format, compressed, &mut back).expect("a block");
        assert!(back == uncompressed);
        results.push(compressed.to_vec());
    }
    results.sort();
    results.dedup();
    assert!(results.len() > 1, "all runs gave the same bytes");
}

/// The driver expects what the paper publishes, of which `pelton-nxu` has the numbers.
#[test]
fn the_prior_cost_is_published() {
    let (device, _) = open(plain());
    let engine = pelton_nxu::Config::Z15;
    let gzip = Format::Gzip;
    let compression = Operation::Compress { format: gzip, level: level(gzip, 6) };
    let operations =
        [(compression, engine.compress), (Operation::Decompress { format: gzip }, engine.decompress)];
    for (operation, setups) in operations {
        let cost = device.prior_cost(operation);
        assert_eq!(cost.setup, Duration::from_secs_f64(setups.alone.seconds), "{operation:?}");
        // The share of each worker.
        let shared = setups.shared.bandwidth() / device.worker_count() as f64;
        assert!((cost.bytes_per_second / shared - 1.0).abs() < 1e-9, "{operation:?}: {cost:?}");
    }
}

#[test]
fn settings_make_a_model() {
    let mut setup = Setup::default();
    setup.set("cc3-every", "1").expect("a setting");
    setup.set("seed", "9").expect("a setting");
    assert_eq!(
        (setup.set("seed", "x"), setup.set("speed", "1"), setup.set("fault-every", "0")),
        (None, None, None)
    );
    let (device, model) = setup.open(NAME).expect("a device");
    let router = router(&device);
    let uncompressed = page(LEN);
    let compressed = compress(Format::Zlib, Format::Zlib.default_level(), &uncompressed);
    let job = Job::decompress(Format::Zlib, compressed, OutputSize::Exact(LEN));
    assert_eq!(router.submit(job).wait().remove(0).expect("done").output, uncompressed);
    assert!(
        model.counters().again > 0 && model.report(NAME).contains("modelled: 1 streams"),
        "{}",
        model.report(NAME)
    );
    let time = model.modelled_time();
    assert_eq!((time.streams, time.expanded), (1, LEN as u64));
    let operation = Operation::Decompress { format: Format::Zlib };
    assert_eq!(router.counters().row(NAME, operation).done, 1);
}

/// A processor that gives the same answer to every call.
struct Liar {
    answer: Answer,
    /// Whether it holds output back after each call.
    is_continued: bool,
    ending_code: u8,
    calls: AtomicU64,
}

impl Liar {
    fn new(answer: Answer) -> Liar {
        Liar { answer, is_continued: false, ending_code: 0, calls: AtomicU64::new(0) }
    }
}

impl Call for Liar {
    fn available(&self) -> hw::AvailableFunctions {
        hw::AvailableFunctions::with(&[Function::GenerateTable, Function::Compress, Function::Expand])
    }

    fn call(&self, _: Function, block: &mut hw::ParameterBlock, operands: Operands<'_>) -> Answer {
        // An endless loop is a failed test.
        assert!(self.calls.fetch_add(1, SeqCst) < MANY_CALLS, "{:?} for ever", self.answer);
        block.set_continued(self.is_continued);
        block.set_ending_code(self.ending_code);
        let Answer { condition, written, read } = self.answer;
        Answer { condition, written: fit(written, operands.target), read: fit(read, operands.source) }
    }
}

/// More calls than any job of these tests takes.
const MANY_CALLS: u64 = 10_000;
/// A count of all bytes of an operand.
const ALL: usize = usize::MAX;

fn fit(count: usize, operand: &[u8]) -> usize {
    if count == ALL { operand.len() } else { count }
}

#[test]
fn impossible_answers_are_faults_and_not_data() {
    let uncompressed = page(1000);
    let compressed = compress(Format::Zlib, Format::Zlib.default_level(), &uncompressed);
    for answer in [
        Answer { condition: Condition::Done, written: 1001, read: 0 },
        Answer { condition: Condition::Done, written: 0, read: 1 << 20 },
        Answer { condition: Condition::TargetFull, written: 1, read: 1 },
        Answer { condition: Condition::Again, written: 0, read: 0 },
    ] {
        let device =
            DfltccDevice::new(Arc::new(Liar::new(answer)), options()).expect("it claims all functions");
        let router = router(&device);
        let job = Job::decompress(Format::Zlib, compressed.clone(), OutputSize::Exact(1000));
        assert_eq!(router.submit(job).wait().remove(0).expect("done").output, uncompressed);
        let counts = router.counters().total(NAME);
        assert_eq!(counts.fell_back.get("device fault").copied(), Some(1), "{answer:?}: {counts:?}");
    }
}

/// Whatever a processor answers for ever, jobs end with the right bytes.
#[test]
fn every_answer_for_ever() {
    let uncompressed = page(5000);
    let zlib = Format::Zlib;
    let compressed = compress(zlib, zlib.default_level(), &uncompressed);
    let jobs = [
        Job::compress(zlib, level(zlib, 1), uncompressed.clone()),
        Job::compress(zlib, level(zlib, 6), uncompressed.clone()),
        Job::decompress(zlib, compressed, OutputSize::Exact(uncompressed.len())),
    ];
    let conditions = [Condition::Done, Condition::TargetFull, Condition::Ended, Condition::Again];
    let counts = [0, 1, ALL].into_iter().flat_map(|written| [0, 1, ALL].map(|read| (written, read)));
    for (written, read) in counts {
        for condition in conditions {
            for (is_continued, ending_code) in [(false, 0), (true, 0), (false, 0x12), (true, 0x12)] {
                let answer = Answer { condition, written, read };
                for job in &jobs {
                    let liar = Liar { is_continued, ending_code, ..Liar::new(answer) };
                    let options = Options { verify: true, ..options() };
                    let device = DfltccDevice::new(Arc::new(liar), options).expect("it claims all functions");
                    let router = router(&device);
                    let what = (answer, is_continued, ending_code, job.operation);
                    let output = router.submit(job.clone()).wait().remove(0).expect("done").output;
                    let output = match job.operation {
                        Operation::Compress { .. } => {
                            let mut back = vec![0; uncompressed.len()];
                            Decoder::new().decompress(zlib, &output, &mut back).expect("a block");
                            Bytes::from(back)
                        }
                        _ => output,
                    };
                    assert!(output == uncompressed, "{what:?}");
                    let counts = router.counters().total(NAME);
                    assert_eq!(
                        (counts.done, counts.fell_back.get("panic")),
                        (0, None),
                        "{what:?}: {counts:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn dropped_devices_end_their_threads() {
    let model = Model::new(plain());
    let weak = {
        let device = device(&model, options());
        let router = router(&device);
        let compressed = compress(Format::Gzip, Format::Gzip.default_level(), &page(LEN));
        let jobs: Vec<Job> = (0..50)
            .map(|_| Job::decompress(Format::Gzip, compressed.clone(), OutputSize::Exact(LEN)))
            .collect();
        for result in router.submit(jobs).wait() {
            assert_eq!(result.expect("done").output.len(), LEN);
        }
        assert_eq!(device.counters().expansions, 50);
        Arc::downgrade(&device)
    };
    // The thread of the last job may still hold the router. The limit only ends a test that hangs.
    let start = Instant::now();
    while weak.upgrade().is_some() && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(weak.upgrade().is_none());
}
