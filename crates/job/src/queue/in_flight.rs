//! What a job in flight owes to its router, and how that is settled.

use std::sync::Arc;
use std::time::Duration;

use crate::device::{Failure, OwnedOutput};
use crate::job::{Operation, OutputSize};
use crate::queue::batch_state::Slots;
use crate::queue::result::{JobError, JobOutput, JobResult};
use crate::router::Router;

/// A device that had a job and failed.
pub(crate) struct Attempt {
    pub(crate) device: usize,
    pub(crate) operation: Operation,
    pub(crate) failure: Failure,
}

/// A job that counts as in flight. Its bytes are given back when this is dropped, so that no path can forget
/// them.
pub(crate) struct Claim {
    pub(crate) router: Arc<Router>,
    pub(crate) slots: Arc<Slots>,
    pub(crate) index: usize,
    /// None once given back.
    pub(crate) bytes: Option<usize>,
    pub(crate) attempts: Vec<Attempt>,
}

impl Claim {
    /// The job is over. Its bytes are free before its holder is woken, and the next jobs are let in after
    /// that.
    pub(crate) fn conclude(mut self, outcome: JobResult) {
        self.release();
        self.slots.finish(self.index, outcome);
    }

    fn release(&mut self) -> bool {
        let bytes = self.bytes.take();
        if let Some(bytes) = bytes {
            self.router.release(bytes);
        }
        bytes.is_some()
    }
}

/// A claim that was not concluded is that of a cancelled job, whose outcome is there already. Should it ever
/// be another job's, its holder is told, and not left waiting.
impl Drop for Claim {
    fn drop(&mut self) {
        // However the job ended, it tells no more of those that had it before.
        for attempt in &self.attempts {
            self.router.entry(attempt.device).health.unknown();
        }
        if self.release() {
            self.slots.finish(self.index, Err(JobError::Cancelled));
        }
        self.router.pump();
    }
}

/// A claim and the device that was chosen for it.
pub(crate) struct Assigned {
    pub(crate) claim: Claim,
    pub(crate) device: usize,
    pub(crate) operation: Operation,
    pub(crate) input_len: usize,
    pub(crate) output: OutputSize,
    /// Bytes of the uncompressed side, as the job declares them.
    pub(crate) plain: usize,
    /// What the job added to the device's load.
    pub(crate) expected: Duration,
}

impl Assigned {
    /// The device did the job.
    pub(crate) fn succeed(self, finished: OwnedOutput, prefix_len: usize, time: Duration) {
        let router = Arc::clone(&self.claim.router);
        let entry = router.entry(self.device);
        entry.load.remove(self.expected);
        let produced = finished.output.len() - prefix_len;
        let OwnedOutput { output, consumed, checksum, interleaved } = finished;
        entry.succeeded(self.operation, self.input_len, produced, self.plain, time, interleaved);
        router.made_good(&self.claim.attempts);
        // Before its bytes count as free, and before its holder goes on.
        self.claim.slots.free(self.claim.index);
        let device = Arc::clone(&entry.name);
        self.claim.conclude(Ok(JobOutput { output, consumed, checksum, device, time, interleaved }));
    }

    /// The device failed: the job goes back to the router, which finds another device or gives up.
    pub(crate) fn fail(mut self, failure: Failure) {
        let router = Arc::clone(&self.claim.router);
        let entry = router.entry(self.device);
        entry.load.remove(self.expected);
        entry.failed(&failure);
        if self.claim.slots.put_back(self.claim.index) {
            let Assigned { device, operation, .. } = self;
            self.claim.attempts.push(Attempt { device, operation, failure });
            router.again(self.claim);
        } else {
            entry.health.unknown();
            entry.tally.cancelled(self.operation);
            self.claim.conclude(Err(JobError::Cancelled));
        }
    }

    /// The job was cancelled before the device started it.
    pub(crate) fn cancelled(self) {
        let entry = self.claim.router.entry(self.device);
        entry.load.remove(self.expected);
        entry.health.unknown();
        entry.tally.cancelled(self.operation);
    }
}
