//! A job as a device gets it: not started, then running.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::device::validate::verify;
use crate::device::{Failure, OwnedOutput};
use crate::job::batch::BatchId;
use crate::job::{Job, Operation, OutputSize};
use crate::memory::buffer::OutputBuffer;
use crate::memory::buffer_pool::Recycler;
use crate::queue::in_flight::Assigned;

/// An assignment that tells the router when it is dropped before anything came of it.
struct Guard(Option<Assigned>);

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(assigned) = self.0.take() {
            assigned.fail(Failure::Lost("it dropped the job".into()));
        }
    }
}

/// A job that a device has and has not started. [`start`](Task::start) it when its turn comes, not before:
/// until then it can be cancelled. A task that is dropped instead goes to the next device.
#[must_use = "a task that is dropped counts as a failure of its device"]
pub struct Task {
    guard: Guard,
    operation: Operation,
    input_len: usize,
    output: OutputSize,
    batch: BatchId,
    attended: bool,
}

impl Task {
    pub(crate) fn new(assigned: Assigned) -> Task {
        let Assigned { operation, input_len, output, .. } = assigned;
        let (batch, attended) = (BatchId::of(&assigned.claim.slots), assigned.claim.slots.is_caller_runs());
        Task { guard: Guard(Some(assigned)), operation, input_len, output, batch, attended }
    }

    /// What to do.
    pub fn operation(&self) -> Operation {
        self.operation
    }

    /// Length of the input in bytes.
    pub fn input_len(&self) -> usize {
        self.input_len
    }

    /// The batch that it is of.
    pub fn batch(&self) -> BatchId {
        self.batch
    }

    /// Whether somebody will come to [help](crate::Device::help) with it, so that a device need not have a thread of its own do
    /// it.
    pub fn is_caller_runs(&self) -> bool {
        self.attended
    }

    /// How many bytes may come out, without the prefix.
    pub fn output(&self) -> OutputSize {
        self.output
    }

    /// Take the job, to run it; none if it was cancelled, and then there is nothing more to do.
    pub fn start(mut self) -> Option<Running> {
        let assigned = self.guard.0.take()?;
        match assigned.claim.slots.start(assigned.claim.index) {
            Some(job) => {
                let recycler = Arc::clone(assigned.claim.router.recycler());
                Some(Running { job, recycler, guard: Guard(Some(assigned)), started: Instant::now() })
            }
            None => {
                assigned.cancelled();
                None
            }
        }
    }
}

/// A job that a device is running. [`finish`](Running::finish) it, or its [`InterleavedJobs`](crate::InterleavedJobs); dropped instead, it
/// goes to the next device.
#[must_use = "a job that is dropped counts as a failure of its device"]
pub struct Running {
    job: Job,
    recycler: Arc<Recycler>,
    guard: Guard,
    started: Instant,
}

impl Running {
    /// The job.
    pub fn job(&self) -> &Job {
        &self.job
    }

    /// Allocate the output: the job's prefix, then room for as many bytes as the job declares.
    pub fn output_buffer(&self) -> OutputBuffer {
        OutputBuffer::new(&self.job, &self.recycler)
    }

    /// Report what came of the job. The router checks sizes and prefix; what is not as declared is a failure.
    pub fn finish(self, result: Result<OwnedOutput, Failure>) {
        let time = self.started.elapsed();
        self.settle(result, time);
    }

    /// The time that the router expects of the job.
    pub(crate) fn expected(&self) -> Duration {
        self.guard.0.as_ref().map_or(Duration::ZERO, |assigned| assigned.expected)
    }

    /// Report what came of the job in this time.
    pub(crate) fn settle(mut self, result: Result<OwnedOutput, Failure>, time: Duration) {
        let Some(assigned) = self.guard.0.take() else { return };
        let prefix_len = self.job.prefix.len();
        let verified = result.and_then(|finished| verify(&self.job, finished));
        drop(self);
        match verified {
            Ok(finished) => assigned.succeed(finished, prefix_len, time),
            Err(failure) => assigned.fail(failure),
        }
    }
}
