//! A router's view of one device: its code behind a guard against panics, its costs, its load, its counts.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::device::task::Task;
use crate::device::{BorrowedOutput, Device, Failure, Unsupported};
use crate::job::batch::BatchId;
use crate::job::borrowed::BorrowedJob;
use crate::job::{JobView, Operation};
use crate::metrics::counters::DeviceCounters;
use crate::metrics::device_metrics::Tally;
use crate::router::circuit_breaker::Health;
use crate::router::cost::{Cost, CostModel, Queue};
use crate::util::lock;
use crate::util::panic_message;

/// See the module.
pub(crate) struct Entry {
    pub(crate) device: Arc<dyn Device>,
    pub(crate) name: Arc<str>,
    pub(crate) authoritative: bool,
    /// Gets only the jobs that no other device takes.
    pub(crate) reserve: bool,
    /// Looks codes up while it decompresses them.
    pub(crate) one_step: bool,
    pub(crate) health: Health,
    pub(crate) load: Load,
    pub(crate) tally: Tally,
    costs: CostModel,
    lanes: usize,
}

impl Entry {
    pub(crate) fn new(device: Arc<dyn Device>, reserve: bool, breaker_open_time: Duration) -> Entry {
        Entry {
            name: Arc::from(device.name()),
            authoritative: device.is_authoritative(),
            reserve,
            one_step: device.fuses_filter(),
            health: Health::new(breaker_open_time),
            lanes: device.worker_count(),
            load: Load::default(),
            tally: Tally::default(),
            costs: CostModel::default(),
            device,
        }
    }

    /// Whether the device takes the job. A device that panics here is not asked to run it.
    pub(crate) fn supports(&self, job: &JobView<'_>) -> Result<(), Unsupported> {
        catch_unwind(AssertUnwindSafe(|| self.device.supports(job)))
            .unwrap_or(Err(Unsupported::new("it panicked when asked whether it supports the job")))
    }

    /// The time expected for a job on this device, once it runs. A device that panics here is as slow as can
    /// be.
    pub(crate) fn predict(&self, operation: Operation, plain_bytes: usize) -> Duration {
        const WORST: Cost = Cost { setup: Duration::from_secs(1), bytes_per_second: 1.0 };
        let seed = || catch_unwind(AssertUnwindSafe(|| self.device.prior_cost(operation))).unwrap_or(WORST);
        self.costs.predict(operation, plain_bytes, Instant::now(), seed)
    }

    /// Hand tasks to the device. One that panics drops them, and so sends them to the next device.
    pub(crate) fn submit(&self, tasks: Vec<Task>) {
        let _ = catch_unwind(AssertUnwindSafe(|| self.device.submit(tasks)));
    }

    /// Run on this thread some of the attended tasks of a batch that the device keeps. Whether there were any.
    pub(crate) fn run_on_caller(&self, batch: BatchId) -> bool {
        // tasks that it drops as it panics go on to other devices: there may be more to do
        catch_unwind(AssertUnwindSafe(|| self.device.run_on_caller(batch))).unwrap_or(true)
    }

    /// Run a borrowed job on the device.
    pub(crate) fn run_borrowed(&self, job: &mut BorrowedJob<'_>) -> Result<BorrowedOutput, Failure> {
        catch_unwind(AssertUnwindSafe(|| self.device.run_borrowed(job)))
            .unwrap_or_else(|panic| Err(Failure::Panicked(panic_message(&*panic))))
    }

    /// What the device already has to do.
    pub(crate) fn queue(&self) -> Queue {
        let (jobs, work) = *lock(&self.load.0);
        Queue { jobs, work, lanes: self.lanes }
    }

    /// Count a success and learn from its time. `plain` is what the job declared of its uncompressed side; of a
    /// decompression, what came out is known better.
    pub(crate) fn succeeded(
        &self,
        operation: Operation,
        input: usize,
        produced: usize,
        plain: usize,
        time: Duration,
        interleaved: bool,
    ) {
        let plain = if matches!(operation, Operation::Decompress { .. }) { produced } else { plain };
        self.health.succeeded();
        self.costs.observe(operation, plain, time, Instant::now());
        self.tally.done(operation, input, produced, time);
        if interleaved {
            self.tally.interleaved(operation);
        }
    }

    /// Take note of what a failure says of the device. Bad data says nothing yet, before an authority has
    /// looked at it.
    pub(crate) fn failed(&self, failure: &Failure) {
        match failure {
            Failure::Data(_) | Failure::WrongSize { .. } => {}
            Failure::Unsupported(_) => self.health.unknown(),
            Failure::Lost(_) | Failure::Fault(_) | Failure::Panicked(_) => self.failed_by_itself(),
        }
    }

    /// It failed, or complained about data that another device found nothing wrong with.
    pub(crate) fn failed_by_itself(&self) {
        if self.health.failed(Instant::now()) {
            self.tally.set_aside();
        }
    }

    pub(crate) fn counters(&self) -> DeviceCounters {
        DeviceCounters {
            device: Arc::clone(&self.name),
            rows: self.tally.snapshot(),
            breaker_opened: self.tally.times_set_aside(),
        }
    }
}

/// Jobs that a device has, and the time expected for them on one lane.
#[derive(Default)]
pub(crate) struct Load(Mutex<(usize, Duration)>);

impl Load {
    pub(crate) fn add(&self, expected: Duration) {
        let mut load = lock(&self.0);
        load.0 += 1;
        load.1 = load.1.saturating_add(expected);
    }

    pub(crate) fn remove(&self, expected: Duration) {
        let mut load = lock(&self.0);
        load.0 = load.0.saturating_sub(1);
        load.1 = load.1.saturating_sub(expected);
    }
}
