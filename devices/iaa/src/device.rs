//! The device for a router.

mod direct;
mod open_queues;
mod prior_cost;
mod supports;

use std::sync::Arc;

use pelton_codec::{Checksum, Container, Format, Level};
use pelton_job::{
    BorrowedJob, BorrowedOutput, Cost, Device, Failure, JobView, MembershipTest, Operation, OutputSize, Task,
    Unsupported,
};

use crate::error::IaaError;
use crate::hw::Opcode;
use crate::operations::{
    CodeChoice, Compress, Crc64, Decompress, DeviceOperation, Membership, OperationLimits, Output,
};
use crate::options::Options;
use crate::portal::Portal;
use crate::queue::{Borrowed, InFlightOperation, JobHandler, Owned, WorkQueues, failure};
use crate::windows::WindowPolicy;
use open_queues::{OpenQueues, queue};
use prior_cost::prior_cost;

/// Supported levels: the lowest one uses the fixed codes, the others codes made for the data.
/// Higher levels promise smaller output than the device can make.
const LEVELS: std::ops::RangeInclusive<i32> = 1..=6;

/// Jobs in flight per engine: one in work, and one that is ready when the first completes.
const JOBS_PER_ENGINE: usize = 2;

/// Intel's IAA or a model of it: one or more work queues of one or more devices.
pub struct IaaDevice {
    common: Arc<Common>,
    /// Queues that this process, or its parent, has opened.
    opened: OpenQueues,
}

/// State that does not depend on the process.
struct Common {
    options: Options,
    memory: WindowPolicy,
    limits: OperationLimits,
    /// Opcodes that every queue allows.
    allowed: Vec<Opcode>,
}

impl IaaDevice {
    /// Returns a device with these queues.
    ///
    /// # Errors
    /// There is no queue, or the queues don't allow decompression.
    pub fn new(portals: Vec<Arc<dyn Portal>>, options: Options) -> Result<Arc<IaaDevice>, IaaError> {
        if portals.is_empty() {
            return Err(IaaError::Invalid("no work queue; `pelton devices` says what is missing"));
        }
        let queue = queue(portals, &options);
        let allowed: Vec<Opcode> = Opcode::ALL.into_iter().filter(|&opcode| queue.allows(opcode)).collect();
        if !allowed.contains(&Opcode::Decompress) {
            return Err(IaaError::NotAllowed(Opcode::Decompress as u8));
        }
        let limits =
            OperationLimits { transfer: queue.max_transfer().min(u32::MAX as usize), verify: options.verify };
        let memory = WindowPolicy::new(options.windows, options.history);
        let common = Arc::new(Common { options, memory, limits, allowed });
        let opened = OpenQueues::new(queue, &common);
        Ok(Arc::new(IaaDevice { common, opened }))
    }
}

impl Common {
    /// Notes a stream that did not fit in the window.
    fn learn(&self, result: &Result<Output, IaaError>, affinity_key: Option<u64>) {
        if matches!(result, Err(IaaError::WindowTooFar)) {
            self.memory.learn(affinity_key);
        }
    }

    /// Returns the operation as descriptors.
    fn work(
        &self,
        operation: Operation,
        output: OutputSize,
        codes: Option<&MembershipTest>,
    ) -> Option<DeviceOperation> {
        match operation {
            Operation::TestMembership { format } => {
                Some(DeviceOperation::Membership(Membership::new(Container::of(format)?, codes?.clone())))
            }
            Operation::Decompress { format } => {
                let is_exact = matches!(output, OutputSize::Exact(_));
                Some(DeviceOperation::Decompress(Decompress::new(
                    Container::of(format)?,
                    is_exact,
                    self.limits,
                )))
            }
            Operation::Compress { format, level } => {
                let container = Container::of(format)?;
                Some(DeviceOperation::Compress(Box::new(Compress::new(
                    container,
                    level.value(),
                    code_choice(level),
                    self.limits,
                ))))
            }
            Operation::CompressPart { level } => {
                let raw = Container::of(Format::Deflate)?;
                let part = Compress::new(raw, level.value(), code_choice(level), self.limits).for_part();
                Some(DeviceOperation::Compress(Box::new(part)))
            }
            Operation::Checksum { kind: Checksum::Crc64 } => {
                Some(DeviceOperation::Crc64(Crc64 { verify: self.limits.verify }))
            }
            _ => None,
        }
    }
}

fn code_choice(level: Level) -> CodeChoice {
    if level.value() == *LEVELS.start() { CodeChoice::Fixed } else { CodeChoice::Dynamic }
}

impl Device for IaaDevice {
    fn name(&self) -> &str {
        &self.common.options.name
    }

    fn description(&self) -> String {
        let place = &self.common.options.place;
        match self.opened.here().map(WorkQueues::counts) {
            Some((1, 1)) => format!("{place}, 1 work queue"),
            Some((all, open)) if all == open => format!("{place}, {all} work queues"),
            Some((all, open)) => format!("{place}, {open} of {all} work queues, the others are closed"),
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
        let queue = self.opened.here();
        queue.map_or(1, |queue| queue.max_in_flight() / JOBS_PER_ENGINE).max(1)
    }

    fn fuses_filter(&self) -> bool {
        true
    }

    fn submit(&self, tasks: Vec<Task>) {
        // Without a queue the tasks are dropped, which sends them to the next device.
        if let Some(queue) = self.opened.here() {
            let handler: Arc<dyn JobHandler> = Arc::clone(&self.common) as _;
            queue.submit(tasks, (self.common.options.node)(), &handler);
        }
    }

    fn run_borrowed(&self, job: &mut BorrowedJob<'_>) -> Result<BorrowedOutput, Failure> {
        let (common, operation, capacity) = (&self.common, job.operation, job.output.len());
        let failed = |error: IaaError| failure(error, operation, capacity);
        let queue = self.opened.here().ok_or(IaaError::ForeignProcess).map_err(failed)?;
        let Some(work) = common.work(operation, job.output_size(), None) else {
            return Err(Failure::Unsupported(Unsupported::new("unknown operation")));
        };
        let expected = prior_cost(operation).time(job.view().uncompressed_len());
        let buffers = Borrowed { input: job.input, second: &[], output: job.output };
        let in_flight = InFlightOperation::new(buffers, work, common.options.time_limit, expected);
        let result = queue.run(in_flight, (common.options.node)());
        common.learn(&result, job.hints.affinity_key);
        let output = result.map_err(failed)?;
        let Output { produced, consumed, checksum, .. } = output;
        Ok(BorrowedOutput { produced, consumed, checksum })
    }
}

impl JobHandler for Common {
    fn operation(&self, owned: Owned) -> InFlightOperation<Owned> {
        let job = owned.running().job();
        let work = self.work(job.operation, job.output, job.membership.as_ref());
        let expected = prior_cost(job.operation).time(job.view().uncompressed_len());
        InFlightOperation::new(
            owned,
            work.unwrap_or(DeviceOperation::Unknown),
            self.options.time_limit,
            expected,
        )
    }

    fn completed(&self, owned: &Owned, result: &Result<Output, IaaError>) {
        self.learn(result, owned.running().job().hints.affinity_key);
    }
}
