//! Batches: jobs that are submitted together.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::Job;

/// Jobs that are submitted together. The router may split a batch over devices; results come back
/// in the order of the jobs.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    jobs: Vec<Job>,
    caller_runs: bool,
}

/// Identity of a submitted batch: equal for the tasks of one batch, different between batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchId(u64);

impl BatchId {
    /// Returns an identity that no other batch of this process has.
    pub(crate) fn next() -> BatchId {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        BatchId(NEXT.fetch_add(1, Relaxed))
    }
}

impl Batch {
    /// Returns a batch with no jobs.
    pub fn new() -> Batch {
        Batch::default()
    }

    /// Returns a batch with no jobs and capacity for `jobs` of them.
    pub fn with_capacity(jobs: usize) -> Batch {
        Batch { jobs: Vec::with_capacity(jobs), caller_runs: false }
    }

    /// Runs the batch's CPU jobs on the thread that waits for their results (caller-runs). This is
    /// for callers that already occupy every core: the data stays in the caches of the core that
    /// uses it next, and no two threads have to wake each other. Other devices run such jobs as
    /// usual.
    ///
    /// The jobs do not count towards [`Limits::bytes_in_flight`](crate::Limits::bytes_in_flight).
    /// Their holder may come to wait late or never, and would block the jobs of others; the holder
    /// limits the size of such batches. Waiting for a result does not yield: polling runs jobs,
    /// too, and is never pending.
    pub fn caller_runs(mut self) -> Batch {
        self.caller_runs = true;
        self
    }

    /// Appends a job.
    pub fn push(&mut self, job: Job) {
        self.jobs.push(job);
    }

    /// Returns the number of jobs.
    pub fn len(&self) -> usize {
        self.jobs.len()
    }

    /// Returns whether there are no jobs.
    pub fn is_empty(&self) -> bool {
        self.jobs.is_empty()
    }

    /// Returns the jobs, in order.
    pub fn jobs(&self) -> &[Job] {
        &self.jobs
    }

    pub(crate) fn is_caller_runs(&self) -> bool {
        self.caller_runs
    }

    pub(crate) fn into_jobs(self) -> Vec<Job> {
        self.jobs
    }
}

impl From<Vec<Job>> for Batch {
    fn from(jobs: Vec<Job>) -> Batch {
        Batch { jobs, caller_runs: false }
    }
}

impl From<Job> for Batch {
    fn from(job: Job) -> Batch {
        Batch { jobs: vec![job], caller_runs: false }
    }
}

impl FromIterator<Job> for Batch {
    fn from_iter<I: IntoIterator<Item = Job>>(jobs: I) -> Batch {
        Batch { jobs: jobs.into_iter().collect(), caller_runs: false }
    }
}

impl Extend<Job> for Batch {
    fn extend<I: IntoIterator<Item = Job>>(&mut self, jobs: I) {
        self.jobs.extend(jobs);
    }
}
