//! Configuration of a model.

use pelton_device_iaa::{Capabilities, Mode};

use super::fault::Faults;
use super::timing::Timing;

/// A work queue of each device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueConfig {
    /// Way of submission.
    pub mode: Mode,
    /// Whether the queue is dedicated, so that only one client can open it. True for
    /// [`Mode::Dedicated`], possible for [`Mode::Write`].
    pub is_dedicated: bool,
    /// Depth in descriptors. The hardware has 128 for all queues of a device.
    pub depth: usize,
    /// Maximum length of one source or destination.
    pub max_transfer_bytes: usize,
    /// Whether it waits for missing pages if a descriptor requests that.
    pub block_on_fault: bool,
    /// A bit for each allowed opcode; opcodes that the model lacks are ignored.
    pub opcodes: [u64; 4],
}

impl QueueConfig {
    /// Returns a queue with this way of submission and all operations. Depth and maximum transfer
    /// are those of Intel's sample profiles; it does not block on faults.
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

/// Configuration of a running model.
pub(super) struct Config {
    pub(super) devices: usize,
    pub(super) engines: usize,
    pub(super) threads: usize,
    /// Queues of all devices, in order of the devices.
    pub(super) queues: Vec<Queue>,
    pub(super) timing: Timing,
    pub(super) faults: Faults,
}

pub(super) struct Queue {
    pub(super) device: usize,
    pub(super) is_dedicated: bool,
    pub(super) capabilities: Capabilities,
}
