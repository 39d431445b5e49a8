//! Inline runs: jobs that a submitter runs itself, on its own thread and with its own state, under
//! the name of one of the router's devices.

use std::time::{Duration, Instant};

use super::Router;
use super::device_state::DeviceState;
use super::select::Selection;
use crate::job::{JobView, Operation};

/// A job that its submitter runs under a device's name. It counts as load of that device until it
/// is completed or dropped.
#[must_use = "an inline run that is dropped counts as a job that was cancelled"]
pub struct InlineRun<'r> {
    state: &'r DeviceState,
    operation: Operation,
    input_len: usize,
    uncompressed_len: usize,
    expected: Duration,
    started: Instant,
    is_completed: bool,
}

impl Router {
    /// Starts an inline run if the device of this name would get the job now; the submitter runs
    /// that device's jobs itself. The time begins here, and devices that do not support the job are
    /// counted. Returns none if another device would get the job or if there is no such device;
    /// then the job is for [`run_or_inline`](Router::run_or_inline).
    pub fn inline_run(&self, job: &JobView<'_>, device: &str) -> Option<InlineRun<'_>> {
        let is_own = |index: usize| *self.devices[index].name == *device;
        self.earliest(job).filter(|&(_, first)| is_own(first))?;
        let selection = self.select(job, &[]).ok()?;
        if !is_own(selection.device) {
            // Since the first look, another device became free or its breaker half-open. The
            // submitter asks for a device again when it submits the job.
            self.devices[selection.device].breaker.release_probe();
            return None;
        }
        Some(self.begin_inline_run(&selection, job))
    }

    /// Starts an inline run on the selected device.
    pub(super) fn begin_inline_run(&self, selection: &Selection, job: &JobView<'_>) -> InlineRun<'_> {
        let state = &self.devices[selection.device];
        state.load.add(selection.expected);
        state.metrics.tried(job.operation);
        InlineRun {
            state,
            operation: job.operation,
            input_len: job.input.len(),
            uncompressed_len: job.uncompressed_len(),
            expected: selection.expected,
            started: Instant::now(),
            is_completed: false,
        }
    }
}

impl InlineRun<'_> {
    /// Completes the job with an output of `produced` bytes.
    pub fn complete(mut self, produced: usize) {
        self.is_completed = true;
        let time = self.started.elapsed();
        let (operation, declared) = (self.operation, self.uncompressed_len);
        self.state.succeeded(operation, self.input_len, produced, declared, time, false);
    }
}

impl Drop for InlineRun<'_> {
    fn drop(&mut self) {
        self.state.load.remove(self.expected);
        if !self.is_completed {
            self.state.breaker.release_probe();
            self.state.metrics.cancelled(self.operation);
        }
    }
}
