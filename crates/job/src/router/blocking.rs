//! Blocking runs over borrowed memory.

use std::sync::Arc;
use std::time::Instant;

use super::Router;
use super::inline_run::InlineRun;
use super::select::Selection;
use crate::device::output::validate_sizes;
use crate::job::borrowed::{BorrowedJob, BorrowedJobOutput};
use crate::queue::in_flight::Attempt;
use crate::queue::result::JobError;

impl Router {
    /// Runs these jobs one after another and returns when they are done. On the CPU they run on the
    /// calling thread. The limits do not apply, since the caller has allocated all memory already.
    /// One bad job fails alone.
    pub fn run(&self, jobs: &mut [BorrowedJob<'_>]) -> Vec<Result<BorrowedJobOutput, JobError>> {
        jobs.iter_mut().map(|job| self.run_one(job)).collect()
    }

    /// Runs one job like [`run`](Router::run), without an allocation.
    pub fn run_one(&self, job: &mut BorrowedJob<'_>) -> Result<BorrowedJobOutput, JobError> {
        let mut attempts = Vec::new();
        loop {
            let selection = self.select(&job.view(), &attempts)?;
            if let Some(output) = self.attempt(job, &selection, &mut attempts) {
                return Ok(output);
            }
        }
    }

    /// Runs one job like [`run_one`](Router::run_one), for a submitter that runs the jobs of
    /// `device` itself: if that device is selected, at first or after a failure, the submitter gets
    /// an inline run.
    ///
    /// # Errors
    /// The submitter's inline run; none if no device supports the job or all of them failed.
    pub fn run_or_inline(
        &self,
        job: &mut BorrowedJob<'_>,
        device: &str,
    ) -> Result<BorrowedJobOutput, Option<InlineRun<'_>>> {
        let mut attempts = Vec::new();
        loop {
            let selection = self.select(&job.view(), &attempts).map_err(|_| None)?;
            if *self.devices[selection.device].name == *device {
                return Err(Some(self.begin_inline_run(&selection, &job.view())));
            }
            if let Some(output) = self.attempt(job, &selection, &mut attempts) {
                return Ok(output);
            }
        }
    }

    /// Runs the job on the selected device. Returns none and records the attempt if it failed.
    fn attempt(
        &self,
        job: &mut BorrowedJob<'_>,
        selection: &Selection,
        attempts: &mut Vec<Attempt>,
    ) -> Option<BorrowedJobOutput> {
        let state = &self.devices[selection.device];
        state.load.add(selection.expected);
        state.metrics.tried(job.operation);
        let started = Instant::now();
        let result = state.run_borrowed(job);
        let time = started.elapsed();
        state.load.remove(selection.expected);
        match result.and_then(|output| validate_sizes(&job.view(), output)) {
            Ok(output) => {
                let declared = job.view().uncompressed_len();
                state.succeeded(job.operation, job.input.len(), output.produced, declared, time, false);
                self.record_false_complaints(attempts);
                Some(BorrowedJobOutput {
                    produced: output.produced,
                    consumed: output.consumed,
                    checksum: output.checksum,
                    failed: attempts.len(),
                    device: Arc::clone(&state.name),
                    time,
                })
            }
            Err(failure) => {
                state.failed(&failure);
                attempts.push(Attempt { device: selection.device, operation: job.operation, failure });
                None
            }
        }
    }
}
