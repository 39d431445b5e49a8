//! What the lock of a batch protects.

use std::task::Waker;

use crate::job::Job;
use crate::queue::result::JobResult;

/// One job of a batch.
pub(super) enum Slot {
    /// Not started, with a device or still with the router. The job lives here so that cancelling frees it at
    /// once.
    Waiting(Job),
    /// A device runs it. Kept here too, by reference, to be run again elsewhere if the device fails.
    Running(Job),
    /// A device has run it, and its outcome is about to be here.
    Ending,
    /// Its outcome is here.
    Done(JobResult),
    /// Its outcome was taken, or nobody wants it.
    Taken,
}

/// What the ticket's holder waits for.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Awaited {
    Next,
    All,
}

pub(super) struct State {
    pub(super) slots: Vec<Slot>,
    /// The first slot that was not taken.
    pub(super) next: usize,
    /// Slots that are `Waiting`, `Running` or `Ending`.
    pub(super) unfinished: usize,
    /// Set by cancel: a job that comes back is not tried again.
    pub(super) cancelled: bool,
    /// Set when the ticket is dropped: outcomes are dropped too.
    pub(super) unwanted: bool,
    pub(super) awaited: Awaited,
    pub(super) waker: Option<Waker>,
}

impl State {
    /// Whether there is what the holder waits for.
    pub(super) fn is_ready(&self) -> bool {
        match self.awaited {
            Awaited::All => self.unfinished == 0,
            Awaited::Next => match self.slots.get(self.next) {
                Some(slot) => matches!(slot, Slot::Done(_)),
                None => true,
            },
        }
    }

    /// The next outcome, if it is there.
    pub(super) fn take_next(&mut self) -> Option<JobResult> {
        let slot = self.slots.get_mut(self.next)?;
        match std::mem::replace(slot, Slot::Taken) {
            Slot::Done(outcome) => {
                self.next += 1;
                Some(outcome)
            }
            other => {
                *slot = other;
                None
            }
        }
    }

    /// The outcomes from the next on, as far as they are there without a gap.
    pub(super) fn take_all(&mut self) -> Vec<JobResult> {
        let mut outcomes = Vec::with_capacity(self.slots.len() - self.next);
        while let Some(outcome) = self.take_next() {
            outcomes.push(outcome);
        }
        outcomes
    }
}
