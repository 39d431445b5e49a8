//! Measures the costs in `src/seeds.rs`: run it on a machine of a new kind and compare.
//!
//! `cargo run --release -p pelton-device-cpu --example measure_seeds`
//!
//! A page is half slowly growing integers, three eighths text, one eighth random bytes. The time of
//! a page is the least of several runs on one thread; a line through the times for a small page and
//! a large one gives setup and bandwidth. Where a small page is quicker for its bytes than a large
//! one (it has fewer places to look for matches in) the line is laid from the least setup through
//! the large page.

use std::time::{Duration, Instant};

use pelton_codec::{Checksum, Format, Level, compress_bound};
use pelton_device_cpu::CpuDevice;
use pelton_job::conformance::corpus::{Shape, compress};
use pelton_job::{BorrowedJob, Router};

const SMALL: usize = 4 << 10;
const LARGE: usize = 512 << 10;
/// Returns the time of a call with nothing to do, in seconds: the checksum of no bytes measures as
/// this.
const LEAST_SETUP: f64 = 0.4e-6;
/// Time given to each size of each operation.
const BUDGET: Duration = Duration::from_millis(60);
const FEWEST_RUNS: usize = 3;

fn page(len: usize) -> Vec<u8> {
    let shapes = [(Shape::Integers, len / 2), (Shape::Text, len * 3 / 8), (Shape::Random, len / 8)];
    shapes.into_iter().flat_map(|(shape, part)| shape.bytes(part)).collect()
}

/// The least time that one run took.
fn least(mut run: impl FnMut()) -> Duration {
    let start = Instant::now();
    let mut least = Duration::MAX;
    let mut runs = 0;
    while runs < FEWEST_RUNS || start.elapsed() < BUDGET {
        let start = Instant::now();
        run();
        least = least.min(start.elapsed());
        runs += 1;
    }
    least
}

fn print(operation: &str, name: &str, level: &str, time: impl Fn(usize) -> Duration) {
    let (small, large) = (time(SMALL), time(LARGE));
    let slope = (large.as_secs_f64() - small.as_secs_f64()) / (LARGE - SMALL) as f64;
    let setup = (small.as_secs_f64() - slope * SMALL as f64).max(LEAST_SETUP);
    let per_byte = (large.as_secs_f64() - setup) / LARGE as f64;
    println!("{operation:10} {name:10} {level:>5} {:8.1} us {:8.0} MB/s", setup * 1e6, 1e-6 / per_byte);
}

fn main() {
    let router = Router::builder().device(CpuDevice::builder().build()).build();
    let run = |mut job: BorrowedJob<'_>| {
        if let Err(error) = router.run_one(&mut job) {
            eprintln!("{:?}: {error}", job.operation);
        }
    };
    for format in Format::ALL {
        print("decompress", format.name(), "", |len| {
            let plain = page(len);
            let packed = compress(format, format.default_level(), &plain);
            let mut output = vec![0; len];
            least(|| run(BorrowedJob::decompress(format, &packed, &mut output)))
        });
        let numbers: Vec<i32> = format.levels().map_or(vec![], Iterator::collect);
        let levels = numbers.into_iter().filter_map(|n| Level::new(format, n).ok());
        for level in levels.chain(format.levels().is_none().then(|| format.default_level())) {
            print("compress", format.name(), &level.value().to_string(), |len| {
                let plain = page(len);
                let mut output = vec![0; compress_bound(format, len)];
                least(|| run(BorrowedJob::compress(format, level, &plain, &mut output)))
            });
        }
    }
    for kind in Checksum::ALL {
        print("checksum", kind.name(), "", |len| {
            let plain = page(len);
            least(|| run(BorrowedJob::checksum(kind, &plain)))
        });
    }
}
