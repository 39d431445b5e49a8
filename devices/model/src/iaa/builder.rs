//! Builder of a model, with a default for each setting.

use std::num::NonZero;
use std::thread::available_parallelism;

use pelton_device_iaa::{Capabilities, Mode};

use super::config::{Config, Queue, QueueConfig};
use super::fault::Faults;
use super::model::Model;
use super::operation;
use super::timing::Timing;

impl Model {
    /// Returns the builder of a device with 8 engines and a shared queue.
    pub fn builder() -> Builder {
        Builder::default()
    }
}

/// The configuration of a [`Model`].
#[derive(Clone, Debug)]
pub struct Builder {
    devices: usize,
    engines: usize,
    threads: usize,
    queues: Vec<QueueConfig>,
    nodes: Vec<Option<u32>>,
    timing: Timing,
    faults: Faults,
}

impl Default for Builder {
    fn default() -> Builder {
        Builder {
            devices: 1,
            engines: 8,
            threads: 0,
            queues: vec![QueueConfig::new(Mode::Shared)],
            nodes: Vec::new(),
            timing: Timing::PAPER,
            faults: Faults::none(),
        }
    }
}

impl Builder {
    /// Sets the number of devices; the default is one.
    pub fn devices(mut self, devices: usize) -> Builder {
        self.devices = devices.max(1);
        self
    }

    /// Sets the number of engines per device; the default is 8.
    pub fn engines(mut self, engines: usize) -> Builder {
        self.engines = engines.max(1);
        self
    }

    /// Sets the number of threads that run the engines of all devices, at most one per engine.
    /// Zero, the default, means one for each core of this process. The modelled clock does not
    /// depend on it.
    pub fn threads(mut self, threads: usize) -> Builder {
        self.threads = threads;
        self
    }

    /// Sets the queues of each device; the default is one shared queue.
    pub fn queues(mut self, queues: impl IntoIterator<Item = QueueConfig>) -> Builder {
        self.queues = queues.into_iter().collect();
        self
    }

    /// Sets the NUMA nodes of the devices in order; the remaining devices have none.
    pub fn nodes(mut self, nodes: impl IntoIterator<Item = Option<u32>>) -> Builder {
        self.nodes = nodes.into_iter().collect();
        self
    }

    /// Sets the figures of the modelled clock; the default is [`Timing::PAPER`].
    pub fn timing(mut self, timing: Timing) -> Builder {
        self.timing = timing;
        self
    }

    /// Sets the faults to inject; the default is none.
    pub fn faults(mut self, faults: Faults) -> Builder {
        self.faults = faults;
        self
    }

    /// Returns the model.
    pub fn build(self) -> Model {
        let known = operation::opcodes();
        let queue = |device: usize, queue: &QueueConfig| Queue {
            device,
            is_dedicated: queue.is_dedicated || queue.mode == Mode::Dedicated,
            capabilities: Capabilities {
                mode: queue.mode,
                depth: queue.depth,
                max_transfer_bytes: queue.max_transfer_bytes,
                block_on_fault: queue.block_on_fault,
                opcodes: std::array::from_fn(|word| queue.opcodes[word] & known[word]),
                node: self.nodes.get(device).copied().flatten(),
            },
        };
        let cores = || available_parallelism().map_or(1, NonZero::get);
        let threads = if self.threads == 0 { cores() } else { self.threads };
        let queues =
            (0..self.devices).flat_map(|device| self.queues.iter().map(move |config| queue(device, config)));
        Model::new(Config {
            devices: self.devices,
            engines: self.engines,
            threads: threads.min(self.devices * self.engines),
            queues: queues.collect(),
            timing: self.timing,
            faults: self.faults,
        })
    }
}
