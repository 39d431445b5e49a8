//! The model and its portals.

use std::sync::Arc;

use pelton_device_iaa::hw::{CompletionRecord, Descriptor};
use pelton_device_iaa::{Capabilities, Mode, Portal, SubmitError};

use super::clock::ModelledTime;
use super::config::Config;
use super::counters::Counters;
use super::engine::Engines;
use super::engine::memory::Submitted;
use super::engine::schedule::Client;

/// Some devices, with their queues and engines. Threads are started when there is work, and end
/// when the model and all its portals are gone.
pub struct Model {
    engines: Arc<Engines>,
}

impl Model {
    pub(super) fn new(config: Config) -> Model {
        Model { engines: Arc::new(Engines::new(config)) }
    }

    /// Open every queue, the first device's first. A dedicated queue that is open already is left
    /// out.
    pub fn open(&self) -> Vec<Arc<dyn Portal>> {
        (0..self.queues()).filter_map(|queue| self.open_queue(queue)).collect()
    }

    /// Open the queue with this number. `None` if there is none, or if it is dedicated and open
    /// already.
    pub fn open_queue(&self, queue: usize) -> Option<Arc<dyn Portal>> {
        let shared = &self.engines.shared;
        if queue >= self.queues() {
            return None;
        }
        let client = shared.lock().schedule.open(queue, &shared.config)?;
        Some(Arc::new(ModelPortal { engines: Arc::clone(&self.engines), queue, client }))
    }

    /// How many queues there are, of all devices.
    pub fn queues(&self) -> usize {
        self.engines.shared.config.queues.len()
    }

    /// What the model did until now.
    pub fn counters(&self) -> Counters {
        self.engines.shared.lock().schedule.counters.clone()
    }

    /// What the modelled clock says.
    pub fn clock(&self) -> ModelledTime {
        self.engines.shared.lock().schedule.clock.report()
    }

    /// Starts its threads now, rather than with the first descriptors: they inherit what the
    /// calling thread does with signals.
    pub fn start(&self) {
        self.engines.start_all();
    }

    /// A line for people: the clock, and the faults that were met, of the device that is called
    /// `name`.
    pub fn report(&self, name: &str) -> String {
        format!("{name} {}; {} faults injected", self.clock(), self.counters().faults.total())
    }
}

/// A queue that is open.
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
                // As the kernel does: what came before is in.
                if accepted == 0 {
                    return Err(std::io::Error::from(std::io::ErrorKind::InvalidInput).into());
                }
                break;
            }
            // SAFETY: the caller's promise is that of `Submitted::new`, and the schedule drops what
            // it holds of a client's descriptors at their completion or before `close` returns.
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
        // What was run meanwhile may have been held back.
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
