//! Support and results of the device: windows, several queues, forks, time limits.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use bytes::Bytes;
use pelton_codec::{Decoder, Format, Level, compress_bound};
use pelton_device_iaa::{CannedTables, IaaDevice, MiniBlockSize, Mode, Opener, Options, Windows};
use pelton_device_model::iaa::{Fault, Faults, Model, QueueConfig};
use pelton_job::conformance::Reference;
use pelton_job::conformance::corpus::{Shape, compress, page};
use pelton_job::{Batch, BorrowedJob, Device, Hints, Job, JobError, Operation, OutputSize, Router, Ticket};
use pelton_random::Random;

use crate::support::{device, model, options};

const LEN: usize = 100_000;
const FORMATS: [Format; 3] = [Format::Deflate, Format::Zlib, Format::Gzip];

fn router(device: &Arc<IaaDevice>) -> Arc<Router> {
    Router::builder().device(Arc::clone(device) as _).device(Arc::new(Reference)).build()
}

fn default_model() -> Model {
    model(QueueConfig::new(Mode::Shared), Faults::none())
}

/// The device can decompress its own output, which has a window mark in the container, or a hint.
#[test]
fn what_it_compresses_it_decompresses() {
    let model = default_model();
    let device = device(&model, Options { windows: Windows::Known, ..options() });
    for (format, uncompressed) in
        FORMATS.into_iter().flat_map(|format| [(format, page(LEN)), (format, Shape::Text.bytes(LEN))])
    {
        let router = router(&device);
        let mut sizes = Vec::new();
        for level in [1, 6] {
            let level = Level::new(format, level).expect("a level");
            let compressed = router
                .submit(Job::compress(format, level, uncompressed.clone()))
                .wait()
                .remove(0)
                .expect("done");
            sizes.push(compressed.output.len());
            let hints = Hints { window: (format == Format::Deflate).then_some(4096), ..Hints::default() };
            let job = Job::decompress(format, compressed.output, OutputSize::Exact(LEN)).with_hints(hints);
            assert_eq!(router.submit(job).wait().remove(0).expect("done").output, uncompressed);
        }
        let counts = router.counters().total("iaa-model");
        assert_eq!((counts.done, counts.fell_back_total()), (4, 0), "{format}: {counts:?}");
        assert!(sizes[1] < sizes[0] && sizes[0] < LEN, "{format}: {sizes:?}");
    }
}

/// A job may limit the window of a compression, and the device has no such setting.
#[test]
fn a_window_that_is_too_small_to_write_for_is_refused() {
    let device = device(&default_model(), options());
    let asked = |window| {
        let hints = Hints { window: Some(window), ..Hints::default() };
        let level = Level::new(Format::Gzip, 6).expect("a level");
        device.supports(&Job::compress(Format::Gzip, level, page(LEN)).with_hints(hints).view()).is_ok()
    };
    assert_eq!((asked(4096), asked(4095), asked(32_768)), (true, false, true));
}

#[test]
fn what_does_not_shrink_is_stored() {
    let device = device(&default_model(), options());
    let uncompressed = Shape::Random.bytes(LEN);
    for format in FORMATS {
        let router = router(&device);
        let level = Level::new(format, 6).expect("a level");
        let done =
            router.submit(Job::compress(format, level, uncompressed.clone())).wait().remove(0).expect("done");
        assert!(done.output.len() <= compress_bound(format, LEN) && done.output.len() < LEN + 100);
        let mut back = vec![0; LEN];
        Decoder::new().decompress(format, &done.output, &mut back).expect("a block");
        assert_eq!(back, uncompressed);
        assert_eq!(router.counters().total("iaa-model").done, 1);
    }
}

#[test]
fn an_affinity_key_that_does_not_fit_is_refused_after_the_first() {
    let device = device(&default_model(), options());
    let router = router(&device);
    let uncompressed = Shape::Distant.bytes(LEN);
    let compressed = compress(Format::Gzip, Format::Gzip.default_level(), &uncompressed);
    for key in [3, 3, 3, 4] {
        let hints = Hints { affinity_key: Some(key), ..Hints::default() };
        let job = Job::decompress(Format::Gzip, compressed.clone(), OutputSize::Exact(LEN)).with_hints(hints);
        assert_eq!(router.submit(job).wait().remove(0).expect("done").output, uncompressed);
    }
    let counts = router.counters().row("iaa-model", Operation::Decompress { format: Format::Gzip });
    assert_eq!((counts.tried, counts.done, counts.fell_back_total()), (2, 0, 2), "{counts:?}");
    assert_eq!(counts.refused.values().sum::<u64>(), 2, "{counts:?}");
}

#[test]
fn codes_made_before_are_used_again() {
    let device = device(&default_model(), options());
    let uncompressed = Shape::Text.bytes(LEN);
    // Every symbol needs a count, because other data may contain it.
    let mut literals = [1; 286];
    uncompressed.iter().for_each(|byte| literals[usize::from(*byte)] += 1);
    let tables = CannedTables::best(&literals, &[1; 30]).expect("a header that fits");
    for (tables, format) in [&tables, &CannedTables::fixed()].into_iter().zip(FORMATS) {
        let mut compressed = vec![0; compress_bound(format, LEN)];
        let len = device.compress_with(tables, format, &uncompressed, &mut compressed).expect("done");
        let mut back = vec![0; LEN];
        Decoder::new().decompress(format, &compressed[..len], &mut back).expect("a block");
        assert!(back == uncompressed && len < LEN);
    }
}

#[test]
fn mini_blocks_are_read_one_by_one() {
    let model = default_model();
    let device = device(&model, options());
    for (uncompressed, size) in [
        (Shape::Text.bytes(10_000), MiniBlockSize::Bytes512),
        (Shape::Integers.bytes(30_001), MiniBlockSize::Kb4),
        (page(5000), MiniBlockSize::Kb32),
        (Shape::Text.bytes(512), MiniBlockSize::Bytes512),
    ] {
        let mut compressed = vec![0; compress_bound(Format::Deflate, uncompressed.len())];
        let (len, index) = device.compress_indexed(size, &uncompressed, &mut compressed).expect("compressed");
        compressed.truncate(len);
        let mut back = vec![0; uncompressed.len()];
        Decoder::new().decompress(Format::Deflate, &compressed, &mut back).expect("a stream like any other");
        assert_eq!(back, uncompressed);
        assert_eq!(index.len(), uncompressed.len().div_ceil(size.bytes()));
        for number in (0..index.len()).rev() {
            let mut part = vec![0; size.bytes()];
            let got = device.read_mini_block(&compressed, &index, number, &mut part).expect("a mini-block");
            let from = number * size.bytes();
            assert_eq!(
                part[..got],
                uncompressed[from..uncompressed.len().min(from + size.bytes())],
                "{size:?}, {number}"
            );
        }
        assert!(device.read_mini_block(&compressed, &index, index.len(), &mut back).is_err());
        assert!(device.read_mini_block(&compressed, &index, 0, &mut []).is_err());
        // A flipped bit in the last mini-block gives another checksum, or an error.
        let middle = compressed.len() - 5;
        compressed[middle] ^= 0x10;
        assert!(
            device.read_mini_block(&compressed, &index, index.len() - 1, &mut vec![0; size.bytes()]).is_err()
        );
    }
}

/// A device that stopped is opened again, if there is an opener.
#[test]
fn queues_that_were_all_set_aside_are_opened_again() {
    let model = Arc::new(
        Model::builder().engines(2).threads(1).faults(Faults::none().at(0, Fault::DeviceStops)).build(),
    );
    let again = Arc::clone(&model);
    let opener: Opener = Arc::new(move || Ok(again.open()));
    let with = Options { opener: Some(opener), time_limit: Duration::from_millis(30), ..options() };
    let device = device(&model, with);
    let uncompressed = Shape::Text.bytes(3000);
    let compressed = compress(Format::Zlib, Format::Zlib.default_level(), &uncompressed);
    let run = || {
        let mut output = vec![0; uncompressed.len()];
        device.run_borrowed(&mut BorrowedJob::decompress(Format::Zlib, &compressed, &mut output)).is_ok()
    };
    assert!(!run(), "no answer");
    // Not at once, or a device that fails at once would be reopened in a loop.
    let opened_again = std::iter::repeat_with(|| {
        std::thread::sleep(Duration::from_millis(50));
        run()
    });
    assert!(opened_again.take(200).any(|done| done), "never opened again");
}

/// Errors of bad data are those of the reference device, for every kind of damage.
#[test]
fn damage_is_reported_as_by_the_reference() {
    const SEED: u64 = 11;
    let device = device(&default_model(), options());
    let mut random = Random::new(SEED);
    let uncompressed = Shape::Text.bytes(4000);
    for format in FORMATS {
        let compressed = compress(format, format.default_level(), &uncompressed);
        let jobs: Vec<Job> = (0..300)
            .map(|_| {
                let mut input = compressed.to_vec();
                match random.below(3) {
                    0 => input.truncate(random.below(compressed.len())),
                    _ => input[random.below(compressed.len())] ^= 1 << random.below(8),
                }
                Job::decompress(format, input, OutputSize::AtMost(2 * uncompressed.len()))
            })
            .collect();
        let router = router(&device);
        for (job, outcome) in jobs.iter().zip(router.submit(Batch::from(jobs.clone())).wait()) {
            let mut back = vec![0; 2 * uncompressed.len()];
            match (outcome, Decoder::new().decompress(format, &job.input, &mut back)) {
                (Ok(done), Ok(expected)) => assert_eq!(done.output, back[..expected.produced], "seed {SEED}"),
                (Err(JobError::Codec { error, .. }), Err(expected)) => {
                    assert_eq!(error, expected, "seed {SEED}")
                }
                (outcome, expected) => {
                    panic!("{format}, seed {SEED}: {outcome:?}, the reference has {expected:?}")
                }
            }
        }
    }
}

/// The queues of both devices get work, from the threads of their nodes.
#[test]
fn work_is_spread_over_queues() {
    let used: Arc<[AtomicUsize; 4]> = Arc::default();
    let seen = Arc::clone(&used);
    let faults = Faults::none().rule(move |offered| {
        seen[offered.queue].fetch_add(1, SeqCst);
        None
    });
    let queues = [QueueConfig::new(Mode::Shared), QueueConfig::new(Mode::Write)];
    let model = Model::builder()
        .devices(2)
        .engines(1)
        .threads(1)
        .queues(queues)
        .nodes([Some(0), Some(1)])
        .faults(faults)
        .build();
    let device = device(&model, Options { engines: 1, node: || Some(1), ..options() });
    let uncompressed = Shape::Text.bytes(3000);
    let compressed = compress(Format::Zlib, Format::Zlib.default_level(), &uncompressed);
    let job = || Job::decompress(Format::Zlib, compressed.clone(), OutputSize::Exact(uncompressed.len()));
    let router = router(&device);
    for outcome in router.submit((0..20).map(|_| job()).collect::<Batch>()).wait() {
        assert_eq!(outcome.expect("done").output, uncompressed);
    }
    let counts: Vec<usize> = used.iter().map(|count| count.load(SeqCst)).collect();
    assert_eq!(counts.iter().sum::<usize>(), 20);
    assert!(counts[2] > 0 && counts[3] > 0, "the node's own queues: {counts:?}");
    let tickets: Vec<_> = (0..20).map(|_| router.submit((0..20).map(|_| job()).collect::<Batch>())).collect();
    for outcome in tickets.into_iter().flat_map(Ticket::wait) {
        assert_eq!(outcome.expect("done").output, uncompressed);
    }
    assert!(
        used[0].load(SeqCst) + used[1].load(SeqCst) > 0,
        "all of them, where one node has too much to do"
    );
}

/// An input that counts when it is freed.
struct Tracked(Bytes, Arc<AtomicUsize>);

impl AsRef<[u8]> for Tracked {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for Tracked {
    fn drop(&mut self) {
        self.1.fetch_sub(1, SeqCst);
    }
}

#[test]
fn a_queue_that_is_given_up_leaks_nothing_and_is_not_used_again() {
    let model = model(QueueConfig::new(Mode::Shared), Faults::none().at(2, Fault::DeviceStops));
    let device = device(&model, Options { time_limit: Duration::from_millis(50), ..options() });
    let router = router(&device);
    let uncompressed = Shape::Text.bytes(3000);
    let compressed = compress(Format::Zlib, Format::Zlib.default_level(), &uncompressed);
    let live = Arc::new(AtomicUsize::new(20));
    let jobs: Batch = (0..20)
        .map(|_| {
            let input = Bytes::from_owner(Tracked(compressed.clone(), Arc::clone(&live)));
            Job::decompress(Format::Zlib, input, OutputSize::Exact(uncompressed.len()))
        })
        .collect();
    for outcome in router.submit(jobs).wait() {
        assert_eq!(outcome.expect("done").output, uncompressed);
    }
    assert_eq!(live.load(SeqCst), 0, "inputs are still held");
    assert!(device.description().contains("0 of 1"), "{}", device.description());
    let before = model.counters().accepted;
    let mut output = vec![0; uncompressed.len()];
    router
        .run_one(&mut BorrowedJob::decompress(Format::Zlib, &compressed, &mut output))
        .expect("done elsewhere");
    assert_eq!((output, model.counters().accepted), (uncompressed, before));
}

static PROCESS: AtomicU32 = AtomicU32::new(1);

/// A forked process opens queues of its own, and does not close those of its parent.
#[test]
fn a_fork_has_its_own_queues() {
    let model = Arc::new(Model::builder().engines(2).threads(1).build());
    let opened = Arc::new(AtomicUsize::new(0));
    let (again, count) = (Arc::clone(&model), Arc::clone(&opened));
    let opener = move || {
        count.fetch_add(1, SeqCst);
        Ok(again.open())
    };
    let process = || PROCESS.load(SeqCst);
    let with = Options { opener: Some(Arc::new(opener)), process, ..options() };
    let uncompressed = Shape::Text.bytes(3000);
    let compressed = compress(Format::Zlib, Format::Zlib.default_level(), &uncompressed);
    let run = |device: &Arc<IaaDevice>| {
        let mut output = vec![0; uncompressed.len()];
        let mut job = BorrowedJob::decompress(Format::Zlib, &compressed, &mut output);
        let borrowed = device.run_borrowed(&mut job).map(|done| done.produced);
        let owned = Job::decompress(Format::Zlib, compressed.clone(), OutputSize::Exact(uncompressed.len()));
        let done = router(device).submit(owned).wait().remove(0).expect("done");
        assert_eq!(done.output, uncompressed);
        (borrowed.ok(), done.device)
    };
    let (reopened, not) = (device(&model, with), device(&model, Options { process, ..options() }));
    let done = |by: &str| (Some(uncompressed.len()), Arc::from(by));
    assert_eq!((run(&reopened), opened.load(SeqCst)), (done("iaa-model"), 0));
    PROCESS.store(2, SeqCst);
    assert_eq!((run(&reopened), opened.load(SeqCst)), (done("iaa-model"), 1));
    assert_eq!((run(&reopened), opened.load(SeqCst)), (done("iaa-model"), 1));
    assert_eq!(run(&not), (None, Arc::from("reference")));
    // The parent still has its queues.
    PROCESS.store(1, SeqCst);
    assert_eq!((run(&reopened), run(&not), opened.load(SeqCst)), (done("iaa-model"), done("iaa-model"), 1));
}
