//! Jobs that are submitted together.

use crate::job::Job;

/// Jobs submitted together. The router may split them over devices; outcomes come back in this order.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    jobs: Vec<Job>,
}

impl Batch {
    /// A batch with no jobs.
    pub fn new() -> Batch {
        Batch::default()
    }

    /// A batch with no jobs and room for `jobs` of them.
    pub fn with_capacity(jobs: usize) -> Batch {
        Batch { jobs: Vec::with_capacity(jobs) }
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

    pub(crate) fn into_jobs(self) -> Vec<Job> {
        self.jobs
    }
}

impl From<Vec<Job>> for Batch {
    fn from(jobs: Vec<Job>) -> Batch {
        Batch { jobs }
    }
}

impl From<Job> for Batch {
    fn from(job: Job) -> Batch {
        Batch { jobs: vec![job] }
    }
}

impl FromIterator<Job> for Batch {
    fn from_iter<I: IntoIterator<Item = Job>>(jobs: I) -> Batch {
        Batch { jobs: jobs.into_iter().collect() }
    }
}

impl Extend<Job> for Batch {
    fn extend<I: IntoIterator<Item = Job>>(&mut self, jobs: I) {
        self.jobs.extend(jobs);
    }
}
