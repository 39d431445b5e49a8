//! The device as a router sees it.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use pelton_codec::{Checksum, Container, Format, Level};
use pelton_job::{
    BorrowedJob, Codes, Cost, Device, Failure, JobView, Operation, OutputSize, Produced, Refusal, Task,
    members,
};

use crate::error::IaaError;
use crate::hw::Opcode;
use crate::operations::members::{MOST_SET_BYTES, WIDTH, is_checked};
use crate::operations::{
    Coding, Compress, Crc64, Decompress, Filter, Filtered, Filtering, Members, Noop, Output, Tables, Terms,
    Work,
};
use crate::options::Options;
use crate::portal::Portal;
use crate::queue::{Borrowed, Flight, Owned, Pilot, Queue, failure};
use crate::seeds::seed;
use crate::windows::Memory;

/// Levels that are compressed here: 1 with the fixed codes, the others with codes made for the data. The device has no
/// higher ones, and who asks for them wants more than it gives.
const LEVELS: std::ops::RangeInclusive<i32> = 1..=6;

/// Jobs in flight for each engine: one that it works at, and one that it finds when it is done.
const JOBS_PER_ENGINE: usize = 2;

/// What operations cost that jobs don't have: as much as one that reads its input once.
const CHECKSUM: Operation = Operation::Checksum { kind: Checksum::Crc64 };

/// Intel's IAA, or a model of it: one or more work queues, of one or more devices.
pub struct IaaDevice {
    common: Arc<Common>,
    /// What this process opened, or the process of which it is a fork.
    opened: Opened,
}

/// What does not depend on the process.
struct Common {
    options: Options,
    memory: Memory,
    terms: Terms,
    /// Opcodes that all queues allow, by [`Opcode`]'s place in [`Opcode::ALL`].
    allowed: Vec<Opcode>,
}

/// Queues, and the process that may use them.
struct Opened {
    process: u32,
    common: Arc<Common>,
    queue: Option<Queue>,
    /// What a fork has opened.
    fork: OnceLock<Option<Box<Opened>>>,
}

impl Opened {
    fn new(queue: Queue, common: &Arc<Common>) -> Opened {
        let process = (common.options.process)();
        Opened { process, common: Arc::clone(common), queue: Some(queue), fork: OnceLock::new() }
    }

    /// This process's queues, which are opened if it is a fork that has none yet.
    fn here(&self) -> Option<&Queue> {
        if (self.common.options.process)() == self.process {
            return self.queue.as_ref();
        }
        let open = || {
            let options = &self.common.options;
            let portals = (options.opener.as_ref()?)().ok()?;
            Some(Box::new(Opened::new(queue(portals, options), &self.common)))
        };
        self.fork.get_or_init(open).as_ref()?.here()
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        if (self.common.options.process)() != self.process {
            // A fork has not the threads that would have to be waited for, and what is in flight is not its own.
            std::mem::forget(self.queue.take());
        }
    }
}

fn queue(portals: Vec<Arc<dyn Portal>>, options: &Options) -> Queue {
    Queue::new(portals, options.engines * JOBS_PER_ENGINE, options.wait.clone())
}

impl IaaDevice {
    /// A device of these queues.
    ///
    /// # Errors
    /// There is no queue, or they allow none of the operations that jobs need.
    pub fn new(portals: Vec<Arc<dyn Portal>>, options: Options) -> Result<Arc<IaaDevice>, IaaError> {
        if portals.is_empty() {
            return Err(IaaError::Invalid("no work queue; `pelton devices` says what is missing"));
        }
        let queue = queue(portals, &options);
        let allowed: Vec<Opcode> = Opcode::ALL.into_iter().filter(|&opcode| queue.allows(opcode)).collect();
        if !allowed.contains(&Opcode::Decompress) {
            return Err(IaaError::NotAllowed(Opcode::Decompress as u8));
        }
        let terms = Terms { transfer: queue.transfer().min(u32::MAX as usize), verify: options.verify };
        let memory = Memory::new(options.windows, options.history);
        let common = Arc::new(Common { options, memory, terms, allowed });
        let opened = Opened::new(queue, &common);
        Ok(Arc::new(IaaDevice { common, opened }))
    }

    /// The time that so many descriptors take that ask for nothing, some of them in flight at once: the way there and back.
    ///
    /// # Errors
    /// One of them failed.
    pub fn round_trips(&self, count: usize, in_flight: usize) -> Result<Duration, IaaError> {
        let queue = self.opened.here().ok_or(IaaError::ForeignProcess)?;
        let started = Instant::now();
        let flight = || {
            let buffers = Borrowed { input: &[], second: &[], output: &mut [] };
            Flight::new(buffers, Work::Noop(Noop), self.common.deadline(Instant::now()), Duration::ZERO)
        };
        queue.fly_many((0..count).map(|_| flight()), in_flight)?;
        Ok(started.elapsed())
    }
}

/// Work beyond what a router's jobs ask for, on the calling thread.
impl IaaDevice {
    /// Runs a filter operation. `second` is the second input of those operations that have one, else empty.
    ///
    /// # Errors
    /// The operation can't be said in a descriptor, the data is bad, or the device failed: see [`IaaError::advice`].
    pub fn filter(
        &self,
        filter: &Filter,
        input: &[u8],
        second: &[u8],
        output: &mut [u8],
    ) -> Result<Filtered, IaaError> {
        let work = Work::Filter(Filtering::new(*filter, second.len()));
        let made = self.fly(Borrowed { input, second, output }, work, input.len())?;
        Filtered::of(&made).ok_or(IaaError::Lied("no record"))
    }

    /// Compresses into one block with codes that were made before, in one pass. What the codes have no word for is an error.
    ///
    /// # Errors
    /// As of [`filter`](IaaDevice::filter). The format has to be one of DEFLATE's.
    pub fn compress_with(
        &self,
        tables: &Tables,
        format: Format,
        input: &[u8],
        output: &mut [u8],
    ) -> Result<usize, IaaError> {
        let container =
            Container::of(format).ok_or(IaaError::Invalid("the device compresses DEFLATE only"))?;
        let codes = Coding::Canned(Box::new(tables.clone()));
        let work = Compress::new(container, *LEVELS.start(), codes, self.common.terms);
        let bytes = input.len();
        Ok(self.fly(Borrowed { input, second: &[], output }, Work::Compress(Box::new(work)), bytes)?.produced)
    }

    fn fly(&self, buffers: Borrowed<'_>, work: Work, bytes: usize) -> Result<Output, IaaError> {
        let queue = self.opened.here().ok_or(IaaError::ForeignProcess)?;
        let expected = seed(CHECKSUM).time(bytes);
        let flight = Flight::new(buffers, work, self.common.deadline(Instant::now()), expected);
        queue.fly(flight, (self.common.options.node)())
    }
}

impl Common {
    fn deadline(&self, now: Instant) -> Instant {
        // A limit that is beyond the clock's end is none.
        now.checked_add(self.options.time_limit).unwrap_or(now + Duration::from_secs(1 << 30))
    }

    fn check_opcode(&self, opcode: Opcode) -> Result<(), Refusal> {
        match self.allowed.contains(&opcode) {
            true => Ok(()),
            false => Err(Refusal::new("the work queues do not allow the operation")),
        }
    }

    /// The operation as descriptors.
    fn work(&self, operation: Operation, output: OutputSize, codes: Option<&Codes>) -> Option<Work> {
        match operation {
            Operation::Members { format } => {
                Some(Work::Members(Members::new(Container::of(format)?, codes?.clone())))
            }
            Operation::Decompress { format } => {
                let is_exact = matches!(output, OutputSize::Exact(_));
                Some(Work::Decompress(Decompress::new(Container::of(format)?, is_exact, self.terms)))
            }
            Operation::Compress { format, level } => {
                let container = Container::of(format)?;
                let codes = if level.value() == *LEVELS.start() { Coding::Fixed } else { Coding::Dynamic };
                Some(Work::Compress(Box::new(Compress::new(container, level.value(), codes, self.terms))))
            }
            Operation::Checksum { kind: Checksum::Crc64 } => {
                Some(Work::Crc64(Crc64 { verify: self.terms.verify }))
            }
            _ => None,
        }
    }

    fn supports_compression(&self, format: Format, level: Level, input: &[u8]) -> Result<(), Refusal> {
        self.check_opcode(Opcode::Compress)?;
        Container::of(format).ok_or_else(not_deflate)?;
        if !LEVELS.contains(&level.value()) {
            return Err(Refusal::new("the device has no such level"));
        }
        if input.is_empty() { Err(nothing()) } else { Ok(()) }
    }
}

impl Common {
    fn supports_members(&self, format: Format, job: &JobView<'_>) -> Result<(), Refusal> {
        if !is_checked(format) {
            return Err(Refusal::new(
                "the container has no checksum that the device computes of what it filters",
            ));
        }
        let (count, set) = job.codes.map_or((0, 0), |codes| (codes.count, codes.set.len()));
        match () {
            () if count == 0 => Err(nothing()),
            () if set > MOST_SET_BYTES => Err(Refusal::new(WIDTH).with_detail(format!("{} values", set * 8))),
            () if job.input.len() > self.terms.transfer || count / 8 >= self.terms.transfer => {
                Err(over_transfer(job.input.len()))
            }
            () => Ok(()),
        }
    }
}

fn over_transfer(len: usize) -> Refusal {
    Refusal::new("the input is over the largest transfer").with_detail(format!("{len} bytes"))
}

fn not_deflate() -> Refusal {
    Refusal::new("the device knows no format but DEFLATE")
}

fn nothing() -> Refusal {
    Refusal::new("the input is empty")
}

impl Device for IaaDevice {
    fn name(&self) -> &str {
        &self.common.options.name
    }

    fn description(&self) -> String {
        let place = &self.common.options.place;
        match self.opened.here().map(Queue::lanes) {
            Some((1, 1)) => format!("{place}, 1 work queue"),
            Some((all, open)) if all == open => format!("{place}, {all} work queues"),
            Some((all, open)) => format!("{place}, {open} of {all} work queues, the others are set aside"),
            None => format!("{place}, opened by another process"),
        }
    }

    fn supports(&self, job: &JobView<'_>) -> Result<(), Refusal> {
        let common = &self.common;
        match job.operation {
            Operation::Decompress { format } => {
                common.check_opcode(Opcode::Decompress)?;
                common.memory.check(job, Container::of(format).ok_or_else(not_deflate)?)
            }
            Operation::Members { format } => {
                common.check_opcode(Opcode::SetMembership)?;
                let container = Container::of(format).ok_or_else(not_deflate)?;
                members::complete(job)?;
                common.supports_members(format, job)?;
                common.memory.check(job, container)
            }
            Operation::Compress { format, level } => common.supports_compression(format, level, job.input),
            Operation::Checksum { kind: Checksum::Crc64 } => {
                common.check_opcode(Opcode::Crc64)?;
                let len = job.input.len();
                match len {
                    0 => Err(nothing()),
                    _ if len > common.terms.transfer => {
                        Err(Refusal::new("the input is over the largest transfer")
                            .with_detail(format!("{len} bytes")))
                    }
                    _ => Ok(()),
                }
            }
            Operation::Checksum { .. } => {
                Err(Refusal::new("the device has CRC-64 and no other checksum of its own"))
            }
            _ => Err(Refusal::new("unknown operation")),
        }
    }

    fn cost_seed(&self, operation: Operation) -> Cost {
        seed(operation)
    }

    fn parallelism(&self) -> usize {
        let queue = self.opened.here();
        queue.map_or(1, |queue| queue.most() / JOBS_PER_ENGINE).max(1)
    }

    fn submit(&self, tasks: Vec<Task>) {
        // Without a queue the tasks are dropped here, and go to the next device.
        if let Some(queue) = self.opened.here() {
            let pilot: Arc<dyn Pilot> = Arc::clone(&self.common) as _;
            queue.submit(tasks, (self.common.options.node)(), &pilot);
        }
    }

    fn run_borrowed(&self, job: &mut BorrowedJob<'_>) -> Result<Produced, Failure> {
        let (common, operation, room) = (&self.common, job.operation, job.output.len());
        let failed = |error: IaaError| failure(error, operation, room);
        let queue = self.opened.here().ok_or(IaaError::ForeignProcess).map_err(failed)?;
        let Some(work) = common.work(operation, job.output_size(), None) else {
            return Err(Failure::Refused(Refusal::new("unknown operation")));
        };
        let expected = seed(operation).time(job.view().plain_bytes());
        let buffers = Borrowed { input: job.input, second: &[], output: job.output };
        let flight = Flight::new(buffers, work, common.deadline(Instant::now()), expected);
        let output = queue.fly(flight, (common.options.node)()).map_err(failed)?;
        let Output { produced, consumed, checksum, .. } = output;
        Ok(Produced { produced, consumed, checksum })
    }
}

impl Pilot for Common {
    fn flight(&self, owned: Owned, now: Instant) -> Flight<Owned> {
        let job = owned.running().job();
        let work = self.work(job.operation, job.output, job.codes.as_ref());
        let expected = seed(job.operation).time(job.view().plain_bytes());
        Flight::new(owned, work.unwrap_or(Work::Noop(Noop)), self.deadline(now), expected)
    }

    fn ended(&self, owned: &Owned, result: &Result<Output, IaaError>) {
        if matches!(result, Err(IaaError::WindowTooFar)) {
            self.memory.learn(owned.running().job().hints.family);
        }
    }
}
