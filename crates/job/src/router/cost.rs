//! What a job costs on a device: time = setup + bytes / bandwidth, seeded by the device and refined by what
//! is seen.
//!
//! Powers are libm's, the crate: the system's are in a library beside libc, of which a drop-in zlib may need none.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::job::Operation;
use crate::util::lock;

/// How much of an observation's error goes into the estimate: 1/8, the gain that TCP smooths round-trip times
/// with (RFC 6298, section 2). About twenty jobs make the seed forgotten; one descheduled thread does not.
const GAIN: f64 = 1.0 / 8.0;

/// An observation counts as at most this many times longer or shorter than expected, so that a thread that
/// lost its core for a time slice moves an estimate by GAIN * 3 at most. A seed that is wrong by more is
/// still reached, in steps.
const CLAMP: f64 = 4.0;

/// What was observed is worth half as much after so long without another observation, and the seed the rest. A device
/// that was slow once, because another process used it, is not asked any more and so never seen to be fast again; this
/// brings it back. Long beside a query, so that what was learned serves the next.
const HALF_LIFE: Duration = Duration::from_secs(60);

/// The linear cost of one job on one lane of a device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Time that a job takes however small it is.
    pub setup: Duration,
    /// Bytes of the uncompressed side per second, once it runs.
    pub bytes_per_second: f64,
}

impl Cost {
    /// The time that a job with so many uncompressed bytes takes.
    pub fn time(self, bytes: usize) -> Duration {
        Line::from(self).duration(bytes)
    }
}

/// [`Cost`] as the model computes with it: seconds, and seconds per byte.
#[derive(Clone, Copy, Debug)]
struct Line {
    setup: f64,
    per_byte: f64,
}

impl From<Cost> for Line {
    /// A bandwidth that is not a positive number says nothing; a setup of nothing at all could never be
    /// refined, which multiplies. Both are made the smallest sensible value.
    fn from(cost: Cost) -> Line {
        let bandwidth = if cost.bytes_per_second > 1.0 { cost.bytes_per_second } else { 1.0 };
        Line { setup: cost.setup.as_secs_f64().max(1e-9), per_byte: 1.0 / bandwidth }
    }
}

impl Line {
    fn seconds(self, bytes: usize) -> f64 {
        self.setup + self.per_byte * bytes as f64
    }

    /// Between this and another, in proportion on a scale of factors: `weight` 1 is this one.
    fn towards(self, other: Line, weight: f64) -> Line {
        let mix = |this: f64, other: f64| other * libm::pow(this / other, weight);
        Line { setup: mix(self.setup, other.setup), per_byte: mix(self.per_byte, other.per_byte) }
    }

    fn duration(self, bytes: usize) -> Duration {
        Duration::try_from_secs_f64(self.seconds(bytes)).unwrap_or(Duration::MAX)
    }

    /// Move towards an observation. The error is shared between the two terms by their part in the
    /// prediction: a small job, which is nearly all setup, corrects the setup, and a large one the bandwidth.
    /// Dividing by the sum of squares makes the new prediction for the same job exactly GAIN of the way there
    /// (normalised least mean squares).
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

/// What is known of one operation's cost.
#[derive(Debug)]
struct Learned {
    seed: Line,
    line: Line,
    /// When `line` was right: when it was last observed, or asked for after a while.
    at: Instant,
}

impl Learned {
    /// The estimate now.
    fn now(&mut self, now: Instant) -> &mut Line {
        let age = now.saturating_duration_since(self.at);
        // Under a thousandth of the half-life there is nothing to see.
        if age > HALF_LIFE / 1000 {
            let weight = libm::exp2(-age.div_duration_f64(HALF_LIFE));
            self.line = self.line.towards(self.seed, weight);
            self.at = now;
        }
        &mut self.line
    }
}

/// The costs of one device, an operation (with its level) at a time.
#[derive(Debug, Default)]
pub(crate) struct CostModel {
    learned: Mutex<HashMap<Operation, Learned>>,
}

impl CostModel {
    /// The time expected for a job of `operation` with so many uncompressed bytes.
    pub(crate) fn predict(
        &self,
        operation: Operation,
        bytes: usize,
        now: Instant,
        seed: impl FnOnce() -> Cost,
    ) -> Duration {
        let mut learned = lock(&self.learned);
        let learned = learned.entry(operation).or_insert_with(|| {
            let seed = Line::from(seed());
            Learned { seed, line: seed, at: now }
        });
        learned.now(now).duration(bytes)
    }

    /// Refine by a job that took `time`. Only what was predicted can be observed.
    pub(crate) fn observe(&self, operation: Operation, bytes: usize, time: Duration, now: Instant) {
        if let Some(learned) = lock(&self.learned).get_mut(&operation) {
            learned.now(now).observe(bytes, time.as_secs_f64());
            learned.at = now;
        }
    }
}

/// What a device already has to do.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Queue {
    /// Jobs that it has and has not finished.
    pub(crate) jobs: usize,
    /// The time expected for them, on one lane.
    pub(crate) work: Duration,
    /// How many of them it runs at the same time.
    pub(crate) lanes: usize,
}

impl Queue {
    /// When a job of `time`, added now, will be done. It starts at once while a lane is free, and otherwise
    /// when an equal share of the work before it is done.
    pub(crate) fn finish(self, time: Duration) -> Duration {
        let lanes = self.lanes.max(1);
        let wait = if self.jobs < lanes { Duration::ZERO } else { self.work.div_f64(lanes as f64) };
        wait.saturating_add(time)
    }
}

#[cfg(test)]
mod tests;
