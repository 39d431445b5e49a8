//! Jobs in flight: their completion, failure and cancellation.

use std::sync::Arc;
use std::time::Duration;

use super::batch_state::BatchState;
use super::result::{JobError, JobOutput, JobResult};
use crate::device::{Failure, OwnedOutput};
use crate::job::batch::BatchId;
use crate::job::{Operation, OutputSize};
use crate::memory::buffer_pool::BufferPool;

/// A device that received a job and failed it.
pub(crate) struct Attempt {
    pub(crate) device: usize,
    pub(crate) operation: Operation,
    pub(crate) failure: Failure,
}

/// The router as jobs in flight and tickets see it.
pub(crate) trait Completion: Send + Sync {
    /// Returns the pool of input and output buffers.
    fn buffer_pool(&self) -> &Arc<BufferPool>;

    /// Subtracts a job's bytes from those in flight. The caller dispatches after it has woken the
    /// job's holder.
    fn release(&self, bytes: usize);

    /// Admits waiting jobs and submits them to devices.
    fn dispatch(self: Arc<Self>);

    /// Selects another device for a failed job.
    fn retry(self: Arc<Self>, job: InFlightJob);

    /// Removes the waiting jobs of a cancelled batch.
    fn remove(self: Arc<Self>, batch: &Arc<BatchState>);

    /// Runs some tasks of a caller-runs batch on this thread, and returns whether there were any.
    /// Tasks of a cancelled batch do not run; their devices release them.
    fn run_on_caller(&self, batch: BatchId) -> bool;

    /// Removes an assigned job from the load of its device.
    fn unload(&self, job: &AssignedJob);

    /// Records the success of an unloaded job, and returns the device's name.
    fn succeeded(&self, job: &AssignedJob, produced: usize, time: Duration, interleaved: bool) -> Arc<str>;

    /// Records the failure of an unloaded job.
    fn failed(&self, job: &AssignedJob, failure: &Failure);

    /// Records the cancellation of an unloaded job.
    fn cancelled(&self, job: &AssignedJob);

    /// Ends the probes of the devices that made these attempts at a job.
    fn attempts_ended(&self, attempts: &[Attempt]);
}

/// A job that counts as in flight. Dropping it releases its bytes, so that no path can forget them.
pub(crate) struct InFlightJob {
    pub(crate) completion: Arc<dyn Completion>,
    pub(crate) batch: Arc<BatchState>,
    pub(crate) index: usize,
    /// None once released.
    pub(crate) bytes: Option<usize>,
    pub(crate) attempts: Vec<Attempt>,
}

impl InFlightJob {
    /// Completes the job. Its bytes are released before its holder is woken, and the next jobs are
    /// admitted after that.
    pub(crate) fn complete(mut self, result: JobResult) {
        self.release();
        self.batch.complete(self.index, result);
    }

    fn release(&mut self) -> bool {
        let bytes = self.bytes.take();
        if let Some(bytes) = bytes {
            self.completion.release(bytes);
        }
        bytes.is_some()
    }
}

/// A job that was dropped before its completion belongs to a cancelled batch and has its result
/// already. For any other job, this wakes the holder, which would otherwise wait for ever.
impl Drop for InFlightJob {
    fn drop(&mut self) {
        self.completion.attempts_ended(&self.attempts);
        if self.release() {
            self.batch.complete(self.index, Err(JobError::Cancelled));
        }
        Arc::clone(&self.completion).dispatch();
    }
}

/// A job in flight with its selected device.
pub(crate) struct AssignedJob {
    pub(crate) job: InFlightJob,
    pub(crate) device: usize,
    pub(crate) operation: Operation,
    pub(crate) input_len: usize,
    pub(crate) output: OutputSize,
    /// Bytes of the uncompressed side, as the job declares them.
    pub(crate) uncompressed_len: usize,
    /// Time that the job added to the device's load.
    pub(crate) expected: Duration,
}

impl AssignedJob {
    /// Completes a job that the device ran.
    pub(crate) fn succeed(self, output: OwnedOutput, prefix_len: usize, time: Duration) {
        let completion = Arc::clone(&self.job.completion);
        completion.unload(&self);
        let produced = output.output.len() - prefix_len;
        let OwnedOutput { output, consumed, checksum, interleaved } = output;
        let device = completion.succeeded(&self, produced, time, interleaved);
        // The input is freed before its bytes are released and before the holder continues.
        self.job.batch.free_input(self.job.index);
        self.job.complete(Ok(JobOutput { output, consumed, checksum, device, time, interleaved }));
    }

    /// Returns a failed job to the router, which retries it on another device or completes it with
    /// an error.
    pub(crate) fn fail(mut self, failure: Failure) {
        let completion = Arc::clone(&self.job.completion);
        completion.unload(&self);
        completion.failed(&self, &failure);
        if self.job.batch.put_back(self.job.index) {
            let AssignedJob { device, operation, .. } = self;
            self.job.attempts.push(Attempt { device, operation, failure });
            completion.retry(self.job);
        } else {
            completion.cancelled(&self);
            self.job.complete(Err(JobError::Cancelled));
        }
    }

    /// Ends a job that was cancelled before the device started it.
    pub(crate) fn cancelled(self) {
        self.job.completion.unload(&self);
        self.job.completion.cancelled(&self);
    }
}
