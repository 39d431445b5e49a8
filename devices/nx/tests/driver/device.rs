//! Support and results of the device: tables, sizes, forks, time limits.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};

use pelton_codec::Format;
use pelton_device_model::nx::{Config, Fault, Faults, Model, Timing};
use pelton_device_nx::hw::{Completion, Function};
use pelton_device_nx::{Credits, NxDevice, Opener, Options};
use pelton_job::conformance::corpus::{Shape, compress, page};
use pelton_job::{Batch, BorrowedJob, Device, Hints, Job, JobError, Operation, OutputSize};

use crate::support::{FORMATS, decompressed, device, level, model, options, router, run};

const LEN: usize = 100_000;

const COUNTS: Function = Function::Compress { dynamic: false, count: true, resume: false };
const WRITES: Function = Function::Compress { dynamic: true, count: false, resume: false };
const WRITES_AND_COUNTS: Function = Function::Compress { dynamic: true, count: true, resume: false };

fn requests(model: &Model, function: Function) -> u64 {
    model.counters().functions.get(&function.code()).copied().unwrap_or(0)
}

#[test]
fn a_compression_of_two_passes_counts_first() {
    let model = model(Faults::none());
    let device = device(&model, options());
    let uncompressed = page(LEN);
    for format in FORMATS {
        let router = router(&device);
        let compressed = run(&router, Job::compress(format, level(format, 6), uncompressed.clone()));
        assert_eq!(decompressed(format, &compressed, LEN), uncompressed);
        let exact = Job::decompress(format, compressed, OutputSize::Exact(LEN));
        assert_eq!(run(&router, exact), uncompressed);
        let counts = router.counters().total("nx-model");
        assert_eq!((counts.done, counts.fell_back_total()), (2, 0), "{counts:?}");
    }
    assert_eq!((requests(&model, COUNTS), requests(&model, WRITES)), (3, 3));
    assert_eq!((device.counters().requests, device.counters().table_made), (9, 3));
}

#[test]
fn the_lowest_level_takes_the_table_of_the_job_before() {
    let model = model(Faults::none());
    let device = device(&model, options());
    let router = router(&device);
    let job = |shape: Shape, key| {
        let hints = Hints { affinity_key: Some(key), ..Hints::default() };
        Job::compress(Format::Gzip, level(Format::Gzip, 1), shape.bytes(LEN)).with_hints(hints)
    };
    for _ in 0..4 {
        let block = run(&router, job(Shape::Text, 1));
        assert_eq!(decompressed(Format::Gzip, &block, LEN), Shape::Text.bytes(LEN));
    }
    assert_eq!((requests(&model, COUNTS), requests(&model, WRITES_AND_COUNTS)), (1, 4));
    assert_eq!(device.counters().table_reused, 3);
    // Other data with the same key: the table has a code for every symbol.
    let block = run(&router, job(Shape::Integers, 1));
    assert_eq!(decompressed(Format::Gzip, &block, LEN), Shape::Integers.bytes(LEN));
    run(&router, job(Shape::Text, 2));
    assert_eq!((requests(&model, COUNTS), device.counters().table_reused), (2, 4));
}

/// The engine counts 32 KB for each 256 KB.
#[test]
fn middle_levels_sample() {
    let model = model(Faults::none());
    let device = device(&model, options());
    let router = router(&device);
    let uncompressed = Shape::Text.bytes(600_000);
    let block = run(&router, Job::compress(Format::Zlib, level(Format::Zlib, 3), uncompressed.clone()));
    assert_eq!(decompressed(Format::Zlib, &block, 600_000), uncompressed);
    let read = model.clock().bytes_in;
    assert_eq!(read, 600_000 + 3 * (32 << 10) + 4 * (32 << 10), "data, samples and histories");
}

#[test]
fn data_that_does_not_shrink_is_stored() {
    let device = device(&model(Faults::none()), options());
    let uncompressed = Shape::Random.bytes(LEN);
    for format in FORMATS {
        let router = router(&device);
        let block = run(&router, Job::compress(format, level(format, 6), uncompressed.clone()));
        assert_eq!(decompressed(format, &block, LEN), uncompressed);
        assert!(block.len() < LEN + 100, "{}", block.len());
        assert_eq!(router.counters().total("nx-model").done, 1);
    }
    assert_eq!(device.counters().stored, 3);
}

/// A stream of many megabytes, compressed in pieces with histories, and suspended at the limit.
#[test]
fn long_streams() {
    const LONG: usize = 5_000_000;
    let model = model(Faults::none());
    let device = device(&model, options());
    let router = router(&device);
    let uncompressed = page(LONG);
    let block = run(&router, Job::compress(Format::Gzip, level(Format::Gzip, 6), uncompressed.clone()));
    assert_eq!(decompressed(Format::Gzip, &block, LONG), uncompressed);
    assert_eq!(run(&router, Job::decompress(Format::Gzip, block, OutputSize::Exact(LONG))), uncompressed);
    assert_eq!(router.counters().total("nx-model").done, 2);
    // The first limit is reached after 1 MB, the others with 32 KB of history in it.
    assert_eq!(device.counters().resumed, 4);
}

#[test]
fn members_of_gzip_are_streams_of_their_own() {
    let device = device(&model(Faults::none()), options());
    let router = router(&device);
    let parts = [Shape::Text.bytes(5000), Shape::Zeros.bytes(70_000), Shape::Random.bytes(100)];
    let members: Vec<_> =
        parts.iter().map(|part| compress(Format::Gzip, Format::Gzip.default_level(), part)).collect();
    let (block, uncompressed) = (members.concat(), parts.concat());
    let job = Job::decompress(Format::Gzip, block, OutputSize::Exact(uncompressed.len()));
    assert_eq!(run(&router, job), uncompressed);
    assert_eq!((device.counters().requests, router.counters().total("nx-model").done), (3, 1));
}

#[test]
fn unsupported_jobs_have_reasons() {
    let device = device(&model(Faults::none()), options());
    let reason = |job: Job| device.supports(&job.view()).map_err(|unsupported| unsupported.reason());
    let gzip = |number| Job::compress(Format::Gzip, level(Format::Gzip, number), page(10));
    assert_eq!(reason(gzip(6)), Ok(()));
    assert_eq!(reason(gzip(7)), Err("the device has no such level"));
    assert_eq!(reason(gzip(0)), Err("the device has no such level"));
    let hints = |window| Hints { window: Some(window), ..Hints::default() };
    assert!(reason(gzip(6).with_hints(hints(32_767))).is_err());
    assert_eq!(reason(gzip(6).with_hints(hints(32_768))), Ok(()));
    assert_eq!(reason(Job::compress(Format::Gzip, level(Format::Gzip, 6), "")), Err("the input is empty"));
    let snappy = Job::decompress(Format::Snappy, "x", OutputSize::Exact(1));
    assert_eq!(reason(snappy), Err("the device knows no format but DEFLATE"));
}

/// The driver expects what the paper publishes, of which `pelton-nxu` has the numbers.
#[test]
fn the_prior_cost_is_published() {
    let device = device(&model(Faults::none()), options());
    let Timing { compress_latency, decompress_latency, compress, decompress, .. } = Config::default().timing;
    let gzip = Format::Gzip;
    let cost = device.prior_cost(Operation::Compress { format: gzip, level: level(gzip, 6) });
    // Two passes.
    assert_eq!(cost.setup, compress_latency);
    assert!((cost.bytes_per_second / (compress / 2.0) - 1.0).abs() < 1e-9, "{cost:?}");
    let cost = device.prior_cost(Operation::Decompress { format: gzip });
    assert_eq!(cost.setup, decompress_latency);
    assert!((cost.bytes_per_second / decompress - 1.0).abs() < 1e-9, "{cost:?}");
}

#[test]
fn many_jobs_are_in_flight() {
    let model = Model::new(Config { engines: 2, ..Config::default() });
    let device = device(&model, Options { engines: 2, in_flight: 5, ..options() });
    let router = router(&device);
    let uncompressed = Shape::Integers.bytes(20_000);
    let block = compress(Format::Zlib, Format::Zlib.default_level(), &uncompressed);
    let job = Job::decompress(Format::Zlib, block, OutputSize::Exact(20_000));
    let batch: Batch = std::iter::repeat_n(job, 200).collect();
    let start = Instant::now();
    for result in router.submit(batch).wait() {
        assert_eq!(result.expect("done").output, uncompressed);
    }
    let elapsed = start.elapsed();
    let counts = router.counters().total("nx-model");
    // Requests that wait for each other share the engine's time: the router learns from it.
    assert!(!counts.time.is_zero() && counts.time <= 2 * elapsed, "{:?} of {elapsed:?}", counts.time);
    assert_eq!((counts.done, counts.fell_back_total(), device.counters().requests), (200, 0, 200));
    assert_eq!(device.description(), "software model, 2 engines, 10 requests in flight");
}

/// A forked process opens windows of its own. The parent's are not closed when the child ends.
#[test]
fn a_window_belongs_to_its_process() {
    static PROCESS: AtomicU32 = AtomicU32::new(1);
    let model = model(Faults::none());
    let opened = Arc::new(AtomicUsize::new(0));
    let opener: Opener = {
        let (model, opened) = (model.clone(), Arc::clone(&opened));
        Arc::new(move |engine| match opened.fetch_add(1, SeqCst) {
            0 | 2 => model.open(engine, Credits::Shared),
            _ => Err(io::ErrorKind::OutOfMemory.into()),
        })
    };
    let device = NxDevice::open(opener, Options { process: || PROCESS.load(SeqCst), ..options() });
    let device = device.expect("a window");
    let uncompressed = page(LEN);
    let block = compress(Format::Gzip, Format::Gzip.default_level(), &uncompressed);
    let mut back = vec![0; LEN];
    let mut decompress = || {
        let mut job = BorrowedJob::decompress(Format::Gzip, &block, &mut back).exact();
        device.run_borrowed(&mut job).map(|done| done.produced).map_err(|failure| failure.reason())
    };
    assert_eq!(decompress(), Ok(LEN));
    PROCESS.store(2, SeqCst);
    assert_eq!(decompress(), Err("device lost"), "the second window can't be opened");
    assert_eq!((decompress(), opened.load(SeqCst)), (Err("device lost"), 2), "it rests");
    std::thread::sleep(Duration::from_millis(1100));
    assert_eq!((decompress(), opened.load(SeqCst)), (Ok(LEN), 3));
    PROCESS.store(1, SeqCst);
    assert_eq!((decompress(), opened.load(SeqCst)), (Ok(LEN), 3), "the parent still has its own");
}

#[test]
fn a_device_without_engines_is_an_error() {
    let model = model(Faults::none());
    let opener = model.opener(Credits::Shared);
    let error = NxDevice::open(opener, Options { engines: 2, ..options() }).err().expect("an error");
    assert!(error.to_string().contains("not found"), "{error}");
}

/// Bad data of a device is checked on the CPU; a wrong complaint costs a fallback.
#[test]
fn a_false_complaint_costs_a_fallback() {
    let faults = Faults::none().at(0, Fault::Code(Completion::TooFar));
    let device = device(&model(faults), options());
    let router = router(&device);
    let uncompressed = page(LEN);
    let block = compress(Format::Gzip, Format::Gzip.default_level(), &uncompressed);
    assert_eq!(run(&router, Job::decompress(Format::Gzip, block, OutputSize::Exact(LEN))), uncompressed);
    let counts = router.counters().total("nx-model");
    assert_eq!((counts.done, counts.fell_back.get("bad data").copied()), (0, Some(1)), "{counts:?}");
}

#[test]
fn damaged_data_is_an_error_with_the_cpus_words() {
    let device = device(&model(Faults::none()), options());
    let router = router(&device);
    let mut block = compress(Format::Gzip, Format::Gzip.default_level(), &page(LEN)).to_vec();
    let middle = block.len() / 2;
    block[middle] ^= 0x55;
    let job = Job::decompress(Format::Gzip, block, OutputSize::Exact(LEN));
    assert!(matches!(router.submit(job).wait().remove(0), Err(JobError::Codec { .. })));
    let short = compress(Format::Gzip, Format::Gzip.default_level(), &page(LEN)).slice(..5000);
    let job = Job::decompress(Format::Gzip, short, OutputSize::Exact(LEN));
    let error = router.submit(job).wait().remove(0).expect_err("it is truncated");
    assert!(error.to_string().contains("ends before"), "{error}");
}
