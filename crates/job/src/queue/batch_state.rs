//! The shared state of one batch: its jobs until they start, its outcomes until they are taken.

use std::sync::{Condvar, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use crate::job::Job;
use crate::queue::result::{JobError, JobResult};
use crate::util::{lock, wake};
pub(crate) use state::Awaited;
use state::{Slot, State};

mod state;

/// How long one who attends a batch waits before it looks for work again. It waits where a device has a job, which wakes it, or passes it
/// on to one that leaves it to be done, and that doesn't. A millisecond is what decompressing a page or two takes, so that looking costs
/// nothing beside it.
const LOOK_AGAIN: Duration = Duration::from_millis(1);

/// See the module.
pub(crate) struct Slots {
    /// Bytes that each job holds in flight, fixed when the batch is submitted.
    bytes: Box<[usize]>,
    /// Who waits runs jobs.
    attended: bool,
    state: Mutex<State>,
    changed: Condvar,
}

impl Slots {
    /// Slots for these jobs. `check` turns away a job before it starts.
    pub(crate) fn new(jobs: Vec<Job>, attended: bool, check: impl Fn(&Job) -> Result<(), JobError>) -> Slots {
        let mut bytes = Vec::with_capacity(jobs.len());
        let mut slots = Vec::with_capacity(jobs.len());
        for job in jobs {
            let checked = check(&job);
            bytes.push(if checked.is_ok() && !attended { job.bytes() } else { 0 });
            slots.push(match checked {
                Ok(()) => Slot::Waiting(job),
                Err(error) => Slot::Done(Err(error)),
            });
        }
        let unfinished = slots.iter().filter(|slot| matches!(slot, Slot::Waiting(_))).count();
        let state = State {
            slots,
            next: 0,
            unfinished,
            cancelled: false,
            unwanted: false,
            awaited: Awaited::All,
            waker: None,
        };
        Slots { bytes: bytes.into(), attended, state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Whether who waits for it runs its jobs.
    pub(crate) fn is_caller_runs(&self) -> bool {
        self.attended
    }

    /// Number of jobs.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Bytes that a job holds in flight.
    pub(crate) fn bytes(&self, index: usize) -> usize {
        self.bytes[index]
    }

    /// A copy (by reference) of a job that has not started; none if it was turned away or cancelled.
    pub(crate) fn peek(&self, index: usize) -> Option<Job> {
        match &lock(&self.state).slots[index] {
            Slot::Waiting(job) => Some(job.clone()),
            _ => None,
        }
    }

    /// Mark a job as running and give it out; none if it was cancelled.
    pub(crate) fn start(&self, index: usize) -> Option<Job> {
        let slot = &mut lock(&self.state).slots[index];
        match std::mem::replace(slot, Slot::Taken) {
            Slot::Waiting(job) => {
                *slot = Slot::Running(job.clone());
                Some(job)
            }
            other => {
                *slot = other;
                None
            }
        }
    }

    /// A device has run the job, which is not needed any more.
    pub(crate) fn free(&self, index: usize) {
        let old = {
            let slot = &mut lock(&self.state).slots[index];
            match slot {
                Slot::Running(_) => std::mem::replace(slot, Slot::Ending),
                _ => return,
            }
        };
        drop(old);
    }

    /// A device failed: the job waits again. False if it was cancelled.
    pub(crate) fn put_back(&self, index: usize) -> bool {
        let mut state = lock(&self.state);
        let cancelled = state.cancelled;
        let slot = &mut state.slots[index];
        match std::mem::replace(slot, Slot::Ending) {
            Slot::Running(job) if !cancelled => *slot = Slot::Waiting(job),
            other => *slot = other,
        }
        matches!(slot, Slot::Waiting(_))
    }

    /// Record what became of a job and wake who waits for it.
    pub(crate) fn finish(&self, index: usize, outcome: JobResult) {
        let mut state = lock(&self.state);
        if !matches!(state.slots[index], Slot::Waiting(_) | Slot::Running(_) | Slot::Ending) {
            return;
        }
        let unwanted = state.unwanted;
        let old = std::mem::replace(
            &mut state.slots[index],
            if unwanted { Slot::Taken } else { Slot::Done(outcome) },
        );
        state.unfinished -= 1;
        let ready = state.is_ready();
        let waker = if ready { state.waker.take() } else { None };
        drop(state);
        drop(old);
        if ready {
            self.changed.notify_all();
        }
        wake(waker);
    }

    /// Free all jobs that have not started. `unwanted` drops the outcomes too, those of running jobs
    /// included.
    pub(crate) fn cancel(&self, unwanted: bool) {
        let mut freed = Vec::new();
        let mut state = lock(&self.state);
        state.cancelled = true;
        state.unwanted |= unwanted;
        let mut cancelled = 0;
        for slot in &mut state.slots {
            match slot {
                Slot::Waiting(_) => {
                    cancelled += 1;
                    let outcome = if unwanted { Slot::Taken } else { Slot::Done(Err(JobError::Cancelled)) };
                    freed.push(std::mem::replace(slot, outcome));
                }
                Slot::Done(_) if unwanted => freed.push(std::mem::replace(slot, Slot::Taken)),
                _ => {}
            }
        }
        state.unfinished -= cancelled;
        let waker = state.waker.take();
        drop(state);
        self.changed.notify_all();
        wake(waker);
    }

    /// Whether its holder has given up what had not started.
    pub(crate) fn is_cancelled(&self) -> bool {
        lock(&self.state).cancelled
    }

    /// Jobs that have no outcome yet.
    pub(crate) fn unfinished(&self) -> usize {
        lock(&self.state).unfinished
    }

    /// Outcomes that were not taken yet.
    pub(crate) fn untaken(&self) -> usize {
        let state = lock(&self.state);
        state.slots.len() - state.next
    }

    /// The next outcome, or none after the last; pending until it is there.
    pub(crate) fn poll_next(&self, context: &mut Context<'_>) -> Poll<Option<JobResult>> {
        self.poll(context, Awaited::Next).map(|mut state| state.take_next())
    }

    /// All outcomes that were not taken; pending until the last is there.
    pub(crate) fn poll_all(&self, context: &mut Context<'_>) -> Poll<Vec<JobResult>> {
        self.poll(context, Awaited::All).map(|mut state| state.take_all())
    }

    /// Block until the next outcome is there.
    pub(crate) fn wait_next(&self) -> Option<JobResult> {
        self.wait(Awaited::Next).take_next()
    }

    /// Block until the last outcome is there.
    pub(crate) fn wait_all(&self) -> Vec<JobResult> {
        self.wait(Awaited::All).take_all()
    }

    /// All outcomes that were not taken, if the last is there.
    pub(crate) fn try_all(&self) -> Option<Vec<JobResult>> {
        let mut state = lock(&self.state);
        (state.unfinished == 0).then(|| state.take_all())
    }

    /// Whether what is awaited is there.
    pub(crate) fn is_ready(&self, awaited: Awaited) -> bool {
        let mut state = lock(&self.state);
        state.awaited = awaited;
        state.is_ready()
    }

    /// Block until what is awaited may be there, or for [`LOOK_AGAIN`].
    pub(crate) fn wait_briefly(&self, awaited: Awaited) {
        let mut state = lock(&self.state);
        state.awaited = awaited;
        if !state.is_ready() {
            drop(self.changed.wait_timeout(state, LOOK_AGAIN));
        }
    }

    fn poll(&self, context: &mut Context<'_>, awaited: Awaited) -> Poll<std::sync::MutexGuard<'_, State>> {
        let mut state = lock(&self.state);
        state.awaited = awaited;
        if state.is_ready() {
            return Poll::Ready(state);
        }
        match &mut state.waker {
            Some(waker) => waker.clone_from(context.waker()),
            none => *none = Some(context.waker().clone()),
        }
        Poll::Pending
    }

    fn wait(&self, awaited: Awaited) -> std::sync::MutexGuard<'_, State> {
        let mut state = lock(&self.state);
        state.awaited = awaited;
        while !state.is_ready() {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state
    }
}
