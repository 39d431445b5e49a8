//! Submission loop: the operations of one thread, those to submit and those that the engine has.

#![allow(unsafe_code)]

use std::collections::VecDeque;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::in_flight::{InFlight, Next};
use super::memory::Buffers;
use super::open_window::Windows;
use crate::counters::count;
use crate::error::NxError;
use crate::operations::Output;
use crate::window::Pasted;

/// Time to poll without a break: about the time to wake a thread.
const SPIN: Duration = Duration::from_micros(5);
/// Time to poll while other threads may run, after that.
const YIELD: Duration = Duration::from_micros(50);
/// The shortest and the longest sleep.
const NAPS: [Duration; 2] = [Duration::from_micros(20), Duration::from_millis(1)];

/// The operations of one thread.
pub(super) struct SubmissionLoop<B: Buffers> {
    windows: Arc<Windows>,
    ready: VecDeque<InFlight<B>>,
    submitted: Vec<InFlight<B>>,
    /// Operations whose answer is being read; kept for its memory.
    answered: Vec<InFlight<B>>,
    /// Operations with their results.
    pub(super) completed: Vec<(InFlight<B>, Result<Output, NxError>)>,
    /// Time of the last progress.
    since: Instant,
}

impl<B: Buffers> SubmissionLoop<B> {
    pub(super) fn new(windows: Arc<Windows>) -> SubmissionLoop<B> {
        let (ready, submitted, answered) = (VecDeque::new(), Vec::new(), Vec::new());
        SubmissionLoop { windows, ready, submitted, answered, completed: Vec::new(), since: Instant::now() }
    }

    /// Returns the number of operations that could be submitted in addition to the ready ones.
    pub(super) fn capacity(&self) -> usize {
        self.windows.free().saturating_sub(self.ready.len())
    }

    /// Returns the number of operations without a result.
    pub(super) fn len(&self) -> usize {
        self.ready.len() + self.submitted.len()
    }

    /// Adds an operation and makes its first request.
    pub(super) fn admit(&mut self, mut operation: InFlight<B>) {
        let next = operation.begin();
        self.schedule(operation, next);
    }

    fn schedule(&mut self, operation: InFlight<B>, next: Next) {
        match next {
            Next::Submit => self.ready.push_back(operation),
            Next::Done(result) => self.completed.push((operation, result)),
        }
    }

    /// Submits ready operations while there are credits, and collects answers. Returns false if
    /// there was no progress.
    pub(super) fn advance(&mut self) -> bool {
        let before = self.completed.len();
        let moved = self.submit_ready() + self.collect_answers() + self.completed.len() - before > 0;
        if moved {
            self.since = Instant::now();
        }
        moved
    }

    fn submit_ready(&mut self) -> usize {
        let mut submitted = 0;
        while let Some(operation) = self.ready.front_mut() {
            let Some(window) = self.windows.reserve() else { break };
            let counters = &self.windows.counters;
            let Some(crb) = operation.crb() else {
                window.release();
                let failed = NxError::Inconsistent("a request reaches beyond its memory");
                self.completed.extend(self.ready.pop_front().map(|operation| (operation, Err(failed))));
                continue;
            };
            // SAFETY: the addresses are of memory that the operation owns or borrows, with an empty
            // status block. `mark_submitted` keeps them until the status is valid or the window is
            // closed, and by the contract of `Buffers` nothing else accesses them.
            match unsafe { window.window().paste(crb) } {
                Pasted::Accepted => {
                    count(&counters.requests);
                    operation.mark_submitted(window);
                    self.submitted.extend(self.ready.pop_front());
                    submitted += 1;
                }
                Pasted::Busy => {
                    window.release();
                    count(&counters.busy);
                    break;
                }
                Pasted::Suspended => {
                    window.release();
                    if !window.is_closed() {
                        count(&counters.suspended);
                        window.close();
                    }
                }
            }
        }
        submitted
    }

    fn collect_answers(&mut self) -> usize {
        let mut answered = std::mem::take(&mut self.answered);
        let mut at = 0;
        while at < self.submitted.len() {
            match self.submitted[at].is_complete() {
                true => answered.push(self.submitted.swap_remove(at)),
                false => at += 1,
            }
        }
        if !answered.is_empty() {
            divide_time(&mut answered, Instant::now());
        }
        let count = answered.len();
        for mut operation in answered.drain(..) {
            match operation.complete() {
                Some(next) => self.schedule(operation, next),
                None => self.submitted.push(operation),
            }
        }
        self.answered = answered;
        count
    }

    /// Closes the windows of operations past their deadline, ends or replays the operations of
    /// closed windows, and opens windows again.
    fn expire(&mut self, now: Instant) {
        for operation in self.submitted.iter().filter(|operation| now >= operation.deadline) {
            if let Some(window) = operation.window().filter(|window| !window.is_closed()) {
                count(&self.windows.counters.unanswered);
                window.close();
            }
        }
        let mut at = 0;
        while at < self.submitted.len() {
            if self.submitted[at].window().is_some_and(|window| !window.is_closed()) {
                at += 1;
                continue;
            }
            let mut operation = self.submitted.swap_remove(at);
            let next = operation.abandon(now);
            self.schedule(operation, next);
        }
        self.windows.reopen(now);
        let error = if self.windows.is_usable() { NxError::Busy } else { NxError::Closed };
        let is_over = |operation: &InFlight<B>| error == NxError::Closed || now >= operation.deadline;
        while let Some(at) = self.ready.iter().position(is_over) {
            let Some(operation) = self.ready.remove(at) else { break };
            self.windows.close_idle();
            self.completed.push((operation, Err(error.clone())));
        }
    }

    /// Waits briefly after a round without progress. Returns the time to sleep once a sleep is
    /// cheaper than a wait.
    pub(super) fn idle(&mut self) -> Option<Duration> {
        let now = Instant::now();
        self.expire(now);
        if !self.completed.is_empty() {
            return None;
        }
        let idle = now - self.since;
        let expected = self.submitted.first().map_or(Duration::ZERO, |operation| operation.expected);
        match () {
            () if idle < SPIN => std::hint::spin_loop(),
            () if idle < YIELD && expected < YIELD => thread::yield_now(),
            // A quarter of the wait so far, so that an answer is seen at most a quarter late.
            () => return Some((idle / 4).max(expected.saturating_sub(idle) / 2).clamp(NAPS[0], NAPS[1])),
        }
        None
    }

    /// Restarts the idle time after a long rest.
    pub(super) fn reset_idle(&mut self) {
        self.since = Instant::now();
    }
}

/// Divides the time of each engine since its answers before among the requests that it has answered
/// by `now`. An engine takes requests one after the other, so that those in flight wait for each
/// other.
fn divide_time<B: Buffers>(answered: &mut [InFlight<B>], now: Instant) {
    for first in 0..answered.len() {
        let Some(window) = answered[first].window().map(Arc::clone) else { continue };
        let is_its =
            |operation: &InFlight<B>| operation.window().is_some_and(|its| Arc::ptr_eq(its, &window));
        // The first of a window divides for the others.
        if answered[..first].iter().any(is_its) {
            continue;
        }
        let its = answered[first..].iter().filter(|operation| is_its(operation));
        let count = its.clone().count() as u32;
        let submitted = its.map(InFlight::submitted).min().unwrap_or(now);
        let share = window.take_time(submitted, now) / count;
        for operation in answered[first..].iter_mut().filter(|operation| is_its(operation)) {
            operation.add_engine_time(share);
        }
    }
}

/// Runs an operation to its end on this thread. Returns when the engine does not access its memory
/// any more.
pub(crate) fn run<B: Buffers>(operation: InFlight<B>, windows: &Arc<Windows>) -> Result<Output, NxError> {
    let mut submissions = SubmissionLoop::new(Arc::clone(windows));
    submissions.admit(operation);
    loop {
        let moved = submissions.advance();
        if let Some((_, result)) = submissions.completed.pop() {
            return result;
        }
        if !moved && let Some(time) = submissions.idle() {
            thread::sleep(time);
        }
    }
}
