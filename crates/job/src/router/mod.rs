//! The router: selects a device for each job and falls back to another when one fails.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::device::Device;
use crate::job::Job;
use crate::job::batch::Batch;
use crate::memory::buffer::InputBuffer;
use crate::memory::buffer_pool::BufferPool;
use crate::metrics::counters::Counters;
use crate::queue::admission::{AdmissionControl, Limits};
use crate::queue::batch_state::BatchState;
use crate::queue::result::JobError;
use crate::queue::ticket::Ticket;
use crate::util::lock;
use device_state::DeviceState;

mod blocking;
mod circuit_breaker;
pub(crate) mod cost;
mod device_state;
mod dispatch;
pub(crate) mod inline_run;
mod select;

/// Default time for which a circuit breaker stays open. Long in comparison with any job, short in
/// comparison with a device's reset.
const BREAKER_OPEN_TIME: Duration = Duration::from_secs(1);

/// Selects a device for each job, retries failed jobs on other devices, and counts each result with
/// its reason.
///
/// One router serves a process: clone the `Arc`. It starts no threads; its little work is done by
/// the threads that submit and finish jobs.
pub struct Router {
    devices: Vec<DeviceState>,
    limits: Limits,
    admission: Mutex<AdmissionControl>,
    pool: Arc<BufferPool>,
}

/// Builder of a [`Router`] from devices and limits.
pub struct RouterBuilder {
    /// Devices, and whether each belongs to the fallback tier.
    devices: Vec<(Arc<dyn Device>, bool)>,
    limits: Limits,
    breaker_open_time: Duration,
}

impl Default for RouterBuilder {
    fn default() -> RouterBuilder {
        RouterBuilder { devices: Vec::new(), limits: Limits::default(), breaker_open_time: BREAKER_OPEN_TIME }
    }
}

impl RouterBuilder {
    /// Adds a device. Among devices with the same expected finishing time, the one added first gets
    /// the job.
    pub fn device(mut self, device: Arc<dyn Device>) -> RouterBuilder {
        self.devices.push((device, false));
        self
    }

    /// Adds a device to the fallback tier. It gets only the jobs that the other devices do not
    /// support or fail. An example is the CPU while an accelerator is measured.
    pub fn fallback(mut self, device: Arc<dyn Device>) -> RouterBuilder {
        self.devices.push((device, true));
        self
    }

    /// Sets the time for which a circuit breaker stays open before a probe; the default is a
    /// second. Each failed probe doubles the time, up to a limit.
    pub fn breaker_open_time(mut self, time: Duration) -> RouterBuilder {
        self.breaker_open_time = time;
        self
    }

    /// Sets the limits.
    pub fn limits(mut self, limits: Limits) -> RouterBuilder {
        self.limits = limits;
        self
    }

    /// Builds the router.
    pub fn build(self) -> Arc<Router> {
        let open_time = self.breaker_open_time;
        let devices = self
            .devices
            .into_iter()
            .map(|(device, fallback)| DeviceState::new(device, fallback, open_time))
            .collect();
        let pool = BufferPool::new(self.limits.free_bytes);
        Arc::new(Router { devices, limits: self.limits, admission: Mutex::default(), pool })
    }
}

impl Router {
    /// Returns a builder with no devices and the default limits.
    pub fn builder() -> RouterBuilder {
        RouterBuilder::default()
    }

    /// Returns the devices, in the order in which they were added.
    pub fn devices(&self) -> impl Iterator<Item = &Arc<dyn Device>> {
        self.devices.iter().map(|state| &state.device)
    }

    /// Returns the limits.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Returns a snapshot of the counters.
    pub fn counters(&self) -> Counters {
        let peak = lock(&self.admission).peak;
        Counters {
            devices: self.devices.iter().map(DeviceState::counters).collect(),
            peak_bytes_in_flight: peak,
        }
    }

    /// Returns the bytes of inputs and declared outputs that devices hold.
    pub fn bytes_in_flight(&self) -> usize {
        lock(&self.admission).bytes
    }

    /// Returns the number of jobs that wait for admission.
    pub fn jobs_waiting(&self) -> usize {
        lock(&self.admission).waiting()
    }

    /// Submits a batch and returns at once. Jobs beyond the limit of bytes in flight wait in the
    /// router, first come, first served. One bad job fails alone.
    pub fn submit(self: &Arc<Self>, batch: impl Into<Batch>) -> Ticket {
        let batch = batch.into();
        let caller_runs = batch.is_caller_runs();
        let batch = Arc::new(BatchState::new(batch.into_jobs(), caller_runs, |job| self.check(job)));
        lock(&self.admission).push(Arc::clone(&batch));
        self.dispatch_admitted();
        Ticket::new(batch, Arc::clone(self) as _)
    }

    /// Returns memory for `len` bytes of input, from the buffer pool if possible. Reading into
    /// fresh memory costs more for the system's zeroing than for the reading.
    pub fn input_buffer(&self, len: usize) -> InputBuffer {
        InputBuffer::new(len, &self.pool)
    }

    fn check(&self, job: &Job) -> Result<(), JobError> {
        let (declared, limit) = (job.declared(), self.limits.output_per_job);
        if declared > limit { Err(JobError::LimitExceeded { declared, limit }) } else { Ok(()) }
    }
}
