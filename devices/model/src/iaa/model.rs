//! Model of devices, and its portals.

use std::sync::Arc;

use pelton_device_iaa::hw::{CompletionRecord, Descriptor};
use pelton_device_iaa::{Capabilities, Mode, Portal, SubmitError};

use super::clock::ModelledTime;
use super::config::Config;
use super::counters::Counters;
use super::engine::Engines;
use super::engine::memory::Submitted;
use super::engine::schedule::Client;

/// Devices with their queues and engines. Threads start when there is work, and end when the model
/// and all its portals are dropped.
pub struct Model {
    engines: Arc<Engines>,
}

impl Model {
    pub(super) fn new(config: Config) -> Model {
        Model { engines: Arc::new(Engines::new(config)) }
    }

    /// Opens every queue, in order of the devices, except dedicated queues that are open already.
    pub fn open(&self) -> Vec<Arc<dyn Portal>> {
        (0..self.queues()).filter_map(|queue| self.open_queue(queue)).collect()
    }

    /// Opens the queue with a number; none if there is none, or if it is dedicated and open
    /// already.
    pub fn open_queue(&self, queue: usize) -> Option<Arc<dyn Portal>> {
        let shared = &self.engines.shared;
        if queue >= self.queues() {
            return None;
        }
        let client = shared.lock().schedule.open(queue, &shared.config)?;
        Some(Arc::new(ModelPortal { engines: Arc::clone(&self.engines), queue, client }))
    }

    /// Returns the number of queues of all devices.
    pub fn queues(&self) -> usize {
        self.engines.shared.config.queues.len()
    }

    /// Returns the counters.
    pub fn counters(&self) -> Counters {
        self.engines.shared.lock().schedule.counters.clone()
    }

    /// Returns the modelled time.
    pub fn clock(&self) -> ModelledTime {
        self.engines.shared.lock().schedule.clock.report()
    }

    /// Starts the threads now instead of with the first descriptors. They inherit the calling
    /// thread's signal mask.
    pub fn start(&self) {
        self.engines.start_all();
    }

    /// Returns a line with the modelled time and the number of injected faults, for the device
    /// called `name`.
    pub fn report(&self, name: &str) -> String {
        format!("{name} {}; {} faults injected", self.clock(), self.counters().faults.total())
    }
}

/// An open queue.
struct ModelPortal {
    engines: Arc<Engines>,
    queue: usize,
    client: Client,
}

impl Portal for ModelPortal {
    fn capabilities(&self) -> &Capabilities {
        &self.engines.shared.config.queues[self.queue].capabilities
    }

    #[allow(unsafe_code)]
    unsafe fn submit(&self, descriptors: &[Descriptor]) -> Result<usize, SubmitError> {
        let config = &self.engines.shared.config;
        self.engines.ensure()?;
        let mut state = self.engines.shared.lock();
        if !state.schedule.is_open(self.queue, self.client) {
            return Err(SubmitError::Closed);
        }
        let mut accepted = 0;
        for descriptor in descriptors {
            if self.capabilities().mode == Mode::Write && !is_aligned(descriptor) {
                // Like the kernel: earlier descriptors are accepted.
                if accepted == 0 {
                    return Err(std::io::Error::from(std::io::ErrorKind::InvalidInput).into());
                }
                break;
            }
            // SAFETY: the caller makes the promise of `Submitted::new`, and the schedule drops a
            // client's descriptors at their completion or before `close` returns.
            let make = |descriptor: &Descriptor| unsafe { Submitted::new(*descriptor) };
            if !state.schedule.offer(self.queue, self.client, descriptor, config, make) {
                break;
            }
            accepted += 1;
        }
        self.engines.wake(state, accepted);
        Ok(accepted)
    }

    fn close(&self) {
        let shared = &self.engines.shared;
        let mut state = shared.lock();
        if !state.schedule.is_open(self.queue, self.client) && !state.schedule.is_running(self.client) {
            return;
        }
        state.schedule.close(self.queue, self.client, &shared.config);
        while state.schedule.is_running(self.client) {
            state = shared.wait_for_end(state);
        }
        // Descriptors that ran in the meantime may have been delayed.
        state.schedule.close(self.queue, self.client, &shared.config);
    }
}

impl Drop for ModelPortal {
    fn drop(&mut self) {
        self.close();
    }
}

fn is_aligned(descriptor: &Descriptor) -> bool {
    descriptor.completion().is_multiple_of(CompletionRecord::BYTES as u64)
}
