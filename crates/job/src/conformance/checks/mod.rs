//! The checks, by what they look at.

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
mod window;

pub(super) fn all() -> Vec<Check> {
    [identity::CHECKS, data::CHECKS, sizes::CHECKS, damage::CHECKS, borrowed::CHECKS, admission::CHECKS]
        .into_iter()
        .chain([
            membership::CHECKS,
            parts::CHECKS,
            window::CHECKS,
            tickets::CHECKS,
            interleaved::CHECKS,
            faults::CHECKS,
        ])
        .flatten()
        .copied()
        .collect()
}

/// A router with this device and no other.
fn alone(device: &Arc<dyn Device>) -> Arc<Router> {
    Router::builder().device(Arc::clone(device)).build()
}

/// A router with this device, no other, and these limits.
fn limited(device: &Arc<dyn Device>, bytes_in_flight: usize, output_per_job: usize) -> Arc<Router> {
    let limits = Limits { bytes_in_flight, output_per_job };
    Router::builder().device(Arc::clone(device)).limits(limits).build()
}

/// A result; nothing if the device refused the job with a reason; what is wrong otherwise.
fn done_or_refused(outcome: JobResult, what: &dyn std::fmt::Debug) -> Result<Option<JobOutput>, String> {
    match outcome {
        Ok(done) => Ok(Some(done)),
        Err(JobError::Unsupported { reasons }) => {
            ensure!(reasons.iter().next().is_some(), "{what:?} was refused without a reason");
            ensure!(reasons.iter().all(|(_, r)| !r.reason().is_empty()), "{what:?}: an empty reason");
            Ok(None)
        }
        Err(error) => Err(format!("{what:?}: {error}")),
    }
}

/// A result; what is wrong if there is none.
fn done(outcome: JobResult, what: &dyn std::fmt::Debug) -> Result<JobOutput, String> {
    outcome.map_err(|error| format!("{what:?}: {error}"))
}

/// Wait until nothing is in flight and every job has ended. A minute is for a machine that does a hundred other things.
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

/// Once nothing is in flight, every job that a device was given is accounted for once.
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
