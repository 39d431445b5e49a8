//! The device for a router.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use pelton_codec::{Checksum, Container, Format, Level};
use pelton_job::{
    BorrowedJob, BorrowedOutput, Cost, Device, Failure, JobView, Operation, OutputSize, OwnedOutput, Task,
    Unsupported, panic_message,
};

use crate::call::Call;
use crate::compress::{Goal, comes_back, compress};
use crate::counters::{CallCounters, Counters};
use crate::error::DfltccError;
use crate::expand::expand;
use crate::hw::MAX_HISTORY;
use crate::session::{Machine, Session};
use crate::workers::Workers;

/// Supported levels: the lowest one uses the fixed codes, the others tables made for the data.
/// Higher levels promise smaller output than the device makes.
const LEVELS: std::ops::RangeInclusive<i32> = 1..=6;

/// Threads that wait for the instruction at the same time. The chip has one engine; a second thread
/// prepares its call while the engine works for the first.
const WORKERS: usize = 2;

// Numbers of the paper's Table II. A driver may not use the model of the engine, `pelton-nxu`,
// which has the table; a test compares them.

/// Kilobyte of the paper's tables.
const KB: f64 = 1024.0;
/// Compressed bytes per second of the engine, by uncompressed bytes: half-peak size and setup time
/// of z15 with 8 threads (seed paper, Table II).
const COMPRESS: f64 = 12.0 * KB / 0.78e-6;
/// The same for decompression.
const EXPAND: f64 = 6.0 * KB / 0.65e-6;
/// Setup time of one thread's compression and decompression (Table II).
const COMPRESS_SETUP: Duration = Duration::from_nanos(5200);
const EXPAND_SETUP: Duration = Duration::from_nanos(1900);

/// The settings of a [`DfltccDevice`].
#[derive(Clone, Debug)]
pub struct Options {
    /// The device's name in a router.
    pub name: String,
    /// Origin of the device, for its description.
    pub place: String,
    /// Whether to verify all results in software: checksums of decompressed data, and compressed
    /// data by decompression. Without it, the checksums of containers verify what is decompressed.
    pub verify: bool,
}

impl Default for Options {
    fn default() -> Options {
        let place = "DFLTCC instruction of IBM z15 or later".into();
        Options { name: "dfltcc".into(), place, verify: false }
    }
}

/// The instruction, or a model of it. Submitted jobs wait for it in threads of the device, borrowed
/// jobs in the caller's. Threads do not outlive a `fork`: a child process that submits jobs makes a
/// device of its own.
pub struct DfltccDevice {
    common: Arc<Common>,
    workers: Workers,
}

struct Common {
    call: Arc<dyn Call>,
    options: Options,
    counters: CallCounters,
}

thread_local! {
    static SESSION: RefCell<Session> = RefCell::default();
}

impl DfltccDevice {
    /// Returns a device over the instruction or a model of it.
    ///
    /// # Errors
    /// It lacks a function, or the format of the parameter block.
    pub fn new(call: Arc<dyn Call>, options: Options) -> Result<Arc<DfltccDevice>, DfltccError> {
        if let Some(name) = call.available().missing() {
            return Err(DfltccError::Missing(name));
        }
        let common = Arc::new(Common { call, options, counters: CallCounters::default() });
        let runner = Arc::clone(&common);
        let workers = Workers::new(WORKERS, move |task| runner.run_task(task));
        Ok(Arc::new(DfltccDevice { common, workers }))
    }

    /// Starts the threads now, with the calling thread's mask of signals. Otherwise the first
    /// submitter starts them.
    pub fn start(&self) {
        self.workers.start_all();
    }

    /// Returns the calls so far.
    pub fn counters(&self) -> Counters {
        self.common.counters.snapshot()
    }
}

impl Common {
    fn run_task(&self, task: Task) {
        let Some(running) = task.start() else { return };
        let job = running.job();
        let mut output = running.output_buffer();
        let result = self.run(&job.view(), output.as_mut_slice());
        running.finish(result.map(|BorrowedOutput { produced, consumed, checksum }| OwnedOutput {
            output: output.finish(produced),
            consumed,
            checksum,
            interleaved: false,
        }));
    }

    /// Runs one job on this thread.
    fn run(&self, job: &JobView<'_>, output: &mut [u8]) -> Result<BorrowedOutput, Failure> {
        let mut run = |session: &mut Session| {
            let result = catch_unwind(AssertUnwindSafe(|| self.run_in(session, job, output)));
            result.unwrap_or_else(|panic| Err(Failure::Panicked(panic_message(&*panic))))
        };
        SESSION
            .try_with(|session| run(&mut session.borrow_mut()))
            // A destructor calls at the end of the thread, after its session was dropped.
            .unwrap_or_else(|_| run(&mut Session::default()))
    }

    fn run_in(
        &self,
        session: &mut Session,
        job: &JobView<'_>,
        output: &mut [u8],
    ) -> Result<BorrowedOutput, Failure> {
        let machine = Machine { call: &*self.call, counters: &self.counters };
        let capacity = output.len();
        let (goal, level, format) = match job.operation {
            Operation::Decompress { format } => {
                let container = container(format).map_err(Failure::Unsupported)?;
                let is_exact = matches!(job.output, OutputSize::Exact(_));
                // The router compares an exact size. Otherwise nothing but the machine's own CRC
                // verifies a raw stream.
                let is_unchecked = container.checksum().is_none() && !is_exact;
                let compare = self.options.verify || is_unchecked;
                let done = expand(session, machine, container, job.input, output, compare);
                return done.map_err(|error| error.failure(format, capacity));
            }
            Operation::Compress { format, level } => {
                (Goal::Stream(container(format).map_err(Failure::Unsupported)?), level, format)
            }
            Operation::CompressPart { level } => (Goal::Part, level, Format::Deflate),
            _ => return Err(Failure::Unsupported(Unsupported::new("unknown operation"))),
        };
        let done = compress(session, machine, goal, level.value(), job.input, output);
        let done = done.map_err(|error| error.failure(format, capacity))?;
        if self.options.verify && !comes_back(goal, &output[..done.produced], job.input) {
            let error = DfltccError::Inconsistent("compressed data that is not its input");
            return Err(error.failure(format, capacity));
        }
        Ok(done)
    }
}

/// Returns the container of a format.
fn container(format: Format) -> Result<Container, Unsupported> {
    Container::of(format).ok_or_else(|| Unsupported::new("the device knows no format but DEFLATE"))
}

fn supports_compression(level: Level, job: &JobView<'_>) -> Result<(), Unsupported> {
    if !LEVELS.contains(&level.value()) {
        return Err(Unsupported::new("the device has no such level"));
    }
    match job.hints.window {
        Some(max) if (max as usize) < MAX_HISTORY => {
            Err(Unsupported::new("the job limits the window to less than the 32 KB of the device"))
        }
        _ => Ok(()),
    }
}

impl Device for DfltccDevice {
    fn name(&self) -> &str {
        &self.common.options.name
    }

    fn description(&self) -> String {
        format!("{}, {WORKERS} threads", self.common.options.place)
    }

    fn supports(&self, job: &JobView<'_>) -> Result<(), Unsupported> {
        match job.operation {
            Operation::Decompress { format } => container(format).map(drop),
            Operation::Compress { format, level } => {
                container(format)?;
                supports_compression(level, job)
            }
            Operation::CompressPart { level } => supports_compression(level, job),
            Operation::TestMembership { .. } => Err(Unsupported::new("the device has no filter")),
            Operation::Checksum { kind: Checksum::Crc32 | Checksum::Adler32 } => {
                Err(Unsupported::new("the device has checksums only of data that it compresses or expands"))
            }
            Operation::Checksum { .. } => Err(Unsupported::new("the device has no such checksum")),
            _ => Err(Unsupported::new("unknown operation")),
        }
    }

    /// Returns the setup time of one thread, and a worker's share of the engine, both published.
    fn prior_cost(&self, operation: Operation) -> Cost {
        let (setup, engine) = match operation {
            Operation::Compress { .. } | Operation::CompressPart { .. } => (COMPRESS_SETUP, COMPRESS),
            _ => (EXPAND_SETUP, EXPAND),
        };
        Cost { setup, bytes_per_second: engine / WORKERS as f64 }
    }

    fn worker_count(&self) -> usize {
        WORKERS
    }

    fn submit(&self, tasks: Vec<Task>) {
        self.workers.submit(tasks);
    }

    fn run_borrowed(&self, job: &mut BorrowedJob<'_>) -> Result<BorrowedOutput, Failure> {
        let (job, output) = job.parts();
        self.common.run(&job, output)
    }
}
