//! Answers that an engine repeats for ever: each job ends, with the right bytes.

use std::time::Duration;

use pelton_codec::Format;
use pelton_device_model::nx::{Config, Fault, Faults, Model, Offered};
use pelton_device_nx::Options;
use pelton_device_nx::hw::{Completion, Function, Status};
use pelton_job::conformance::corpus::{Shape, compress};
use pelton_job::{Job, Operation, OutputSize};

use crate::support::{decompressed, device, level, options, router};

const GZIP: Format = Format::Gzip;
/// Requests after which the engine works, so that an endless loop is a failed test.
const ENOUGH: u64 = 1000;
/// More requests than any job of these tests takes.
const MANY: u64 = 500;

/// Returns compressions at each kind of level, and a decompression.
fn jobs(uncompressed: &[u8]) -> Vec<Job> {
    let block = compress(GZIP, GZIP.default_level(), uncompressed);
    let mut jobs: Vec<Job> =
        [1, 3, 6].map(|number| Job::compress(GZIP, level(GZIP, number), uncompressed.to_vec())).to_vec();
    jobs.push(Job::decompress(GZIP, block, OutputSize::Exact(uncompressed.len())));
    jobs
}

/// Runs each job with a router and a model of its own. Returns the most requests of one, and the
/// number that the device completed.
fn run(
    uncompressed: &[u8],
    jobs: &[Job],
    config: Config,
    options: &Options,
    what: &dyn std::fmt::Debug,
) -> (u64, u64) {
    let (mut most, mut done) = (0, 0);
    for job in jobs {
        let model = Model::new(config.clone());
        let device = device(&model, options.clone());
        let router = router(&device);
        let result = router.submit(job.clone()).wait().remove(0);
        let output = result.unwrap_or_else(|error| panic!("{what:?}: {:?}: {error}", job.operation)).output;
        let is_right = match job.operation {
            Operation::Decompress { .. } => output == uncompressed,
            _ => decompressed(GZIP, &output, uncompressed.len()) == uncompressed,
        };
        assert!(is_right, "{what:?}: {:?}", job.operation);
        most = most.max(model.counters().accepted);
        done += router.counters().total("nx-model").done;
    }
    (most, done)
}

fn for_ever(rule: impl Fn(&Offered<'_>) -> Option<Fault> + Send + Sync + 'static) -> Config {
    let faults =
        Faults::none().rule(move |offered| (offered.index < ENOUGH).then(|| rule(offered)).flatten());
    // A stream is suspended after every 4096 bytes that follow its history.
    Config { high_limit: 36 << 10, faults, ..Config::default() }
}

/// Kinds of requests that get the answer.
const KINDS: [fn(Function) -> bool; 5] = [
    |_| true,
    |function| matches!(function, Function::Compress { dynamic: true, .. }),
    |function| matches!(function, Function::Compress { dynamic: false, .. }),
    |function| matches!(function, Function::Decompress { .. }),
    |function| function.is_resume(),
];

#[test]
fn every_code_for_ever() {
    let uncompressed = Shape::Text.bytes(50_000);
    let jobs = jobs(&uncompressed);
    for (number, is_kind) in KINDS.into_iter().enumerate() {
        for code in Completion::ALL {
            let config = for_ever(move |offered| {
                offered.descriptor.function().filter(|function| is_kind(*function)).map(|_| Fault::Code(code))
            });
            let (most, _) = run(&uncompressed, &jobs, config, &options(), &(number, code));
            assert!(most < MANY, "{code:?} for requests of kind {number}: {most} requests");
        }
    }
}

/// Statuses of any code, whether terminated or not, with counts that lie.
#[test]
fn every_answer_for_ever() {
    const LEN: u32 = 2000;
    let uncompressed = Shape::Text.bytes(LEN as usize);
    let jobs = jobs(&uncompressed);
    let known = Completion::ALL.map(|code| code as u8);
    for code in 0..=u8::MAX {
        let counts: &[u32] = if known.contains(&code) { &[0, 1, LEN, u32::MAX] } else { &[0] };
        for extension in [0, Status::PARTIAL, Status::TERMINATED] {
            for target_bytes in counts {
                for source_bytes in counts {
                    let extension = extension | Status::HAS_COUNT;
                    let status = Status { code, extension, target_bytes: *target_bytes, address: 0 };
                    let fault = Fault::Answer(status, *source_bytes);
                    let options = Options { verify: true, ..options() };
                    let (most, done) =
                        run(&uncompressed, &jobs, for_ever(move |_| Some(fault)), &options, &fault);
                    // A piece without space for its blocks is stored.
                    let is_stored = code == Completion::TargetFull as u8;
                    assert!(
                        most < MANY && (done == 0 || is_stored),
                        "{fault:?}: {most} requests, {done} done"
                    );
                }
            }
        }
    }
}

/// A symbol without a code, whichever table the request has: counted, then with codes for all.
#[test]
fn a_table_with_all_codes_is_the_last_one() {
    let uncompressed = Shape::Text.bytes(50_000);
    let fault = |offered: &Offered<'_>| {
        let is_dynamic =
            matches!(offered.descriptor.function(), Some(Function::Compress { dynamic: true, .. }));
        is_dynamic.then_some(Fault::Code(Completion::InvalidCode))
    };
    let config = Config { high_limit: 1 << 20, ..for_ever(fault) };
    for (number, expected) in [(1, 3), (3, 2), (6, 3)] {
        let jobs = [Job::compress(GZIP, level(GZIP, number), uncompressed.clone())];
        let requests = run(&uncompressed, &jobs, config.clone(), &options(), &number);
        assert_eq!(requests, (expected, 0), "level {number}");
    }
}

#[test]
fn every_fault_for_ever() {
    let uncompressed = Shape::Text.bytes(20_000);
    let jobs = jobs(&uncompressed);
    for fault in [Fault::SourceFault, Fault::TargetFault, Fault::ForeignFault] {
        let (most, done) = run(&uncompressed, &jobs, for_ever(move |_| Some(fault)), &options(), &fault);
        assert!(most < MANY && done == 0, "{fault:?}: {most} requests, {done} done");
    }
    for bytes in [1, 17, 4095] {
        let faults = Faults::none().rule(move |_| Some(Fault::Suspend(bytes)));
        let config = Config { faults, ..Config::default() };
        run(&uncompressed, &jobs, config, &options(), &bytes);
    }
}

/// Faults without an answer end with the time limit.
#[test]
fn no_answer_for_ever() {
    let uncompressed = Shape::Text.bytes(5000);
    let options = Options { time_limit: Duration::from_millis(200), ..options() };
    for fault in [Fault::Busy, Fault::SuspendWindow, Fault::NoAnswer] {
        let config = Config { faults: Faults::none().rule(move |_| Some(fault)), ..Config::default() };
        let (_, done) = run(&uncompressed, &jobs(&uncompressed), config, &options, &fault);
        assert_eq!(done, 0, "{fault:?}");
    }
    let faults = Faults::none().rule(|_| Some(Fault::LostCredit));
    let config = Config { faults, credits: 1, ..Config::default() };
    run(&uncompressed, &jobs(&uncompressed), config, &options, &Fault::LostCredit);
}
