//! The blocking form over borrowed memory.

use std::sync::Arc;
use std::time::Instant;

use crate::device::validate::verify_produced;
use crate::job::borrowed::{BorrowedJob, BorrowedJobOutput};
use crate::queue::in_flight::Attempt;
use crate::queue::result::JobError;
use crate::router::Router;
use crate::router::inline_run::InlineRun;
use crate::router::select::Choice;

impl Router {
    /// Run these jobs one after another and return when they are done; on the CPU they run on the calling
    /// thread. The limits do not apply: the caller has allocated everything already. One bad job fails alone.
    pub fn run(&self, jobs: &mut [BorrowedJob<'_>]) -> Vec<Result<BorrowedJobOutput, JobError>> {
        jobs.iter_mut().map(|job| self.run_one(job)).collect()
    }

    /// [`run`](Router::run) for one job, without an allocation.
    pub fn run_one(&self, job: &mut BorrowedJob<'_>) -> Result<BorrowedJobOutput, JobError> {
        let mut attempts = Vec::new();
        loop {
            let choice = self.route(&job.view(), &attempts)?;
            if let Some(done) = self.attempt(job, &choice, &mut attempts) {
                return Ok(done);
            }
        }
    }

    /// As [`run_one`](Router::run_one), for a submitter that does in a device's name what would go to that device, at first or
    /// after another has failed.
    ///
    /// # Errors
    /// The submitter's turn; or none, if no device takes the job or they failed.
    pub fn run_or_inline(
        &self,
        job: &mut BorrowedJob<'_>,
        device: &str,
    ) -> Result<BorrowedJobOutput, Option<InlineRun<'_>>> {
        let mut attempts = Vec::new();
        loop {
            let choice = self.route(&job.view(), &attempts).map_err(|_| None)?;
            if *self.entry(choice.device).name == *device {
                return Err(Some(self.begin(&choice, &job.view())));
            }
            if let Some(done) = self.attempt(job, &choice, &mut attempts) {
                return Ok(done);
            }
        }
    }

    /// Has a device do the job; none if it failed.
    fn attempt(
        &self,
        job: &mut BorrowedJob<'_>,
        choice: &Choice,
        attempts: &mut Vec<Attempt>,
    ) -> Option<BorrowedJobOutput> {
        let entry = self.entry(choice.device);
        entry.load.add(choice.expected);
        entry.tally.tried(job.operation);
        let started = Instant::now();
        let result = entry.run_borrowed(job);
        let time = started.elapsed();
        entry.load.remove(choice.expected);
        match result.and_then(|result| verify_produced(&job.view(), result)) {
            Ok(result) => {
                let plain = job.view().uncompressed_len();
                entry.succeeded(job.operation, job.input.len(), result.produced, plain, time, false);
                self.made_good(attempts);
                Some(BorrowedJobOutput {
                    produced: result.produced,
                    consumed: result.consumed,
                    checksum: result.checksum,
                    failed: attempts.len(),
                    device: Arc::clone(&entry.name),
                    time,
                })
            }
            Err(failure) => {
                entry.failed(&failure);
                attempts.push(Attempt { device: choice.device, operation: job.operation, failure });
                None
            }
        }
    }
}
