//! Cost model: time = setup + bytes / bandwidth, with a device's prior refined by observations.
//!
//! Powers come from the crate `libm`: the system's would link a library beside libc, which a
//! drop-in zlib must not.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::job::Operation;
use crate::util::lock;

/// Share of an observation's error that goes into the estimate: the gain with which TCP smooths
/// round-trip times (RFC 6298, section 2). Small enough that one descheduled thread does not
/// displace the prior, large enough that some twenty jobs do.
const GAIN: f64 = 1.0 / 8.0;

/// Maximum factor by which an observation counts as longer or shorter than expected. It bounds the
/// effect of a thread that lost its core for a time slice. A prior that is wrong by more is still
/// corrected, in several steps.
const CLAMP: f64 = 4.0;

/// Time in which an estimate without observations fades half the way back to the prior. A device
/// that was slow once, because another process used it, is no longer selected, and so never
/// observed to be fast again; fading brings it back. Long in comparison with a query, so that an
/// estimate serves the next.
const HALF_LIFE: Duration = Duration::from_secs(60);

/// The linear cost of one job on one worker of a device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Time that a job of any size takes.
    pub setup: Duration,
    /// Bytes of the uncompressed side per second, after the setup.
    pub bytes_per_second: f64,
}

impl Cost {
    /// Returns the time of a job with this number of uncompressed bytes.
    pub fn time(self, bytes: usize) -> Duration {
        LinearCost::from(self).duration(bytes)
    }
}

/// [`Cost`] in the model's units: seconds, and seconds per byte.
#[derive(Clone, Copy, Debug)]
struct LinearCost {
    setup: f64,
    per_byte: f64,
}

impl From<Cost> for LinearCost {
    /// Replaces a bandwidth that is not a positive number, and a setup of zero, by the smallest
    /// sensible value. Refinement multiplies, so it could never change a zero.
    fn from(cost: Cost) -> LinearCost {
        let bandwidth = if cost.bytes_per_second > 1.0 { cost.bytes_per_second } else { 1.0 };
        LinearCost { setup: cost.setup.as_secs_f64().max(1e-9), per_byte: 1.0 / bandwidth }
    }
}

impl LinearCost {
    fn seconds(self, bytes: usize) -> f64 {
        self.setup + self.per_byte * bytes as f64
    }

    /// Returns the weighted geometric mean of this cost and another; `weight` 1 is this cost.
    fn mix(self, other: LinearCost, weight: f64) -> LinearCost {
        let mix = |this: f64, other: f64| other * libm::pow(this / other, weight);
        LinearCost { setup: mix(self.setup, other.setup), per_byte: mix(self.per_byte, other.per_byte) }
    }

    fn duration(self, bytes: usize) -> Duration {
        Duration::try_from_secs_f64(self.seconds(bytes)).unwrap_or(Duration::MAX)
    }

    /// Moves towards an observation. The error is divided between the two terms by their part in
    /// the prediction: a small job, which is nearly all setup, corrects the setup, and a large one
    /// the bandwidth. Dividing by the sum of squares moves the prediction for the same job by
    /// exactly [`GAIN`] of the error (normalised least mean squares).
    fn observe(&mut self, bytes: usize, seconds: f64) {
        let predicted = self.seconds(bytes);
        let error = GAIN * ((seconds / predicted).clamp(1.0 / CLAMP, CLAMP) - 1.0);
        let setup_share = self.setup / predicted;
        let bytes_share = 1.0 - setup_share;
        let norm = setup_share * setup_share + bytes_share * bytes_share;
        self.setup *= 1.0 + error * setup_share / norm;
        self.per_byte *= 1.0 + error * bytes_share / norm;
    }
}

/// The estimate for one operation.
#[derive(Debug)]
struct Estimate {
    prior: LinearCost,
    current: LinearCost,
    /// Time of the last observation or fading.
    updated: Instant,
}

impl Estimate {
    /// Returns the current cost, faded towards the prior by its age.
    fn at(&mut self, now: Instant) -> &mut LinearCost {
        let age = now.saturating_duration_since(self.updated);
        // Fading over less than a thousandth of the half-life is not noticeable.
        if age > HALF_LIFE / 1000 {
            let weight = libm::exp2(-age.div_duration_f64(HALF_LIFE));
            self.current = self.current.mix(self.prior, weight);
            self.updated = now;
        }
        &mut self.current
    }
}

/// The cost estimates of one device, by operation with its level.
#[derive(Debug, Default)]
pub(super) struct CostModel {
    estimates: Mutex<HashMap<Operation, Estimate>>,
}

impl CostModel {
    /// Returns the expected time of a job of `operation` with this number of uncompressed bytes.
    pub(super) fn predict(
        &self,
        operation: Operation,
        bytes: usize,
        now: Instant,
        prior: impl FnOnce() -> Cost,
    ) -> Duration {
        let mut estimates = lock(&self.estimates);
        let estimate = estimates.entry(operation).or_insert_with(|| {
            let prior = LinearCost::from(prior());
            Estimate { prior, current: prior, updated: now }
        });
        estimate.at(now).duration(bytes)
    }

    /// Refines the estimate by a job that took `time`. Operations without a prediction are ignored.
    pub(super) fn observe(&self, operation: Operation, bytes: usize, time: Duration, now: Instant) {
        if let Some(estimate) = lock(&self.estimates).get_mut(&operation) {
            estimate.at(now).observe(bytes, time.as_secs_f64());
            estimate.updated = now;
        }
    }
}

/// The queue of a device.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Queue {
    /// Jobs that the device holds.
    pub(super) jobs: usize,
    /// Their expected time on one worker.
    pub(super) work: Duration,
    /// Number of workers.
    pub(super) workers: usize,
}

impl Queue {
    /// Returns the expected time until a job of `time` is done, if it is added now. The job starts
    /// at once while a worker is idle, and otherwise after an equal share of the queued work.
    pub(super) fn finish(self, time: Duration) -> Duration {
        let workers = self.workers.max(1);
        let wait = if self.jobs < workers { Duration::ZERO } else { self.work.div_f64(workers as f64) };
        wait.saturating_add(time)
    }
}

#[cfg(test)]
mod tests;
