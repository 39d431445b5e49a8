//! Where jobs go in.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::device::Device;
use crate::job::Job;
use crate::job::batch::{Batch, BatchId};
use crate::memory::buffer::InputBuffer;
use crate::memory::buffer_pool::Recycler;
use crate::metrics::counters::Counters;
use crate::queue::admission::{Flow, Limits};
use crate::queue::batch_state::Slots;
use crate::queue::result::JobError;
use crate::queue::ticket::Ticket;
use crate::router::device_state::Entry;
use crate::util::lock;

mod blocking;
pub(crate) mod circuit_breaker;
pub(crate) mod cost;
pub(crate) mod device_state;
mod dispatch;
mod fused_filter;
pub(crate) mod inline_run;
pub(crate) mod select;

/// Memory of inputs and outputs that were dropped which is kept for new ones, as a fraction of the bytes in flight:
/// with half of them, one batch finds what the one before it has left.
const KEPT: usize = 2;

/// How long a device that failed three times in a row is left alone before a job is tried on it again. Long beside any
/// job, short beside a reboot of a device.
const PROBE_AFTER: Duration = Duration::from_secs(1);

/// Chooses a device for each job, falls back when one fails, and counts what happened and why.
///
/// One router serves a process: clone the `Arc`. It starts no threads; whoever submits or finishes a job does
/// the little work there is.
pub struct Router {
    entries: Vec<Entry>,
    limits: Limits,
    pub(crate) flow: Mutex<Flow>,
    recycler: Arc<Recycler>,
}

/// Collects the devices and limits of a [`Router`].
pub struct RouterBuilder {
    /// Devices, and whether they are a reserve.
    devices: Vec<(Arc<dyn Device>, bool)>,
    limits: Limits,
    breaker_open_time: Duration,
}

impl Default for RouterBuilder {
    fn default() -> RouterBuilder {
        RouterBuilder { devices: Vec::new(), limits: Limits::default(), breaker_open_time: PROBE_AFTER }
    }
}

impl RouterBuilder {
    /// Add a device. Among devices that would finish a job at the same time, the one added first gets it.
    pub fn device(mut self, device: Arc<dyn Device>) -> RouterBuilder {
        self.devices.push((device, false));
        self
    }

    /// Add a device that gets only what no other takes, or what the others failed: the CPU, where somebody wants to
    /// see what an accelerator does.
    pub fn fallback(mut self, device: Arc<dyn Device>) -> RouterBuilder {
        self.devices.push((device, true));
        self
    }

    /// Set how long a device is left alone that failed three times in a row: a second, if this is not called. Each
    /// trial that fails doubles it, up to 64 times.
    pub fn breaker_open_time(mut self, wait: Duration) -> RouterBuilder {
        self.breaker_open_time = wait;
        self
    }

    /// Set the limits.
    pub fn limits(mut self, limits: Limits) -> RouterBuilder {
        self.limits = limits;
        self
    }

    /// The router.
    pub fn build(self) -> Arc<Router> {
        let breaker_open_time = self.breaker_open_time;
        let entries = self
            .devices
            .into_iter()
            .map(|(device, reserve)| Entry::new(device, reserve, breaker_open_time))
            .collect();
        let recycler = Recycler::new(self.limits.bytes_in_flight / KEPT);
        Arc::new(Router { entries, limits: self.limits, flow: Mutex::default(), recycler })
    }
}

impl Router {
    /// Start with no devices and the default limits.
    pub fn builder() -> RouterBuilder {
        RouterBuilder::default()
    }

    /// The devices, in the order they were added.
    pub fn devices(&self) -> impl Iterator<Item = &Arc<dyn Device>> {
        self.entries.iter().map(|entry| &entry.device)
    }

    /// The limits.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// What happened so far.
    pub fn counters(&self) -> Counters {
        let peak = lock(&self.flow).peak;
        Counters { devices: self.entries.iter().map(Entry::counters).collect(), peak_bytes_in_flight: peak }
    }

    /// Bytes of inputs and declared outputs that devices have now.
    pub fn bytes_in_flight(&self) -> usize {
        lock(&self.flow).bytes
    }

    /// Jobs that wait for room among the bytes in flight.
    pub fn jobs_waiting(&self) -> usize {
        lock(&self.flow).waiting()
    }

    /// Hand in a batch. Returns at once; jobs for which there is no room among the bytes in flight wait in
    /// the router, first come first served. One bad job fails alone.
    pub fn submit(self: &Arc<Self>, batch: impl Into<Batch>) -> Ticket {
        let batch = batch.into();
        let attended = batch.is_caller_runs();
        let slots = Arc::new(Slots::new(batch.into_jobs(), attended, |job| self.check(job)));
        lock(&self.flow).push(Arc::clone(&slots));
        self.pump();
        Ticket::new(slots, Arc::clone(self))
    }

    /// Memory for `len` bytes of input, which may be that of a job that is done. Who reads inputs into fresh memory
    /// spends more time on the system's zeroing it than on the reading.
    pub fn input_buffer(&self, len: usize) -> InputBuffer {
        InputBuffer::new(len, &self.recycler)
    }

    /// Do on this thread some of what an attended batch waits for. Whether there was any. Of one that was cancelled, nothing is
    /// done, and devices let go of it.
    pub(crate) fn help(&self, slots: &Slots) -> bool {
        let batch = BatchId::of(slots);
        self.entries.iter().any(|entry| entry.run_on_caller(batch))
    }

    fn check(&self, job: &Job) -> Result<(), JobError> {
        let (declared, limit) = (job.declared(), self.limits.output_per_job);
        if declared > limit { Err(JobError::LimitExceeded { declared, limit }) } else { Ok(()) }
    }

    pub(crate) fn recycler(&self) -> &Arc<Recycler> {
        &self.recycler
    }

    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub(crate) fn entry(&self, device: usize) -> &Entry {
        &self.entries[device]
    }
}
