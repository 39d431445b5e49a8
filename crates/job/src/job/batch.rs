//! Jobs that are submitted together.

use crate::job::Job;
use crate::queue::batch_state::Slots;

/// Jobs submitted together. The router may split them over devices; outcomes come back in this order.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    jobs: Vec<Job>,
    attended: bool,
}

/// Which batch a task is of: the same for all of its tasks, and another for those of every other batch that lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchId(usize);

impl BatchId {
    /// That of the batch with these slots, for as long as they live.
    pub(crate) fn of(slots: &Slots) -> BatchId {
        BatchId(std::ptr::from_ref(slots).addr())
    }
}

impl Batch {
    /// A batch with no jobs.
    pub fn new() -> Batch {
        Batch::default()
    }

    /// A batch with no jobs and room for `jobs` of them.
    pub fn with_capacity(jobs: usize) -> Batch {
        Batch { jobs: Vec::with_capacity(jobs), attended: false }
    }

    /// Says that whoever waits for the outcomes had better do on its own thread what would go to the CPU, when it comes to wait:
    /// for callers that are as many threads as there are cores, each with a batch of its own. What one of them then goes on
    /// with is in its core's caches, and no two threads have to wake each other. Other devices run such jobs as any.
    ///
    /// Its bytes don't count as in flight, as the holder may come to wait late, or never, and would keep others from theirs: how
    /// much there is of such batches is for the holder to limit. The outcomes are waited for without yielding: polling does
    /// the work, too, and is never pending.
    pub fn caller_runs(mut self) -> Batch {
        self.attended = true;
        self
    }

    /// Append a job.
    pub fn push(&mut self, job: Job) {
        self.jobs.push(job);
    }

    /// Number of jobs.
    pub fn len(&self) -> usize {
        self.jobs.len()
    }

    /// Whether there are no jobs.
    pub fn is_empty(&self) -> bool {
        self.jobs.is_empty()
    }

    /// The jobs, in order.
    pub fn jobs(&self) -> &[Job] {
        &self.jobs
    }

    pub(crate) fn is_caller_runs(&self) -> bool {
        self.attended
    }

    pub(crate) fn into_jobs(self) -> Vec<Job> {
        self.jobs
    }
}

impl From<Vec<Job>> for Batch {
    fn from(jobs: Vec<Job>) -> Batch {
        Batch { jobs, attended: false }
    }
}

impl From<Job> for Batch {
    fn from(job: Job) -> Batch {
        Batch { jobs: vec![job], attended: false }
    }
}

impl FromIterator<Job> for Batch {
    fn from_iter<I: IntoIterator<Item = Job>>(jobs: I) -> Batch {
        Batch { jobs: jobs.into_iter().collect(), attended: false }
    }
}

impl Extend<Job> for Batch {
    fn extend<I: IntoIterator<Item = Job>>(&mut self, jobs: I) {
        self.jobs.extend(jobs);
    }
}
