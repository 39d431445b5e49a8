//! Limits of requests: the engine's byte limit, PowerVM's, and the credits of windows.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use pelton_codec::Format;
use pelton_device_model::nx::{Config, Faults, Model};
use pelton_device_nx::hw::{BYTE_LIMIT, WINDOW_BYTES};
use pelton_device_nx::{Credits, NxDevice};
use pelton_job::conformance::corpus::{Shape, compress, page};
use pelton_job::{Job, OutputSize};

use crate::support::{FORMATS, decompressed, device, level, options, router, run};

const LONG: usize = 1_500_000;

/// Returns faults without any, and the lengths of the longest source and target so far.
fn longest() -> (Faults, Arc<[AtomicU32; 2]>) {
    let longest: Arc<[AtomicU32; 2]> = Arc::default();
    let seen = Arc::clone(&longest);
    let faults = Faults::none().rule(move |offered| {
        seen[0].fetch_max(offered.descriptor.source().len(), SeqCst);
        seen[1].fetch_max(offered.descriptor.target().len(), SeqCst);
        None
    });
    (faults, longest)
}

/// Compresses and decompresses data of several ratios, all on the device.
fn there_and_back(model: &Model, formats: &[Format]) {
    let device = device(model, options());
    let router = router(&device);
    let mut jobs = 0;
    for uncompressed in [page(LONG), Shape::Random.bytes(LONG), Shape::Zeros.bytes(LONG)] {
        for &format in formats {
            let job = |block| Job::decompress(format, block, OutputSize::Exact(LONG));
            for number in [1, 3, 6] {
                let compression = Job::compress(format, level(format, number), uncompressed.clone());
                let block = run(&router, compression);
                assert!(decompressed(format, &block, LONG) == uncompressed, "{format}, level {number}");
                assert!(run(&router, job(block)) == uncompressed, "{format}, level {number}");
                jobs += 2;
            }
            let block = compress(format, format.default_level(), &uncompressed);
            assert!(run(&router, job(block)) == uncompressed, "{format}");
            jobs += 1;
        }
    }
    let counts = router.counters().total("nx-model");
    assert_eq!((counts.done, counts.fell_back_total()), (jobs, 0), "{counts:?}");
}

/// A request names no more of a long source than it can use: the work for a stream is linear in its
/// length.
#[test]
fn sources_end_near_the_byte_limit() {
    let (faults, longest) = longest();
    there_and_back(&Model::new(Config { faults, ..Config::default() }), &FORMATS);
    let [source, _] = &*longest;
    let source = source.load(SeqCst) as usize;
    assert!((BYTE_LIMIT..=BYTE_LIMIT + WINDOW_BYTES).contains(&source), "{source} bytes");
}

#[test]
fn requests_keep_to_the_limit_of_powervm() {
    // A raw stream can't be suspended before its first 32 KB, so it needs requests of more.
    for (max, formats) in [(64 << 10, &FORMATS[1..]), (100_001, &FORMATS[1..]), (1 << 20, &FORMATS[..])] {
        let (faults, longest) = longest();
        let model = Model::new(Config { max_bytes: Some(max), credits: 1, faults, ..Config::default() });
        there_and_back(&model, formats);
        assert_eq!(model.counters().too_long, 0);
        let [source, target] = longest.each_ref().map(|longest| longest.load(SeqCst) as usize);
        assert!(source <= max && source > max / 2 && target == max, "{source} and {target} of {max} bytes");
    }
}

#[test]
fn a_limit_that_is_too_low_is_an_error() {
    let model = Model::new(Config { max_bytes: Some((64 << 10) - 1), ..Config::default() });
    let error = NxDevice::open(model.opener(Credits::Shared), options()).err().expect("an error");
    assert_eq!(error.to_string(), "the system limits requests to 65535 bytes, and 65536 are needed");
}

#[test]
fn windows_have_the_credits_that_were_asked_for() {
    let model = Model::new(Config::default());
    let uncompressed = page(100_000);
    for (credits, is_high) in [(Credits::Shared, false), (Credits::Guaranteed, true)] {
        let device = NxDevice::open(model.opener(credits), options()).expect("an engine");
        let router = router(&device);
        let (gzip, before) = (Format::Gzip, model.counters().high_priority);
        let block = run(&router, Job::compress(gzip, level(gzip, 6), uncompressed.clone()));
        assert_eq!(decompressed(gzip, &block, uncompressed.len()), uncompressed);
        let requests = device.counters().requests;
        assert_eq!(model.counters().high_priority - before, if is_high { requests } else { 0 });
        assert!(requests >= 2 && router.counters().total("nx-model").done == 1);
    }
}
