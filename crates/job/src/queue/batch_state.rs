//! Shared state of one batch: its jobs until they start, its results until they are taken.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use super::result::{JobError, JobResult};
use crate::job::Job;
use crate::job::batch::BatchId;
use crate::util::{lock, wake};

/// Interval at which the caller of a caller-runs batch checks for work again. It waits while a
/// device has a job; the device wakes it with the result, but a job that passes to another device
/// does not wake it. Checking once in the time of a page or two costs nothing in comparison.
const CHECK_INTERVAL: Duration = Duration::from_millis(1);

/// The state of one batch, shared by its ticket, the router and the jobs in flight.
pub(crate) struct BatchState {
    id: BatchId,
    /// Bytes that each job holds in flight, fixed at submission.
    bytes: Box<[usize]>,
    /// Whether the waiting thread runs jobs.
    caller_runs: bool,
    jobs: Mutex<JobStates>,
    changed: Condvar,
}

/// The state of one job of a batch.
enum JobState {
    /// Not started, in the router or with a device. The job lives here so that cancelling frees it
    /// at once.
    Waiting(Job),
    /// Running on a device. Shared with it, for a retry on another device.
    Running(Job),
    /// A device has run the job; its result follows.
    Completing,
    /// The result is ready.
    Done(JobResult),
    /// The result was taken or dropped.
    Taken,
}

/// The extent of a wait.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Awaited {
    /// The next result.
    Next,
    /// All results.
    All,
}

/// The states of all jobs and the condition of the waiting holder.
struct JobStates {
    states: Vec<JobState>,
    /// Index of the first state that was not taken.
    next: usize,
    /// Number of states that are `Waiting`, `Running` or `Completing`.
    unfinished: usize,
    /// Set by cancelling: a failed job is not retried.
    cancelled: bool,
    /// Set by dropping the ticket: results are dropped, too.
    unwanted: bool,
    awaited: Awaited,
    waker: Option<Waker>,
}

impl BatchState {
    /// Makes the state of a batch of these jobs. `check` rejects a job before it starts.
    pub(crate) fn new(
        jobs: Vec<Job>,
        caller_runs: bool,
        check: impl Fn(&Job) -> Result<(), JobError>,
    ) -> BatchState {
        let mut bytes = Vec::with_capacity(jobs.len());
        let mut states = Vec::with_capacity(jobs.len());
        for job in jobs {
            let checked = check(&job);
            bytes.push(if checked.is_ok() && !caller_runs { job.bytes() } else { 0 });
            states.push(match checked {
                Ok(()) => JobState::Waiting(job),
                Err(error) => JobState::Done(Err(error)),
            });
        }
        let unfinished = states.iter().filter(|state| matches!(state, JobState::Waiting(_))).count();
        let jobs = JobStates {
            states,
            next: 0,
            unfinished,
            cancelled: false,
            unwanted: false,
            awaited: Awaited::All,
            waker: None,
        };
        BatchState {
            id: BatchId::next(),
            bytes: bytes.into(),
            caller_runs,
            jobs: Mutex::new(jobs),
            changed: Condvar::new(),
        }
    }

    /// Returns the identity of the batch.
    pub(crate) fn id(&self) -> BatchId {
        self.id
    }

    /// Returns whether the thread that waits for the batch runs its jobs.
    pub(crate) fn is_caller_runs(&self) -> bool {
        self.caller_runs
    }

    /// Returns the number of jobs.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Returns the bytes that a job holds in flight.
    pub(crate) fn bytes(&self, index: usize) -> usize {
        self.bytes[index]
    }

    /// Returns a job that has not started, sharing its buffers; none if it was rejected or
    /// cancelled.
    pub(crate) fn peek(&self, index: usize) -> Option<Job> {
        match &lock(&self.jobs).states[index] {
            JobState::Waiting(job) => Some(job.clone()),
            _ => None,
        }
    }

    /// Marks a job as running and returns it; none if it was cancelled.
    pub(crate) fn start(&self, index: usize) -> Option<Job> {
        let state = &mut lock(&self.jobs).states[index];
        match std::mem::replace(state, JobState::Taken) {
            JobState::Waiting(job) => {
                *state = JobState::Running(job.clone());
                Some(job)
            }
            other => {
                *state = other;
                None
            }
        }
    }

    /// Frees the input of a job that a device has run.
    pub(crate) fn free_input(&self, index: usize) {
        let old = {
            let state = &mut lock(&self.jobs).states[index];
            match state {
                JobState::Running(_) => std::mem::replace(state, JobState::Completing),
                _ => return,
            }
        };
        drop(old);
    }

    /// Returns a failed job to the waiting ones. False if it was cancelled.
    pub(crate) fn put_back(&self, index: usize) -> bool {
        let mut jobs = lock(&self.jobs);
        let cancelled = jobs.cancelled;
        let state = &mut jobs.states[index];
        match std::mem::replace(state, JobState::Completing) {
            JobState::Running(job) if !cancelled => *state = JobState::Waiting(job),
            other => *state = other,
        }
        matches!(state, JobState::Waiting(_))
    }

    /// Stores the result of a job and wakes the holder if it waits for it.
    pub(crate) fn complete(&self, index: usize, result: JobResult) {
        let mut jobs = lock(&self.jobs);
        let state = &jobs.states[index];
        if !matches!(state, JobState::Waiting(_) | JobState::Running(_) | JobState::Completing) {
            return;
        }
        let unwanted = jobs.unwanted;
        let old = std::mem::replace(
            &mut jobs.states[index],
            if unwanted { JobState::Taken } else { JobState::Done(result) },
        );
        jobs.unfinished -= 1;
        let ready = jobs.is_ready();
        let waker = if ready { jobs.waker.take() } else { None };
        drop(jobs);
        drop(old);
        if ready {
            self.changed.notify_all();
        }
        wake(waker);
    }

    /// Frees all jobs that have not started. `unwanted` drops the results, too, those of running
    /// jobs included.
    pub(crate) fn cancel(&self, unwanted: bool) {
        let mut freed = Vec::new();
        let mut jobs = lock(&self.jobs);
        jobs.cancelled = true;
        jobs.unwanted |= unwanted;
        let mut cancelled = 0;
        for state in &mut jobs.states {
            match state {
                JobState::Waiting(_) => {
                    cancelled += 1;
                    let result =
                        if unwanted { JobState::Taken } else { JobState::Done(Err(JobError::Cancelled)) };
                    freed.push(std::mem::replace(state, result));
                }
                JobState::Done(_) if unwanted => freed.push(std::mem::replace(state, JobState::Taken)),
                _ => {}
            }
        }
        jobs.unfinished -= cancelled;
        let waker = jobs.waker.take();
        drop(jobs);
        self.changed.notify_all();
        wake(waker);
    }

    /// Returns whether the batch was cancelled.
    pub(crate) fn is_cancelled(&self) -> bool {
        lock(&self.jobs).cancelled
    }

    /// Returns the number of jobs without a result.
    pub(crate) fn unfinished(&self) -> usize {
        lock(&self.jobs).unfinished
    }

    /// Returns the number of results that were not taken yet.
    pub(crate) fn remaining(&self) -> usize {
        let jobs = lock(&self.jobs);
        jobs.states.len() - jobs.next
    }

    /// Takes the next result, or none after the last. Pending until it is ready.
    pub(crate) fn poll_next(&self, context: &mut Context<'_>) -> Poll<Option<JobResult>> {
        self.poll(context, Awaited::Next).map(|mut jobs| jobs.take_next())
    }

    /// Takes all remaining results. Pending until the last is ready.
    pub(crate) fn poll_all(&self, context: &mut Context<'_>) -> Poll<Vec<JobResult>> {
        self.poll(context, Awaited::All).map(|mut jobs| jobs.take_all())
    }

    /// Blocks until the next result is ready.
    pub(crate) fn wait_next(&self) -> Option<JobResult> {
        self.wait(Awaited::Next).take_next()
    }

    /// Blocks until the last result is ready.
    pub(crate) fn wait_all(&self) -> Vec<JobResult> {
        self.wait(Awaited::All).take_all()
    }

    /// Takes all remaining results, if the last is ready.
    pub(crate) fn try_all(&self) -> Option<Vec<JobResult>> {
        let mut jobs = lock(&self.jobs);
        (jobs.unfinished == 0).then(|| jobs.take_all())
    }

    /// Returns whether the awaited results are ready.
    pub(crate) fn is_ready(&self, awaited: Awaited) -> bool {
        let mut jobs = lock(&self.jobs);
        jobs.awaited = awaited;
        jobs.is_ready()
    }

    /// Blocks until the awaited results may be ready, or for [`CHECK_INTERVAL`].
    pub(crate) fn wait_briefly(&self, awaited: Awaited) {
        let mut jobs = lock(&self.jobs);
        jobs.awaited = awaited;
        if !jobs.is_ready() {
            drop(self.changed.wait_timeout(jobs, CHECK_INTERVAL));
        }
    }

    fn poll(&self, context: &mut Context<'_>, awaited: Awaited) -> Poll<MutexGuard<'_, JobStates>> {
        let mut jobs = lock(&self.jobs);
        jobs.awaited = awaited;
        if jobs.is_ready() {
            return Poll::Ready(jobs);
        }
        match &mut jobs.waker {
            Some(waker) => waker.clone_from(context.waker()),
            none => *none = Some(context.waker().clone()),
        }
        Poll::Pending
    }

    fn wait(&self, awaited: Awaited) -> MutexGuard<'_, JobStates> {
        let mut jobs = lock(&self.jobs);
        jobs.awaited = awaited;
        while !jobs.is_ready() {
            jobs = self.changed.wait(jobs).unwrap_or_else(PoisonError::into_inner);
        }
        jobs
    }
}

impl JobStates {
    /// Returns whether the awaited results are ready.
    fn is_ready(&self) -> bool {
        match self.awaited {
            Awaited::All => self.unfinished == 0,
            Awaited::Next => match self.states.get(self.next) {
                Some(state) => matches!(state, JobState::Done(_)),
                None => true,
            },
        }
    }

    /// Takes the next result, if it is ready.
    fn take_next(&mut self) -> Option<JobResult> {
        let state = self.states.get_mut(self.next)?;
        match std::mem::replace(state, JobState::Taken) {
            JobState::Done(result) => {
                self.next += 1;
                Some(result)
            }
            other => {
                *state = other;
                None
            }
        }
    }

    /// Takes the results from the next on, up to the first that is not ready.
    fn take_all(&mut self) -> Vec<JobResult> {
        let mut results = Vec::with_capacity(self.states.len() - self.next);
        while let Some(result) = self.take_next() {
            results.push(result);
        }
        results
    }
}
