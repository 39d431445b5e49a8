//! Jobs that one worker of a device runs interleaved.

use std::time::{Duration, Instant};

use super::Failure;
use super::output::OwnedOutput;
use super::task::{Running, Task};

/// Jobs that one thread or unit of a device runs interleaved, as a decoder does that hides the
/// waits of one stream behind the work on others.
///
/// Each job takes as long as the whole group, so the sum of their own times would be a multiple of
/// the time that passed: the counters would be wrong, and the router would consider the device
/// slow. A group measures its time once and divides it in proportion to the expected time of each
/// job. This keeps large and small jobs apart, and a group that is faster than expected corrects
/// the estimate of each job by the same factor.
#[must_use = "jobs that are dropped count as a failure of their device"]
pub struct InterleavedJobs {
    running: Vec<Running>,
    started: Instant,
}

impl InterleavedJobs {
    /// Starts the jobs of these tasks, without the cancelled ones. All of them count as started, so
    /// they can no longer be cancelled.
    pub fn start(tasks: impl IntoIterator<Item = Task>) -> InterleavedJobs {
        let running = tasks.into_iter().filter_map(Task::start).collect();
        InterleavedJobs { running, started: Instant::now() }
    }

    /// Returns the jobs, in the order of their tasks.
    pub fn running(&self) -> &[Running] {
        &self.running
    }

    /// Reports the result of each job, in the order of [`running`](InterleavedJobs::running). Jobs
    /// without a result go to the next device.
    pub fn finish(self, results: impl IntoIterator<Item = Result<OwnedOutput, Failure>>) {
        let shares = shares(self.started.elapsed(), &self.running);
        for ((running, result), time) in self.running.into_iter().zip(results).zip(shares) {
            running.finish_in(result, time);
        }
    }
}

/// Returns each job's share of the time; equal shares if the expected times are all zero.
fn shares(time: Duration, jobs: &[Running]) -> Vec<Duration> {
    let expected: Duration = jobs.iter().map(Running::expected).sum();
    let share = |job: &Running| match expected.is_zero() {
        true => 1.0 / jobs.len() as f64,
        false => job.expected().div_duration_f64(expected),
    };
    jobs.iter().map(|job| time.mul_f64(share(job))).collect()
}
