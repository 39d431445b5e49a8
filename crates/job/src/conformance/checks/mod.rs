//! The checks, by subject.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Check, Verdict, ensure};
use crate::device::Device;
use crate::queue::admission::Limits;
use crate::queue::result::{JobError, JobOutput, JobResult};
use crate::router::Router;

mod admission;
mod borrowed;
mod damage;
mod data;
mod faults;
mod identity;
mod interleaved;
mod membership;
mod parts;
mod sizes;
mod tickets;

pub(super) fn all() -> Vec<Check> {
    [identity::CHECKS, data::CHECKS, sizes::CHECKS, damage::CHECKS, borrowed::CHECKS, admission::CHECKS]
        .into_iter()
        .chain([membership::CHECKS, parts::CHECKS, tickets::CHECKS, interleaved::CHECKS, faults::CHECKS])
        .flatten()
        .copied()
        .collect()
}

/// Returns a router with this device only.
fn alone(device: &Arc<dyn Device>) -> Arc<Router> {
    Router::builder().device(Arc::clone(device)).build()
}

/// Returns a router with this device only and these limits.
fn limited(device: &Arc<dyn Device>, bytes_in_flight: usize, output_per_job: usize) -> Arc<Router> {
    let limits = Limits { bytes_in_flight, output_per_job, ..Limits::default() };
    Router::builder().device(Arc::clone(device)).limits(limits).build()
}

/// Returns the output, or none if the device does not support the job and gives a reason.
///
/// # Errors
/// A description of any other result.
fn done_or_unsupported(result: JobResult, what: &dyn std::fmt::Debug) -> Result<Option<JobOutput>, String> {
    match result {
        Ok(done) => Ok(Some(done)),
        Err(JobError::Unsupported { reasons }) => {
            ensure!(reasons.iter().next().is_some(), "{what:?} was refused without a reason");
            ensure!(reasons.iter().all(|(_, r)| !r.reason().is_empty()), "{what:?}: an empty reason");
            Ok(None)
        }
        Err(error) => Err(format!("{what:?}: {error}")),
    }
}

/// Returns the output.
///
/// # Errors
/// A description of the job's error.
fn done(result: JobResult, what: &dyn std::fmt::Debug) -> Result<JobOutput, String> {
    result.map_err(|error| format!("{what:?}: {error}"))
}

/// Waits until nothing is in flight and every job has ended. The limit of a minute allows for a
/// very busy machine.
fn settle(router: &Router) -> Verdict {
    let start = Instant::now();
    loop {
        let verdict = balanced(router);
        if verdict.is_ok() || start.elapsed() > Duration::from_secs(60) {
            return verdict;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Checks that nothing is in flight and that each device's counters add up: every job that it
/// received is counted once as done, failed, fallen back or cancelled.
fn balanced(router: &Router) -> Verdict {
    ensure!(router.bytes_in_flight() == 0, "{} bytes are still in flight", router.bytes_in_flight());
    ensure!(router.jobs_waiting() == 0, "{} jobs still wait", router.jobs_waiting());
    for device in router.counters().devices {
        for row in &device.rows {
            let ended = row.done + row.failed + row.fell_back_total() + row.cancelled;
            ensure!(
                row.tried == ended,
                "{} was given {} jobs and ended {ended}: {row:?}",
                device.device,
                row.tried
            );
        }
    }
    Ok(())
}
