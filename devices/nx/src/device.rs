//! The device for a router.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use pelton_codec::{Container, Format, Level};
use pelton_job::{
    BorrowedJob, BorrowedOutput, Cost, Device, Failure, Hints, JobView, Operation, OutputSize, Task,
    Unsupported,
};

use crate::counters::{Counters, LiveCounters};
use crate::error::NxError;
use crate::hw::WINDOW_BYTES;
use crate::operations::{Compress, CompressSettings, Decompress, DeviceOperation, TableCache};
use crate::options::{Opener, Options};
use crate::queue::{Borrowed, Buffers, InFlight, JobHandler, Owned, Windows, Worker, failure, run};

/// Supported levels. Higher ones promise smaller output than the engine can make.
const LEVELS: std::ops::RangeInclusive<i32> = 1..=6;

/// Time of a request without bytes, for one thread (the paper, Table II). A driver may not use the
/// model of the engine, `pelton-nxu`, which has the table; a test compares the numbers.
const COMPRESS_SETUP: Duration = Duration::from_nanos(2200);
const DECOMPRESS_SETUP: Duration = Duration::from_nanos(2900);
/// Bytes per second: half-peak size divided by setup time, in the same table.
const COMPRESS: f64 = 16.0 * 1024.0 / 2.2e-6;
const DECOMPRESS: f64 = 24.0 * 1024.0 / 2.9e-6;
/// Requests of a compression: one that counts, and one that writes.
const PASSES: f64 = 2.0;

/// The lowest limit on a request's bytes with which the device works: twice a history.
const MIN_MAX_BYTES: usize = 2 * WINDOW_BYTES;

/// NX-GZIP or a model of it: a window of each engine.
pub struct NxDevice {
    common: Arc<Common>,
    opened: Opened,
}

/// State that does not depend on the process.
struct Common {
    options: Options,
    opener: Opener,
    /// Maximum bytes of a request's source, and of its target.
    max_bytes: usize,
    tables: Arc<TableCache>,
    counters: Arc<LiveCounters>,
}

impl NxDevice {
    /// Opens a window of each engine.
    ///
    /// # Errors
    /// [`NxError::Open`]: the opener's error, or a byte limit of the system that leaves no request
    /// room for more than a history.
    pub fn open(opener: Opener, options: Options) -> Result<Arc<NxDevice>, NxError> {
        let counters = Arc::new(LiveCounters::default());
        let windows =
            Windows::open(Arc::clone(&opener), options.engines, options.in_flight, Arc::clone(&counters));
        let windows = windows.map_err(|error| NxError::Open(error.to_string()))?;
        let max_bytes = windows.max_bytes().unwrap_or(u32::MAX as usize).min(u32::MAX as usize);
        if max_bytes < MIN_MAX_BYTES {
            return Err(NxError::Open(format!(
                "the system limits requests to {max_bytes} bytes, and {MIN_MAX_BYTES} are needed"
            )));
        }
        let opened = Opened::new((options.process)(), windows);
        let common = Common { options, opener, max_bytes, tables: Arc::default(), counters };
        Ok(Arc::new(NxDevice { common: Arc::new(common), opened }))
    }

    /// Returns the counters of the driver's own events.
    pub fn counters(&self) -> Counters {
        self.common.counters.read()
    }
}

impl Common {
    /// Returns the operation as requests.
    fn work(&self, operation: Operation, output: OutputSize, hints: &Hints) -> DeviceOperation {
        match operation {
            Operation::Decompress { format } => match Container::of(format) {
                Some(container) => DeviceOperation::Decompress(Decompress::new(
                    container,
                    matches!(output, OutputSize::Exact(_)),
                    self.options.verify,
                    self.max_bytes,
                    Arc::clone(&self.counters),
                )),
                None => DeviceOperation::Unknown,
            },
            Operation::Compress { format, level } => self.compression(format, level, false, hints),
            Operation::CompressPart { level } => self.compression(Format::Deflate, level, true, hints),
            _ => DeviceOperation::Unknown,
        }
    }

    fn compression(&self, format: Format, level: Level, is_part: bool, hints: &Hints) -> DeviceOperation {
        let Some(container) = Container::of(format) else { return DeviceOperation::Unknown };
        let settings = CompressSettings {
            container,
            level: level.value(),
            is_part,
            key: hints.affinity_key,
            verify: self.options.verify,
            max_bytes: self.max_bytes,
            tables: Arc::clone(&self.tables),
            counters: Arc::clone(&self.counters),
        };
        DeviceOperation::Compress(Box::new(Compress::new(settings)))
    }

    /// Returns the operation of a job, with its expected duration.
    fn planned(&self, job: &JobView<'_>) -> (DeviceOperation, Duration) {
        let expected = prior_cost(job.operation).time(job.uncompressed_len());
        (self.work(job.operation, job.output, &job.hints), expected)
    }

    fn in_flight<B: Buffers>(
        &self,
        buffers: B,
        (work, expected): (DeviceOperation, Duration),
    ) -> InFlight<B> {
        InFlight::new(buffers, work, self.options.time_limit, expected, Arc::clone(&self.counters))
    }

    fn supports(&self, job: &JobView<'_>) -> Result<(), Unsupported> {
        match job.operation {
            Operation::Decompress { format } => Container::of(format).map(|_| ()).ok_or_else(not_deflate),
            Operation::Compress { format, level } => {
                Container::of(format).ok_or_else(not_deflate)?;
                supports_compression(level, job)
            }
            Operation::CompressPart { level } => supports_compression(level, job),
            Operation::TestMembership { .. } => Err(Unsupported::new("the device has no filter")),
            Operation::Checksum { .. } => Err(Unsupported::new(
                "the device computes checksums only of bytes that it copies or compresses",
            )),
            _ => Err(Unsupported::new("unknown operation")),
        }
    }
}

fn not_deflate() -> Unsupported {
    Unsupported::new("the device knows no format but DEFLATE")
}

fn supports_compression(level: Level, job: &JobView<'_>) -> Result<(), Unsupported> {
    if !LEVELS.contains(&level.value()) {
        return Err(Unsupported::new("the device has no such level"));
    }
    if job.hints.window.is_some_and(|max| (max as usize) < WINDOW_BYTES) {
        return Err(Unsupported::new("the job limits the window to less than the 32 KB of the device"));
    }
    if job.input.is_empty() { Err(Unsupported::new("the input is empty")) } else { Ok(()) }
}

fn prior_cost(operation: Operation) -> Cost {
    match operation {
        Operation::Compress { .. } | Operation::CompressPart { .. } => {
            Cost { setup: COMPRESS_SETUP, bytes_per_second: COMPRESS / PASSES }
        }
        _ => Cost { setup: DECOMPRESS_SETUP, bytes_per_second: DECOMPRESS },
    }
}

impl Device for NxDevice {
    fn name(&self) -> &str {
        &self.common.options.name
    }

    fn description(&self) -> String {
        let Options { place, engines, .. } = &self.common.options;
        let plural = if *engines == 1 { "" } else { "s" };
        match self.opened.here(&self.common) {
            Some(here) => {
                format!("{place}, {engines} engine{plural}, {} requests in flight", here.windows.credits())
            }
            None => format!("{place}, opened by another process"),
        }
    }

    fn supports(&self, job: &JobView<'_>) -> Result<(), Unsupported> {
        self.common.supports(job)
    }

    fn prior_cost(&self, operation: Operation) -> Cost {
        prior_cost(operation)
    }

    fn worker_count(&self) -> usize {
        self.common.options.engines.max(1)
    }

    fn submit(&self, tasks: Vec<Task>) {
        // Without a window the tasks are dropped, which sends them to the next device.
        if let Some(here) = self.opened.here(&self.common) {
            let handler: Arc<dyn JobHandler> = Arc::clone(&self.common) as _;
            here.worker.submit(tasks, &here.windows, &handler);
        }
    }

    fn run_borrowed(&self, job: &mut BorrowedJob<'_>) -> Result<BorrowedOutput, Failure> {
        let (common, operation, capacity) = (&self.common, job.operation, job.output.len());
        let failed = |error: NxError| failure(error, operation, capacity);
        let here = self.opened.here(common).ok_or(NxError::Closed).map_err(failed)?;
        let (view, output) = job.parts();
        let in_flight = common.in_flight(Borrowed { input: view.input, output }, common.planned(&view));
        let output = run(in_flight, &here.windows).map_err(failed)?;
        Ok(BorrowedOutput { produced: output.produced, consumed: output.consumed, checksum: None })
    }
}

impl JobHandler for Common {
    fn operation(&self, owned: Owned) -> InFlight<Owned> {
        let planned = self.planned(&owned.running().job().view());
        self.in_flight(owned, planned)
    }
}

/// Minimum time between two attempts of a forked process to open windows.
const REST: Duration = Duration::from_secs(1);

/// Windows with the process that may use them: the address space that a window was opened in.
struct Opened {
    process: u32,
    here: Option<Here>,
    /// Windows of a forked process.
    next: OnceLock<Box<Opened>>,
    /// Time of the last failed attempt to open them.
    failed: Mutex<Option<Instant>>,
}

struct Here {
    worker: Worker,
    windows: Arc<Windows>,
}

impl Opened {
    fn new(process: u32, windows: Windows) -> Opened {
        let here = Some(Here { worker: Worker::new(), windows: Arc::new(windows) });
        Opened { process, here, next: OnceLock::new(), failed: Mutex::default() }
    }

    /// Returns the windows of this process. Opens them in a forked process.
    fn here(&self, common: &Common) -> Option<&Here> {
        if (common.options.process)() == self.process {
            return self.here.as_ref();
        }
        if self.next.get().is_none() {
            self.open_next(common);
        }
        self.next.get()?.here(common)
    }

    fn open_next(&self, common: &Common) {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have opened them, or failed to, in the meantime.
        if self.next.get().is_some() || failed.is_some_and(|at| at.elapsed() < REST) {
            return;
        }
        let Options { engines, in_flight, process, .. } = common.options;
        let opener = Arc::clone(&common.opener);
        match Windows::open(opener, engines, in_flight, Arc::clone(&common.counters)) {
            // Under the lock, no other thread can have set it.
            Ok(windows) => drop(self.next.set(Box::new(Opened::new(process(), windows)))),
            Err(_) => *failed = Some(Instant::now()),
        }
    }
}

impl Drop for NxDevice {
    fn drop(&mut self) {
        let process = (self.common.options.process)();
        let mut opened = Some(&mut self.opened);
        while let Some(this) = opened {
            if this.process != process {
                // A forked process has no worker thread to wait for, and its parent owns the
                // operations in flight.
                std::mem::forget(this.here.take());
            }
            opened = this.next.get_mut().map(|next| &mut **next);
        }
    }
}
