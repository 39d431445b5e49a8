//! Whether a device can be relied on: one that fails again and again is set aside, and tried again later.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::util::lock;

/// So many failures without a success between them set a device aside. One may be a fault of the moment and two a
/// coincidence; a device that is gone fails everything that it has in flight, which may be hundreds of jobs.
const FAILURES: u32 = 3;

/// Each probe that fails doubles the wait for the next, up to this many times the first: a minute, for the second that
/// [`RouterBuilder::breaker_open_time`](crate::RouterBuilder::breaker_open_time) has if nobody sets it.
const LONGEST: u32 = 64;

/// The reason that is counted for jobs which a device did not get because it was set aside.
pub(crate) const SET_ASIDE: &str = "set aside after failing three times in a row";

/// The health of one device.
pub(crate) struct Health {
    /// The wait before the first probe.
    first: Duration,
    state: Mutex<State>,
}

enum State {
    /// In use, with so many failures since the last success.
    Good { failures: u32 },
    /// Not in use before `until`; then one job at a time is tried.
    Aside { until: Instant, wait: Duration, probing: bool },
}

impl Health {
    pub(crate) fn new(first: Duration) -> Health {
        Health { first, state: Mutex::new(State::Good { failures: 0 }) }
    }

    /// Whether the device may get a job now.
    pub(crate) fn is_usable(&self, now: Instant) -> bool {
        match *lock(&self.state) {
            State::Good { .. } => true,
            State::Aside { until, probing, .. } => !probing && now >= until,
        }
    }

    /// The device gets a job. If it is set aside, that is its probe, and it gets no other until that has ended.
    pub(crate) fn chosen(&self) {
        if let State::Aside { probing, .. } = &mut *lock(&self.state) {
            *probing = true;
        }
    }

    /// It did a job.
    pub(crate) fn succeeded(&self) {
        *lock(&self.state) = State::Good { failures: 0 };
    }

    /// A job ended that says nothing of the device: it was cancelled, or refused.
    pub(crate) fn unknown(&self) {
        if let State::Aside { probing, .. } = &mut *lock(&self.state) {
            *probing = false;
        }
    }

    /// It failed a job. True if that set it aside.
    pub(crate) fn failed(&self, now: Instant) -> bool {
        let mut state = lock(&self.state);
        match &mut *state {
            State::Good { failures } if *failures + 1 < FAILURES => *failures += 1,
            State::Good { .. } => {
                *state = State::Aside { until: now + self.first, wait: self.first, probing: false };
                return true;
            }
            State::Aside { until, wait, probing: probing @ true } => {
                *wait = wait.saturating_mul(2).min(self.first.saturating_mul(LONGEST));
                *until = now + *wait;
                *probing = false;
            }
            // One of those that were in flight when it was set aside.
            State::Aside { .. } => {}
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn aside(now: Instant) -> Health {
        let health = Health::new(SECOND);
        assert!([false, false, true].iter().all(|&aside| health.failed(now) == aside));
        health
    }

    #[test]
    fn three_failures_in_a_row_set_a_device_aside() {
        let now = Instant::now();
        let health = Health::new(SECOND);
        for _ in 0..10 {
            assert!(!health.failed(now) && !health.failed(now));
            health.succeeded();
        }
        assert!(health.is_usable(now));
        assert!(!health.failed(now) && !health.failed(now) && health.failed(now));
        assert!(!health.is_usable(now));
    }

    #[test]
    fn one_job_probes_it_later() {
        let now = Instant::now();
        let health = aside(now);
        assert!(!health.is_usable(now + SECOND / 2));
        assert!(health.is_usable(now + SECOND));
        health.chosen();
        assert!(!health.is_usable(now + SECOND), "a second job during the probe");
        health.succeeded();
        assert!(health.is_usable(now + SECOND));
        assert!(!health.failed(now), "one failure after a probe that succeeded");
    }

    #[test]
    fn probes_that_fail_are_ever_farther_apart_up_to_a_limit() {
        let mut now = Instant::now();
        let health = aside(now);
        let mut waits = Vec::new();
        for _ in 0..8 {
            let mut wait = 0;
            while !health.is_usable(now) {
                now += SECOND;
                wait += 1;
            }
            waits.push(wait);
            health.chosen();
            health.failed(now);
        }
        assert_eq!(waits, [1, 2, 4, 8, 16, 32, 64, 64]);
    }

    #[test]
    fn failures_of_jobs_in_flight_do_not_put_the_probe_off() {
        let now = Instant::now();
        let health = aside(now);
        for _ in 0..100 {
            assert!(!health.failed(now + SECOND / 2));
        }
        assert!(health.is_usable(now + SECOND));
    }

    #[test]
    fn a_probe_that_is_cancelled_is_no_probe() {
        let now = Instant::now();
        let health = aside(now);
        health.chosen();
        health.unknown();
        assert!(health.is_usable(now + SECOND));
    }
}
