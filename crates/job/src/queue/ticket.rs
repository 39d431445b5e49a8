//! The holder's side of a submitted batch.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use crate::queue::batch_state::{Awaited, Slots};
use crate::queue::result::JobResult;
use crate::router::Router;

/// A submitted batch: wait for it, poll it, or `.await` it, in any mixture. It belongs to no async runtime.
///
/// Outcomes come in the order of the jobs, and each is given once: what [`next`](Ticket::next) gave,
/// [`wait`](Ticket::wait) does not give again. Dropping the ticket cancels the jobs that have not started and
/// frees their inputs at once; those that a device is running end by themselves, and their outcomes are
/// dropped.
#[must_use = "dropping a ticket cancels its jobs"]
pub struct Ticket {
    slots: Arc<Slots>,
    router: Arc<Router>,
}

impl Ticket {
    pub(crate) fn new(slots: Arc<Slots>, router: Arc<Router>) -> Ticket {
        Ticket { slots, router }
    }

    /// Number of jobs in the batch.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether the batch had no jobs.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of outcomes that were not given yet.
    pub fn remaining(&self) -> usize {
        self.slots.untaken()
    }

    /// Block until every job is done.
    pub fn wait(self) -> Vec<JobResult> {
        self.attend(Awaited::All);
        self.slots.wait_all()
    }

    /// The outcomes, if every job is done. Of an [attended](crate::Batch::caller_runs) batch this runs some jobs.
    pub fn try_wait(&mut self) -> Option<Vec<JobResult>> {
        if self.slots.is_caller_runs() && !self.slots.is_ready(Awaited::All) {
            self.router.help(&self.slots);
        }
        self.slots.try_all()
    }

    /// The next job's outcome, as soon as it is there, or none after the last. It is not lost if the future
    /// is dropped.
    pub async fn next(&mut self) -> Option<JobResult> {
        poll_fn(|context| self.poll_next(context)).await
    }

    /// [`next`](Ticket::next) for those who implement a stream.
    pub fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<JobResult>> {
        self.attend(Awaited::Next);
        self.slots.poll_next(context)
    }

    /// Block until the next job's outcome is there; none after the last.
    pub fn wait_next(&mut self) -> Option<JobResult> {
        self.attend(Awaited::Next);
        self.slots.wait_next()
    }

    /// Cancel the jobs that have not started: their outcome is
    /// [`JobError::Cancelled`](crate::JobError::Cancelled).
    pub fn cancel(&self) {
        self.give_up(false);
    }

    /// Where the batch is attended, runs jobs until what is awaited is there.
    fn attend(&self, awaited: Awaited) {
        while self.slots.is_caller_runs() && !self.slots.is_ready(awaited) {
            if !self.router.help(&self.slots) {
                self.slots.wait_briefly(awaited);
            }
        }
    }

    fn give_up(&self, unwanted: bool) {
        self.slots.cancel(unwanted);
        self.router.forget(&self.slots);
        if self.slots.is_caller_runs() {
            while self.router.help(&self.slots) {}
        }
    }
}

impl Future for Ticket {
    type Output = Vec<JobResult>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Vec<JobResult>> {
        self.attend(Awaited::All);
        self.slots.poll_all(context)
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if self.slots.unfinished() > 0 {
            self.give_up(true);
        }
    }
}
