//! Each fault at each call of a batch: results are right, and the counters say what happened.

use bytes::Bytes;
use pelton_codec::{Decoder, Format, Level};
use pelton_device_model::dfltcc::{Config, Fault, Faults, Setup, ending_code};
use pelton_job::conformance::corpus::{compress, page};
use pelton_job::{Job, OutputSize};

use crate::support::{NAME, open, router};

const LEN: usize = 30_000;
const JOBS: u64 = 4;

/// Faults, and the reason that is counted for them in a decompression.
const FAULTS: [(Fault, &str); 8] = [
    (Fault::Ends(0), "bad data"),
    (Fault::Ends(ending_code::STORED_LENGTH), "bad data"),
    (Fault::Ends(0xee), "bad data"),
    (Fault::TargetFull, "device fault"),
    (Fault::NoProgress, "device fault"),
    (Fault::ReadsTooMuch, "device fault"),
    (Fault::WritesTooMuch, "device fault"),
    (Fault::WrongCheckValue, "bad data"),
];

fn config(faults: Faults) -> Config {
    Config { is_awkward: false, faults, ..Config::default() }
}

#[test]
fn every_fault_at_every_decompression() {
    let uncompressed = page(LEN);
    let compressed = compress(Format::Gzip, Format::Gzip.default_level(), &uncompressed);
    for (fault, reason) in FAULTS {
        for at in 0..JOBS {
            let (device, model) = open(config(Faults::at(at, fault)));
            let router = router(&device);
            for _ in 0..JOBS {
                let job = Job::decompress(Format::Gzip, compressed.clone(), OutputSize::Exact(LEN));
                assert_eq!(router.submit(job).wait().remove(0).expect("done").output, uncompressed);
            }
            let counts = router.counters().total(NAME);
            assert_eq!(counts.done, JOBS - 1, "{fault:?} at {at}: {counts:?}");
            assert_eq!(counts.fell_back.get(reason).copied(), Some(1), "{fault:?} at {at}: {counts:?}");
            assert_eq!(model.counters().faults, 1);
        }
    }
}

/// A raw stream of unknown length has nothing but the machine's CRC.
#[test]
fn raw_streams_are_compared_with_the_check_value() {
    let uncompressed = page(LEN);
    let compressed = compress(Format::Deflate, Format::Deflate.default_level(), &uncompressed);
    let (device, _) = open(config(Faults::at(0, Fault::WrongCheckValue)));
    let router = router(&device);
    for done in [0, 1] {
        let job = Job::decompress(Format::Deflate, compressed.clone(), OutputSize::AtMost(2 * LEN));
        assert_eq!(router.submit(job).wait().remove(0).expect("done").output, uncompressed);
        assert_eq!(router.counters().total(NAME).done, done);
    }
}

#[test]
fn every_fault_at_every_call_of_a_compression() {
    let uncompressed = page(600_000);
    let level = Level::new(Format::Zlib, 6).expect("a level");
    for (fault, _) in FAULTS {
        // The first two blocks have a table and a compression each. A wrong check value is silent.
        for at in 0..4 {
            if fault == Fault::WrongCheckValue {
                continue;
            }
            let (device, model) = open(config(Faults::at(at, fault)));
            let router = router(&device);
            let job = Job::compress(Format::Zlib, level, uncompressed.clone());
            let output: Bytes = router.submit(job).wait().remove(0).expect("done").output;
            let mut back = vec![0; uncompressed.len()];
            Decoder::new().decompress(Format::Zlib, &output, &mut back).expect("a block");
            assert!(back == uncompressed, "{fault:?} at {at}");
            let counts = router.counters().total(NAME);
            assert_eq!((counts.done, counts.fell_back_total()), (0, 1), "{fault:?} at {at}: {counts:?}");
            assert_eq!(model.counters().faults, 1);
        }
    }
}

/// With verification, a wrong checksum of compressed data is found.
#[test]
fn verified_compressions_are_decompressed() {
    let model = pelton_device_model::dfltcc::Model::new(config(Faults::at(1, Fault::WrongCheckValue)));
    let options = pelton_device_dfltcc::Options { verify: true, ..crate::support::options() };
    let device = crate::support::device(&model, options);
    let router = router(&device);
    let level = Level::new(Format::Zlib, 6).expect("a level");
    for (done, fell_back) in [(0, 1), (1, 1)] {
        let result = router.submit(Job::compress(Format::Zlib, level, page(LEN))).wait().remove(0);
        let mut back = vec![0; LEN];
        Decoder::new().decompress(Format::Zlib, &result.expect("done").output, &mut back).expect("a block");
        assert!(back == page(LEN));
        let counts = router.counters().total(NAME);
        assert_eq!((counts.done, counts.fell_back_total()), (done, fell_back), "{counts:?}");
    }
}

#[test]
fn a_panic_costs_one_job() {
    let (device, _) = open(config(Faults::at(0, Fault::Panics)));
    let router = router(&device);
    let uncompressed = page(LEN);
    let compressed = compress(Format::Gzip, Format::Gzip.default_level(), &uncompressed);
    for done in [0, 1] {
        let job = Job::decompress(Format::Gzip, compressed.clone(), OutputSize::Exact(LEN));
        assert_eq!(router.submit(job).wait().remove(0).expect("done").output, uncompressed);
        let counts = router.counters().total(NAME);
        assert_eq!((counts.done, counts.fell_back.get("panic").copied()), (done, Some(1)), "{counts:?}");
    }
}

#[test]
fn faults_in_turns_lose_no_job() {
    let mut setup = Setup::default();
    setup.set("fault-every", "7").expect("a setting");
    setup.set("cc3-every", "3").expect("a setting");
    let (device, model) = setup.open(NAME).expect("a device");
    let router = router(&device);
    let uncompressed = page(LEN);
    let compressed = compress(Format::Zlib, Format::Zlib.default_level(), &uncompressed);
    let jobs: Vec<Job> =
        (0..100).map(|_| Job::decompress(Format::Zlib, compressed.clone(), OutputSize::Exact(LEN))).collect();
    for result in router.submit(jobs).wait() {
        assert_eq!(result.expect("done").output, uncompressed);
    }
    let counts = router.counters().total(NAME);
    assert!(counts.fell_back_total() > 5 && counts.done > 50, "{counts:?}");
    assert!(model.counters().faults > 10, "{:?}", model.counters());
}
