//! Jobs that run side by side on one lane of a device.

use std::time::{Duration, Instant};

use crate::device::task::{Running, Task};
use crate::device::{Failure, OwnedOutput};

/// Jobs that one thread or unit of a device runs in turns, as a decoder does that hides one stream's waits behind the
/// work on others.
///
/// Each of them takes as long as all of them, so that their own times would add up to many times the time that passed:
/// the counters would be wrong, and the router would take the device for slow. A group measures its time once and
/// shares it out, in proportion to what the router expected of each job. That keeps apart large jobs and small ones,
/// and a group that is faster than expected corrects the router's costs by the same factor for each job.
#[must_use = "jobs that are dropped count as a failure of their device"]
pub struct InterleavedJobs {
    running: Vec<Running>,
    started: Instant,
}

impl InterleavedJobs {
    /// Take the jobs of these tasks, without those that were cancelled. All of them count as started, so that no
    /// cancelling reaches them any more.
    pub fn start(tasks: impl IntoIterator<Item = Task>) -> InterleavedJobs {
        let running = tasks.into_iter().filter_map(Task::start).collect();
        InterleavedJobs { running, started: Instant::now() }
    }

    /// The jobs, in the order of their tasks.
    pub fn running(&self) -> &[Running] {
        &self.running
    }

    /// Report what came of each job, in the order of [`running`](InterleavedJobs::running). Jobs that there is no result for go
    /// to the next device.
    pub fn finish(self, results: impl IntoIterator<Item = Result<OwnedOutput, Failure>>) {
        let shares = shares(self.started.elapsed(), &self.running);
        for ((running, result), time) in self.running.into_iter().zip(results).zip(shares) {
            running.settle(result, time);
        }
    }
}

/// Each job's part of the time. Jobs that nothing is expected of have equal parts.
fn shares(time: Duration, jobs: &[Running]) -> Vec<Duration> {
    let expected: Duration = jobs.iter().map(Running::expected).sum();
    let share = |job: &Running| match expected.is_zero() {
        true => 1.0 / jobs.len() as f64,
        false => job.expected().div_duration_f64(expected),
    };
    jobs.iter().map(|job| time.mul_f64(share(job))).collect()
}
