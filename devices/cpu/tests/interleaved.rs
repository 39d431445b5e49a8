//! Choice of interleaved or single decoding, read from the counters, so that a fall-back to single
//! decoding fails a test.

use std::sync::Arc;

use pelton_codec::{BatchInflater, BatchIsaLevel, Decoder, Format};
use pelton_device_cpu::CpuDevice;
use pelton_job::conformance::corpus::{Shape, compress, decompress_job, page};
use pelton_job::{Batch, Counts, Device, Job, JobError, Operation, OutputSize, Router};

const FORMATS: [Format; 3] = [Format::Deflate, Format::Zlib, Format::Gzip];
const LEN: usize = 60_000;

/// Returns a router over one thread, which receives all tasks before it takes the first, so that
/// its choices are reproducible.
fn router() -> Arc<Router> {
    Router::builder().device(CpuDevice::builder().threads(1).build()).build()
}

fn run(jobs: Vec<Job>) -> Counts {
    let router = router();
    let expected = jobs.len();
    assert_eq!(
        router.submit(Batch::from(jobs)).wait().iter().filter(|outcome| outcome.is_ok()).count(),
        expected
    );
    router.counters().total("cpu")
}

/// Returns `count` if the processor decodes interleaved; otherwise 0, with a message.
fn if_batched(count: u64) -> u64 {
    match BatchInflater::new().isa_level() {
        BatchIsaLevel::OneByOne => {
            println!("one by one: this processor has no AVX2, or no BMI2");
            0
        }
        _ => count,
    }
}

#[test]
fn pages_of_every_container_are() {
    let plain = page(LEN);
    for format in FORMATS {
        let counts = run((0..64).map(|_| decompress_job(format, &plain)).collect());
        // 30 twice, and the last four.
        assert_eq!((counts.done, counts.interleaved), (64, if_batched(64)), "{format}");
    }
    let mixed = (0..64).map(|index| decompress_job(FORMATS[index % 3], &plain)).collect();
    assert_eq!(run(mixed).interleaved, if_batched(64));
}

/// On any processor.
#[test]
fn blocks_of_snappy_are() {
    let plain = page(LEN);
    for (count, beside) in [(2, 0), (3, 3), (64, 64)] {
        let counts = run((0..count).map(|_| decompress_job(Format::Snappy, &plain)).collect());
        assert_eq!((counts.done, counts.interleaved), (count, beside));
    }
}

#[test]
fn tasks_without_a_gain_are_not() {
    let plain = page(LEN);
    let alike = |job: Job, count: usize| run(vec![job; count]).interleaved;
    assert_eq!(alike(decompress_job(Format::Gzip, &plain), 2), 0, "two streams");
    assert_eq!(alike(decompress_job(Format::Gzip, &plain[..1024]), 50), 0, "small streams");
    assert_eq!(alike(decompress_job(Format::Gzip, &Shape::Random.bytes(LEN)), 50), 0, "stored blocks");
    assert_eq!(alike(decompress_job(Format::Gzip, &Shape::Zeros.bytes(1 << 22)), 50), 0, "long runs");
    assert_eq!(alike(decompress_job(Format::Zstd, &plain), 50), 0, "another format");
    let format = Format::Gzip;
    assert_eq!(alike(Job::compress(format, format.default_level(), plain), 50), 0, "compression");
}

#[test]
fn others_in_between_do_not_matter() {
    let plain = page(LEN);
    let jobs = (0..60).map(|index| decompress_job([Format::Gzip, Format::Zstd][index % 2], &plain));
    assert_eq!(run(jobs.collect()).interleaved, if_batched(30));
}

/// The last streams are damaged, so that whatever was before them is still to be written when that
/// shows.
#[test]
fn damaged_streams_are_decoded_again_alone() {
    let plain = page(LEN);
    let whole = compress(Format::Gzip, Format::Gzip.default_level(), &plain);
    let cut = whole.slice(..whole.len() - 9);
    let expected = Decoder::new().decompress(Format::Gzip, &cut, &mut vec![0; LEN]).unwrap_err();
    let router = router();
    let jobs = (0..10).map(|index| if index % 5 == 4 { cut.clone() } else { whole.clone() });
    let jobs: Batch =
        jobs.map(|input| Job::decompress(Format::Gzip, input, OutputSize::Exact(LEN))).collect();
    for (index, outcome) in router.submit(jobs).wait().into_iter().enumerate() {
        match outcome {
            Ok(done) => assert!(index % 5 != 4 && done.output == plain),
            Err(JobError::Codec { error, .. }) => {
                assert_eq!((index % 5, error), (4, expected.clone()));
            }
            Err(other) => panic!("{other}"),
        }
    }
    let counts = router.counters().row("cpu", Operation::Decompress { format: Format::Gzip });
    assert_eq!((counts.done, counts.failed, counts.interleaved), (8, 2, if_batched(8)));
}

#[test]
fn the_device_says_how() {
    let name = BatchInflater::new().isa_level().name();
    assert!(CpuDevice::builder().build().description().ends_with(name));
}
