//! A device's statements about itself.

use std::sync::Arc;

use super::super::corpus::samples;
use super::super::{Check, Verdict, ensure};
use super::{alone, done_or_unsupported};
use crate::device::Device;

pub(super) const CHECKS: &[Check] = &[
    Check { name: "it has a name, a description and at least one worker", run: names },
    Check {
        name: "it supports some job, and gives a reason for each other job, which is counted",
        run: unsupported,
    },
    Check { name: "its answer about a job is always the same", run: pure },
    Check { name: "its priors are positive and finite, and grow with the bytes", run: costs },
];

fn names(device: &Arc<dyn Device>) -> Verdict {
    let (name, description) = (device.name(), device.description());
    ensure!(!name.is_empty() && !name.contains(char::is_whitespace), "its name is {name:?}: not one word");
    ensure!(!description.is_empty() && !description.contains('\n'), "its description is {description:?}");
    ensure!(device.worker_count() > 0, "it runs no jobs at a time");
    Ok(())
}

fn unsupported(device: &Arc<dyn Device>) -> Verdict {
    let mut supported = 0;
    for job in samples() {
        let operation = job.operation;
        let answer = device.supports(&job.view());
        let router = alone(device);
        let result = router.submit(job).wait().pop();
        let Some(result) = result else { return Err(format!("{operation:?}: no result")) };
        let row = router.counters().row(device.name(), operation);
        match answer {
            Ok(()) => {
                supported += 1;
                ensure!(
                    row.tried == 1 && row.refused.is_empty(),
                    "{operation:?} is taken, but counted {row:?}"
                );
                done_or_unsupported(result, &operation)?;
            }
            Err(unsupported) => {
                ensure!(!unsupported.reason().is_empty(), "{operation:?} is refused without a reason");
                ensure!(
                    done_or_unsupported(result, &operation)?.is_none(),
                    "{operation:?} is refused, and ran"
                );
                let counted = row.refused.get(unsupported.reason()).copied();
                ensure!(
                    row.tried == 0 && counted == Some(1),
                    "{operation:?} is refused, but counted {row:?}"
                );
            }
        }
    }
    ensure!(supported > 0, "it supports no ordinary job of any operation and format");
    Ok(())
}

fn pure(device: &Arc<dyn Device>) -> Verdict {
    for job in samples() {
        let first = device.supports(&job.view());
        alone(device).submit(job.clone()).wait();
        let second = device.supports(&job.view());
        ensure!(first == second, "{:?}: first {first:?}, then {second:?}", job.operation);
    }
    Ok(())
}

fn costs(device: &Arc<dyn Device>) -> Verdict {
    for job in samples().into_iter().filter(|job| device.supports(&job.view()).is_ok()) {
        let cost = device.prior_cost(job.operation);
        let rate = cost.bytes_per_second;
        ensure!(rate.is_finite() && rate > 0.0, "{:?}: {rate} bytes per second", job.operation);
        ensure!(!cost.setup.is_zero(), "{:?}: no setup time, which cannot be refined", job.operation);
        ensure!(
            cost.time(1 << 30) > cost.time(0),
            "{:?}: a gigabyte costs what nothing costs",
            job.operation
        );
    }
    Ok(())
}
