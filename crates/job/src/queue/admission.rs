//! Admission control: limits on the bytes in flight, and the queue of jobs beyond them.

use std::collections::VecDeque;
use std::sync::Arc;

use super::batch_state::BatchState;
use super::in_flight::InFlightJob;

/// Limits of a router and of a single job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum bytes of inputs and declared outputs of the jobs that devices hold. Further jobs
    /// wait in the router. A job larger than the limit runs alone. Jobs of
    /// [caller-runs](crate::Batch::caller_runs) batches and results that wait for their holder do
    /// not count.
    pub bytes_in_flight: usize,
    /// Maximum bytes of freed inputs and outputs that the buffer pool keeps for later jobs.
    pub free_bytes: usize,
    /// Maximum bytes of output that one job may declare. A job that declares more fails before
    /// anything is allocated for it.
    pub output_per_job: usize,
}

impl Default for Limits {
    /// 256 MiB in flight hold enough pages of ordinary size to keep the workers of a large machine
    /// busy, and half of that in free buffers serves most of their jobs. 1 GiB for one job exceeds
    /// every page that writers make, unless a single value is that large.
    fn default() -> Limits {
        Limits { bytes_in_flight: 256 << 20, free_bytes: 128 << 20, output_per_job: 1 << 30 }
    }
}

/// A batch with jobs that were not admitted yet.
struct Waiting {
    batch: Arc<BatchState>,
    next: usize,
}

/// An admitted job, which goes to a device next.
pub(crate) enum Admitted {
    /// A job that no device has received yet.
    New { batch: Arc<BatchState>, index: usize, bytes: usize },
    /// A job that a device failed.
    Retry(InFlightJob),
}

/// The router's queue and its count of bytes in flight.
#[derive(Default)]
pub(crate) struct AdmissionControl {
    backlog: VecDeque<Waiting>,
    retries: VecDeque<InFlightJob>,
    /// Bytes of the jobs that devices hold or that wait in `retries`.
    pub(crate) bytes: usize,
    /// Maximum of `bytes` so far.
    pub(crate) peak: usize,
    /// A thread is dispatching jobs, and checks the queue again before it ends.
    pub(crate) dispatching: bool,
}

impl AdmissionControl {
    /// Queues a batch behind the others.
    pub(crate) fn push(&mut self, batch: Arc<BatchState>) {
        if batch.len() > 0 {
            self.backlog.push_back(Waiting { batch, next: 0 });
        }
    }

    /// Queues a failed job in front of all others. Its bytes are counted already.
    pub(crate) fn push_retry(&mut self, job: InFlightJob) {
        self.retries.push_back(job);
    }

    /// Removes the waiting jobs of a cancelled batch.
    pub(crate) fn remove(&mut self, batch: &Arc<BatchState>) {
        self.backlog.retain(|waiting| !Arc::ptr_eq(&waiting.batch, batch));
    }

    /// Returns the number of waiting jobs.
    pub(crate) fn waiting(&self) -> usize {
        self.backlog.iter().map(|waiting| waiting.batch.len() - waiting.next).sum()
    }

    /// Subtracts the bytes of a completed job.
    pub(crate) fn release(&mut self, bytes: usize) {
        self.bytes -= bytes;
    }

    /// Removes the jobs that may go to devices now, first come, first served.
    pub(crate) fn admit(&mut self, limit: usize) -> Vec<Admitted> {
        let mut admitted: Vec<Admitted> = self.retries.drain(..).map(Admitted::Retry).collect();
        while let Some(waiting) = self.backlog.front_mut() {
            let bytes = waiting.batch.bytes(waiting.next);
            let fits = self.bytes.checked_add(bytes).is_some_and(|sum| sum <= limit);
            // Caller-runs jobs have zero bytes. They can stay with a device until their holder
            // comes, and the holder may wait for another job first. If they counted, the two could
            // block each other.
            if self.bytes > 0 && bytes > 0 && !fits {
                break;
            }
            self.bytes += bytes;
            self.peak = self.peak.max(self.bytes);
            admitted.push(Admitted::New { batch: Arc::clone(&waiting.batch), index: waiting.next, bytes });
            waiting.next += 1;
            if waiting.next == waiting.batch.len() {
                self.backlog.pop_front();
            }
        }
        admitted
    }
}
