//! Tasks: jobs as a device receives them, first waiting, then running.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Failure;
use super::output::{OwnedOutput, validate};
use crate::job::batch::BatchId;
use crate::job::{Job, Operation, OutputSize};
use crate::memory::buffer::OutputBuffer;
use crate::memory::buffer_pool::BufferPool;
use crate::queue::in_flight::AssignedJob;

/// An assigned job that fails when it is dropped before it has a result.
struct Guard(Option<AssignedJob>);

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(assigned) = self.0.take() {
            assigned.fail(Failure::Lost("it dropped the job".into()));
        }
    }
}

/// A job that a device has not started. [`start`](Task::start) it when a worker is ready for it,
/// not before: a waiting task can still be cancelled. A dropped task goes to the next device.
#[must_use = "a task that is dropped counts as a failure of its device"]
pub struct Task {
    guard: Guard,
    operation: Operation,
    input_len: usize,
    output: OutputSize,
    batch: BatchId,
    caller_runs: bool,
}

impl Task {
    pub(crate) fn new(assigned: AssignedJob) -> Task {
        let AssignedJob { operation, input_len, output, .. } = assigned;
        let (batch, caller_runs) = (assigned.job.batch.id(), assigned.job.batch.is_caller_runs());
        Task { guard: Guard(Some(assigned)), operation, input_len, output, batch, caller_runs }
    }

    /// Returns the operation.
    pub fn operation(&self) -> Operation {
        self.operation
    }

    /// Returns the length of the input in bytes.
    pub fn input_len(&self) -> usize {
        self.input_len
    }

    /// Returns the identity of the task's batch.
    pub fn batch(&self) -> BatchId {
        self.batch
    }

    /// Returns whether the thread that waits for the batch will run this task through
    /// [`Device::run_on_caller`](crate::Device::run_on_caller), so that the device needs no thread
    /// of its own for it.
    pub fn is_caller_runs(&self) -> bool {
        self.caller_runs
    }

    /// Returns the size of the output, without the prefix.
    pub fn output(&self) -> OutputSize {
        self.output
    }

    /// Starts the job. Returns none if it was cancelled; then nothing remains to be done.
    pub fn start(mut self) -> Option<Running> {
        let assigned = self.guard.0.take()?;
        match assigned.job.batch.start(assigned.job.index) {
            Some(job) => {
                let pool = Arc::clone(assigned.job.completion.buffer_pool());
                Some(Running { job, pool, guard: Guard(Some(assigned)), started: Instant::now() })
            }
            None => {
                assigned.cancelled();
                None
            }
        }
    }
}

/// A job that a device is running. End it with [`finish`](Running::finish), or with the
/// [`InterleavedJobs`](crate::InterleavedJobs) that it belongs to. A dropped job goes to the next
/// device.
#[must_use = "a job that is dropped counts as a failure of its device"]
pub struct Running {
    job: Job,
    pool: Arc<BufferPool>,
    guard: Guard,
    started: Instant,
}

impl Running {
    /// Returns the job.
    pub fn job(&self) -> &Job {
        &self.job
    }

    /// Allocates the output: the job's prefix, then capacity for the bytes that the job declares.
    pub fn output_buffer(&self) -> OutputBuffer {
        OutputBuffer::new(&self.job, &self.pool)
    }

    /// Reports the result. The router validates sizes and prefix; an output that does not match the
    /// declaration is a failure.
    pub fn finish(self, result: Result<OwnedOutput, Failure>) {
        let time = self.started.elapsed();
        self.finish_in(result, time);
    }

    /// Returns the time that the router expects for the job.
    pub(crate) fn expected(&self) -> Duration {
        self.guard.0.as_ref().map_or(Duration::ZERO, |assigned| assigned.expected)
    }

    /// Reports the result as [`finish`](Running::finish) does, with the time that the job had a
    /// worker. For devices that start several jobs a worker, whose jobs wait for each other: their
    /// time from start to finish is longer than a worker needs for one.
    pub fn finish_in(mut self, result: Result<OwnedOutput, Failure>, time: Duration) {
        let Some(assigned) = self.guard.0.take() else { return };
        let prefix_len = self.job.prefix.len();
        let validated = result.and_then(|output| validate(&self.job, output));
        drop(self);
        match validated {
            Ok(output) => assigned.succeed(output, prefix_len, time),
            Err(failure) => assigned.fail(failure),
        }
    }
}
