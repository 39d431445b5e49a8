//! Tickets: the holder's side of a submitted batch.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::batch_state::{Awaited, BatchState};
use super::in_flight::Completion;
use super::result::JobResult;

/// A submitted batch. Wait for it, poll it or `.await` it, in any mixture and on any async runtime.
///
/// Results come in the order of the jobs, and each is returned once: [`wait`](Ticket::wait) does
/// not repeat a result of [`next`](Ticket::next). Dropping the ticket cancels the jobs that have
/// not started and frees their inputs at once; jobs that a device is running end by themselves, and
/// their results are dropped.
#[must_use = "dropping a ticket cancels its jobs"]
pub struct Ticket {
    batch: Arc<BatchState>,
    completion: Arc<dyn Completion>,
}

impl Ticket {
    pub(crate) fn new(batch: Arc<BatchState>, completion: Arc<dyn Completion>) -> Ticket {
        Ticket { batch, completion }
    }

    /// Returns the number of jobs in the batch.
    pub fn len(&self) -> usize {
        self.batch.len()
    }

    /// Returns whether the batch had no jobs.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of results that were not returned yet.
    pub fn remaining(&self) -> usize {
        self.batch.remaining()
    }

    /// Blocks until every job is done.
    pub fn wait(self) -> Vec<JobResult> {
        self.run_on_caller(Awaited::All);
        self.batch.wait_all()
    }

    /// Returns the results if every job is done. For a [caller-runs](crate::Batch::caller_runs)
    /// batch, this runs some jobs.
    pub fn try_wait(&mut self) -> Option<Vec<JobResult>> {
        if self.batch.is_caller_runs() && !self.batch.is_ready(Awaited::All) {
            self.completion.run_on_caller(self.batch.id());
        }
        self.batch.try_all()
    }

    /// Returns the next job's result as soon as it is ready, or none after the last. Dropping the
    /// future does not lose the result.
    pub async fn next(&mut self) -> Option<JobResult> {
        poll_fn(|context| self.poll_next(context)).await
    }

    /// Polls for the next job's result, as [`next`](Ticket::next) does, for implementations of a
    /// stream.
    pub fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<JobResult>> {
        self.run_on_caller(Awaited::Next);
        self.batch.poll_next(context)
    }

    /// Blocks until the next job's result is ready, and returns it; none after the last.
    pub fn wait_next(&mut self) -> Option<JobResult> {
        self.run_on_caller(Awaited::Next);
        self.batch.wait_next()
    }

    /// Cancels the jobs that have not started. Their result is
    /// [`JobError::Cancelled`](crate::JobError::Cancelled).
    pub fn cancel(&self) {
        self.cancel_batch(false);
    }

    /// Runs the jobs of a caller-runs batch until the awaited results are ready.
    fn run_on_caller(&self, awaited: Awaited) {
        while self.batch.is_caller_runs() && !self.batch.is_ready(awaited) {
            if !self.completion.run_on_caller(self.batch.id()) {
                self.batch.wait_briefly(awaited);
            }
        }
    }

    fn cancel_batch(&self, unwanted: bool) {
        self.batch.cancel(unwanted);
        Arc::clone(&self.completion).remove(&self.batch);
        if self.batch.is_caller_runs() {
            while self.completion.run_on_caller(self.batch.id()) {}
        }
    }
}

impl Future for Ticket {
    type Output = Vec<JobResult>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Vec<JobResult>> {
        self.run_on_caller(Awaited::All);
        self.batch.poll_all(context)
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if self.batch.unfinished() > 0 {
            self.cancel_batch(true);
        }
    }
}
