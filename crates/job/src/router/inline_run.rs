//! Jobs that a submitter does itself, on its own thread and with state of its own, as one of the router's devices.

use std::time::{Duration, Instant};

use crate::job::{JobView, Operation};
use crate::router::Router;
use crate::router::device_state::Entry;
use crate::router::select::Choice;

/// A job that its submitter does in a device's name: it counts as that device's load until it is done or dropped.
#[must_use = "a turn that is dropped counts as a job that was cancelled"]
pub struct InlineRun<'r> {
    entry: &'r Entry,
    operation: Operation,
    input_len: usize,
    plain: usize,
    expected: Duration,
    started: Instant,
    is_done: bool,
}

impl Router {
    /// Whether the job would go to the device of this name now, in whose name the submitter would do it. If so, its time begins
    /// here, and what others refuse is counted. If not, or if there is no such device, the job is to be handed
    /// in by [`run_or_inline`](Router::run_or_inline).
    pub fn inline_run(&self, job: &JobView<'_>, device: &str) -> Option<InlineRun<'_>> {
        let is_own = |index: usize| *self.entry(index).name == *device;
        self.soonest(job).filter(|&(_, first)| is_own(first))?;
        let choice = self.route(job, &[]).ok()?;
        if !is_own(choice.device) {
            // A device came free, or may be tried again, since it was asked: who hands the job in asks once more.
            self.entry(choice.device).health.unknown();
            return None;
        }
        Some(self.begin(&choice, job))
    }

    /// Begins the turn of a device that was chosen.
    pub(crate) fn begin(&self, choice: &Choice, job: &JobView<'_>) -> InlineRun<'_> {
        let entry = self.entry(choice.device);
        entry.load.add(choice.expected);
        entry.tally.tried(job.operation);
        InlineRun {
            entry,
            operation: job.operation,
            input_len: job.input.len(),
            plain: job.uncompressed_len(),
            expected: choice.expected,
            started: Instant::now(),
            is_done: false,
        }
    }
}

impl InlineRun<'_> {
    /// The job is done, with an output of so many bytes.
    pub fn done(mut self, produced: usize) {
        self.is_done = true;
        let time = self.started.elapsed();
        self.entry.succeeded(self.operation, self.input_len, produced, self.plain, time, false);
    }
}

impl Drop for InlineRun<'_> {
    fn drop(&mut self) {
        self.entry.load.remove(self.expected);
        if !self.is_done {
            self.entry.health.unknown();
            self.entry.tally.cancelled(self.operation);
        }
    }
}
