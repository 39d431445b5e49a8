//! Per-device state: a device behind a guard against panics, with its estimates, load, counters and
//! circuit breaker.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::circuit_breaker::CircuitBreaker;
use super::cost::{Cost, CostModel, Queue};
use crate::device::task::Task;
use crate::device::{BorrowedOutput, Device, Failure, Unsupported};
use crate::job::batch::BatchId;
use crate::job::borrowed::BorrowedJob;
use crate::job::{JobView, Operation};
use crate::metrics::counters::DeviceCounters;
use crate::metrics::device_metrics::DeviceMetrics;
use crate::util::{lock, panic_message};

/// A device of a router, and everything that the router knows of it.
pub(super) struct DeviceState {
    pub(super) device: Arc<dyn Device>,
    pub(super) name: Arc<str>,
    pub(super) authoritative: bool,
    /// Belongs to the fallback tier.
    pub(super) fallback: bool,
    pub(super) fuses_filter: bool,
    pub(super) breaker: CircuitBreaker,
    pub(super) load: Load,
    pub(super) metrics: DeviceMetrics,
    costs: CostModel,
    workers: usize,
}

impl DeviceState {
    pub(super) fn new(device: Arc<dyn Device>, fallback: bool, breaker_open_time: Duration) -> DeviceState {
        DeviceState {
            name: Arc::from(device.name()),
            authoritative: device.is_authoritative(),
            fallback,
            fuses_filter: device.fuses_filter(),
            breaker: CircuitBreaker::new(breaker_open_time),
            workers: device.worker_count(),
            load: Load::default(),
            metrics: DeviceMetrics::default(),
            costs: CostModel::default(),
            device,
        }
    }

    /// Returns whether the device supports the job. A device that panics here does not run it.
    pub(super) fn supports(&self, job: &JobView<'_>) -> Result<(), Unsupported> {
        catch_unwind(AssertUnwindSafe(|| self.device.supports(job)))
            .unwrap_or(Err(Unsupported::new("it panicked when asked whether it supports the job")))
    }

    /// Returns the expected running time of a job on this device. A device that panics here gets
    /// the worst prior.
    pub(super) fn predict(&self, operation: Operation, uncompressed_len: usize) -> Duration {
        const WORST: Cost = Cost { setup: Duration::from_secs(1), bytes_per_second: 1.0 };
        let prior = || catch_unwind(AssertUnwindSafe(|| self.device.prior_cost(operation))).unwrap_or(WORST);
        self.costs.predict(operation, uncompressed_len, Instant::now(), prior)
    }

    /// Submits tasks to the device. A device that panics drops them, and so sends them to the next
    /// device.
    pub(super) fn submit(&self, tasks: Vec<Task>) {
        let _ = catch_unwind(AssertUnwindSafe(|| self.device.submit(tasks)));
    }

    /// Runs some of the device's caller-runs tasks of a batch on this thread, and returns whether
    /// there were any.
    pub(super) fn run_on_caller(&self, batch: BatchId) -> bool {
        // The tasks that a panicking device drops go to other devices, so there may be more to run.
        catch_unwind(AssertUnwindSafe(|| self.device.run_on_caller(batch))).unwrap_or(true)
    }

    /// Runs a borrowed job on the device.
    pub(super) fn run_borrowed(&self, job: &mut BorrowedJob<'_>) -> Result<BorrowedOutput, Failure> {
        catch_unwind(AssertUnwindSafe(|| self.device.run_borrowed(job)))
            .unwrap_or_else(|panic| Err(Failure::Panicked(panic_message(&*panic))))
    }

    /// Returns the device's current queue.
    pub(super) fn queue(&self) -> Queue {
        let (jobs, work) = *lock(&self.load.0);
        Queue { jobs, work, workers: self.workers }
    }

    /// Counts a success and refines the estimate by its time. `declared` is the uncompressed size
    /// that the job declares; for a decompression, the produced bytes are more accurate.
    pub(super) fn succeeded(
        &self,
        operation: Operation,
        input: usize,
        produced: usize,
        declared: usize,
        time: Duration,
        interleaved: bool,
    ) {
        let bytes = if matches!(operation, Operation::Decompress { .. }) { produced } else { declared };
        if self.breaker.record_success() {
            log::info!("{}: circuit breaker closed after a successful probe", self.name);
        }
        self.costs.observe(operation, bytes, time, Instant::now());
        self.metrics.done(operation, input, produced, time);
        if interleaved {
            self.metrics.interleaved(operation);
        }
    }

    /// Records a failure in the circuit breaker. Bad data is no failure of the device until an
    /// authoritative device has accepted the data.
    pub(super) fn failed(&self, failure: &Failure) {
        match failure {
            Failure::Data(_) | Failure::WrongSize { .. } => {}
            Failure::Unsupported(_) => self.breaker.release_probe(),
            Failure::Lost(_) | Failure::Fault(_) | Failure::Panicked(_) => self.record_fault(),
        }
    }

    /// Records a fault: a failure of the device itself, or a complaint about data that another
    /// device accepted.
    pub(super) fn record_fault(&self) {
        if self.breaker.record_failure(Instant::now()) {
            self.metrics.breaker_opened();
            log::warn!(
                "{}: circuit breaker open after failures in a row; other devices get its jobs",
                self.name
            );
        }
    }

    /// Counts a job that the device did not receive, and logs the first for each reason.
    pub(super) fn refused(&self, operation: Operation, reason: &'static str) {
        if self.metrics.refused(operation, reason) {
            log::debug!("{}: does not get {operation:?}: {reason}", self.name);
        }
    }

    /// Counts a job that another device received after this one failed it, and logs the first for
    /// each reason.
    pub(super) fn fell_back(&self, operation: Operation, failure: &Failure) {
        if self.metrics.fell_back(operation, failure.reason()) {
            log::info!("{}: {operation:?} falls back to the next device: {failure:?}", self.name);
        }
    }

    /// Returns a snapshot of the device's counters.
    pub(super) fn counters(&self) -> DeviceCounters {
        DeviceCounters {
            device: Arc::clone(&self.name),
            rows: self.metrics.snapshot(),
            breaker_opened: self.metrics.times_breaker_opened(),
        }
    }
}

/// Jobs that a device holds, and their expected time on one worker.
#[derive(Default)]
pub(super) struct Load(Mutex<(usize, Duration)>);

impl Load {
    /// Adds a job.
    pub(super) fn add(&self, expected: Duration) {
        let mut load = lock(&self.0);
        load.0 += 1;
        load.1 = load.1.saturating_add(expected);
    }

    /// Removes a job.
    pub(super) fn remove(&self, expected: Duration) {
        let mut load = lock(&self.0);
        load.0 = load.0.saturating_sub(1);
        load.1 = load.1.saturating_sub(expected);
    }
}
