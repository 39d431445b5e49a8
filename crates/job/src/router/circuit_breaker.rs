//! Circuit breaker for a device: consecutive failures take it out of service, and a later probe
//! brings it back.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::util::lock;

/// Consecutive failures that open the breaker. One may be a passing fault and two a coincidence; a
/// device that is gone fails every job that it holds, which may be hundreds.
const MAX_FAILURES: u32 = 3;

/// Maximum open time as a multiple of the first. Each failed probe doubles the open time up to this
/// limit: about a minute with the default of
/// [`RouterBuilder::breaker_open_time`](crate::RouterBuilder::breaker_open_time).
const MAX_BACKOFF: u32 = 64;

/// The reason counted for jobs that a device did not receive while its breaker was open.
pub(super) const OPEN: &str = "set aside after failing three times in a row";

/// The circuit breaker of one device.
pub(super) struct CircuitBreaker {
    /// Open time before the first probe.
    first_open_time: Duration,
    state: Mutex<State>,
}

enum State {
    /// In service, with this number of failures since the last success.
    Closed { failures: u32 },
    /// Out of service until `until`, half-open afterwards: one job at a time probes the device.
    Open { until: Instant, open_time: Duration, probing: bool },
}

impl CircuitBreaker {
    pub(super) fn new(first_open_time: Duration) -> CircuitBreaker {
        CircuitBreaker { first_open_time, state: Mutex::new(State::Closed { failures: 0 }) }
    }

    /// Returns whether the device may receive a job now.
    pub(super) fn allows(&self, now: Instant) -> bool {
        match *lock(&self.state) {
            State::Closed { .. } => true,
            State::Open { until, probing, .. } => !probing && now >= until,
        }
    }

    /// Records that the device receives a job. If the breaker is open, this job is the probe, and
    /// the device receives no other until the probe has ended.
    pub(super) fn record_start(&self) {
        if let State::Open { probing, .. } = &mut *lock(&self.state) {
            *probing = true;
        }
    }

    /// Records a completed job, and returns whether it closed the breaker.
    pub(super) fn record_success(&self) -> bool {
        let before = std::mem::replace(&mut *lock(&self.state), State::Closed { failures: 0 });
        matches!(before, State::Open { .. })
    }

    /// Ends a probe without a verdict: its job was cancelled or found to be unsupported.
    pub(super) fn release_probe(&self) {
        if let State::Open { probing, .. } = &mut *lock(&self.state) {
            *probing = false;
        }
    }

    /// Records a failed job, and returns whether it opened the breaker.
    pub(super) fn record_failure(&self, now: Instant) -> bool {
        let mut state = lock(&self.state);
        let first = self.first_open_time;
        match &mut *state {
            State::Closed { failures } if *failures + 1 < MAX_FAILURES => *failures += 1,
            State::Closed { .. } => {
                *state = State::Open { until: now + first, open_time: first, probing: false };
                return true;
            }
            State::Open { until, open_time, probing: probing @ true } => {
                *open_time = open_time.saturating_mul(2).min(first.saturating_mul(MAX_BACKOFF));
                *until = now + *open_time;
                *probing = false;
            }
            // A job that was in flight when the breaker opened.
            State::Open { .. } => {}
        }
        false
    }
}

#[cfg(test)]
mod tests;
