//! What a device is: something that runs jobs, says which it takes, and what they cost.

use std::borrow::Cow;
use std::fmt;

use bytes::Bytes;

use crate::device::task::Task;
use crate::job::batch::BatchId;
use crate::job::borrowed::BorrowedJob;
use crate::job::{JobView, Operation};
use crate::router::cost::Cost;

pub(crate) mod interleaved;
pub mod membership;
pub(crate) mod task;
pub(crate) mod validate;

/// Something that runs jobs. A device that is not there is not constructed, so every device here is
/// available.
///
/// `docs/add-a-device.md` is the guide; `conformance` is the suite that a device has to pass.
pub trait Device: Send + Sync {
    /// A short name, unique in its router: `cpu`, `iaa`.
    fn name(&self) -> &str;

    /// One line about this instance: its size, its version, where it is.
    fn description(&self) -> String;

    /// Whether this device takes the job, or why not. A pure function of the job and the device's
    /// configuration, and a cheap one: it may look at the input's header, not at all of it. Of jobs that name their
    /// [origin](crate::Hints), also a function of what the device has learned from others of that origin.
    fn supports(&self, job: &JobView<'_>) -> Result<(), Unsupported>;

    /// What one job of this operation costs before anything was observed. Only asked for operations it
    /// supports.
    fn prior_cost(&self, operation: Operation) -> Cost;

    /// How many jobs run at the same time.
    fn worker_count(&self) -> usize;

    /// Whether its word on bad input is final. True for the CPU. Another device's complaint about a job's
    /// data is checked by running the job on an authoritative device, so that a device's limits or faults
    /// never pass for corrupt data.
    fn is_authoritative(&self) -> bool {
        false
    }

    /// Whether it looks dictionary codes up while it decompresses them, so that [`Operation::TestMembership`] takes no longer than
    /// [`Operation::Decompress`] and the codes never are in memory. A device that does one after the other says no.
    fn fuses_filter(&self) -> bool {
        false
    }

    /// Take these tasks and return at once; finish each of them, from any thread, in any order.
    ///
    /// Finishing or dropping a task may call `submit` of this or another device, so do neither while holding
    /// a lock that `submit` takes.
    fn submit(&self, tasks: Vec<Task>);

    /// Run on this thread some of the [attended](Task::is_caller_runs) tasks of a batch that were submitted. Returns whether there were
    /// any. A device that runs all tasks on its own threads or hardware has none left to run.
    fn run_on_caller(&self, batch: BatchId) -> bool {
        let _ = batch;
        false
    }

    /// Run one job over the caller's memory and return when the device no longer touches it.
    fn run_borrowed(&self, job: &mut BorrowedJob<'_>) -> Result<BorrowedOutput, Failure>;
}

/// Why a device does not take a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    reason: &'static str,
    detail: Option<String>,
}

impl Unsupported {
    /// A refusal. `reason` is counted, so it is the same text for every job refused on the same grounds.
    pub fn new(reason: &'static str) -> Unsupported {
        Unsupported { reason, detail: None }
    }

    /// Add this job's own figures.
    pub fn with_detail(mut self, detail: impl Into<String>) -> Unsupported {
        self.detail = Some(detail.into());
        self
    }

    /// The text that is counted.
    pub fn reason(&self) -> &'static str {
        self.reason
    }

    /// This job's own figures.
    pub fn detail(&self) -> Option<&str> {
        self.detail.as_deref()
    }
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.reason)?;
        match &self.detail {
            Some(detail) => write!(f, " ({detail})"),
            None => Ok(()),
        }
    }
}

/// Why a device did not finish a job that it took.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Failure {
    /// The job's input is bad. Final from an authoritative device, checked on one otherwise.
    Data(pelton_codec::Error),
    /// The job declared an exact output size and its input held fewer bytes: bad data too.
    WrongSize {
        /// The declared bytes.
        expected: usize,
        /// The bytes that came out.
        produced: usize,
    },
    /// The device found only now that it cannot do this job: a window too large for it, say.
    Unsupported(Unsupported),
    /// The device went away, or dropped the task.
    Lost(Cow<'static, str>),
    /// The device reported an error of its own: a fault, a time-out, an unknown status.
    Fault(Cow<'static, str>),
    /// The device's code panicked with this message.
    Panicked(String),
}

impl Failure {
    /// What is counted: the same text for all failures of a kind.
    pub fn reason(&self) -> &'static str {
        match self {
            Failure::Data(_) | Failure::WrongSize { .. } => "bad data",
            Failure::Unsupported(refusal) => refusal.reason(),
            Failure::Lost(_) => "device lost",
            Failure::Fault(_) => "device fault",
            Failure::Panicked(_) => "panic",
        }
    }

    /// Whether the job's input is at fault, not the device.
    pub fn is_data(&self) -> bool {
        matches!(self, Failure::Data(_) | Failure::WrongSize { .. })
    }
}

/// What a device made of an owned job.
#[derive(Clone, Debug)]
pub struct OwnedOutput {
    /// The job's prefix, then what the operation produced.
    pub output: Bytes,
    /// Bytes of the input that were used.
    pub consumed: usize,
    /// The checksum, if that was the operation.
    pub checksum: Option<u64>,
    /// Whether it ran side by side with other jobs of a [`InterleavedJobs`](crate::InterleavedJobs). Not all jobs of a group do.
    pub interleaved: bool,
}

/// What a device made of a borrowed job; the bytes are in the caller's buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BorrowedOutput {
    /// Bytes written to the output.
    pub produced: usize,
    /// Bytes of the input that were used.
    pub consumed: usize,
    /// The checksum, if that was the operation.
    pub checksum: Option<u64>,
}
