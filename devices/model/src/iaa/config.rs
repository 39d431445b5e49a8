//! What a model is made of.

use pelton_device_iaa::{Capabilities, Mode};

use super::fault::Faults;
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
