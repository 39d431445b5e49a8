//! What a model is made of.

use std::num::NonZero;
use std::thread::available_parallelism;

use pelton_device_iaa::{Capabilities, Mode};

use super::dispatch;
use super::fault::Faults;
use super::model::Model;
use super::timing::Timing;

/// A work queue of each device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueConfig {
    /// How descriptors get in.
    pub mode: Mode,
    /// Whether the queue itself is dedicated: only one can have it open. It goes with
    /// [`Mode::Dedicated`], and may go with [`Mode::Write`].
    pub is_dedicated: bool,
    /// Descriptors that it holds. The hardware has 128 for all queues of a device.
    pub depth: usize,
    /// Most bytes of one source or destination.
    pub max_transfer_bytes: usize,
    /// It waits for missing pages, if a descriptor asks for that.
    pub block_on_fault: bool,
    /// A bit for each opcode that it allows; those that the model does not have stay out.
    pub opcodes: [u64; 4],
}

impl QueueConfig {
    /// A queue that descriptors get into like this, with 64 places, 2 MB (what Intel's sample
    /// profiles set), no blocking on faults, and all operations.
    pub fn new(mode: Mode) -> QueueConfig {
        QueueConfig {
            mode,
            is_dedicated: mode == Mode::Dedicated,
            depth: 64,
            max_transfer_bytes: 2 << 20,
            block_on_fault: false,
            opcodes: [u64::MAX; 4],
        }
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
    /// How many devices there are: 1 unless said otherwise.
    pub fn devices(mut self, devices: usize) -> Builder {
        self.devices = devices.max(1);
        self
    }

    /// How many engines each has: 8 unless said otherwise.
    pub fn engines(mut self, engines: usize) -> Builder {
        self.engines = engines.max(1);
        self
    }

    /// How many threads run the engines of all devices: at most as many as there are engines. 0,
    /// like not saying, is one for each core that this process may use. The modelled clock does not
    /// depend on it.
    pub fn threads(mut self, threads: usize) -> Builder {
        self.threads = threads;
        self
    }

    /// The queues of each device: one that is shared unless said otherwise.
    pub fn queues(mut self, queues: impl IntoIterator<Item = QueueConfig>) -> Builder {
        self.queues = queues.into_iter().collect();
        self
    }

    /// The NUMA nodes of the devices, from the first; those behind are on none that is known.
    pub fn nodes(mut self, nodes: impl IntoIterator<Item = Option<u32>>) -> Builder {
        self.nodes = nodes.into_iter().collect();
        self
    }

    /// The figures of the modelled clock: [`Timing::PAPER`] unless said otherwise.
    pub fn timing(mut self, timing: Timing) -> Builder {
        self.timing = timing;
        self
    }

    /// What goes wrong: nothing unless said otherwise.
    pub fn faults(mut self, faults: Faults) -> Builder {
        self.faults = faults;
        self
    }

    /// The model.
    pub fn build(self) -> Model {
        let known = dispatch::opcodes();
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

/// A model's configuration as it runs.
pub(super) struct Config {
    pub(super) devices: usize,
    pub(super) engines: usize,
    pub(super) threads: usize,
    /// All devices' queues, the first device's first.
    pub(super) queues: Vec<Queue>,
    pub(super) timing: Timing,
    pub(super) faults: Faults,
}

pub(super) struct Queue {
    pub(super) device: usize,
    pub(super) is_dedicated: bool,
    pub(super) capabilities: Capabilities,
}
