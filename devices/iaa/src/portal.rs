//! Portal: the entry for descriptors, a work queue of the hardware or of the model.

use crate::hw::Descriptor;

/// Way of submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// ENQCMD to the mapped portal of a shared queue, which reports a full queue.
    Shared,
    /// MOVDIR64B to the mapped portal of a dedicated queue, which reports nothing: the submitter
    /// counts the descriptors in flight.
    Dedicated,
    /// `write()` on the character device, for processes that may not map the portal. It takes
    /// several descriptors per call.
    Write,
}

/// Capabilities of a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Way of submission.
    pub mode: Mode,
    /// Depth in descriptors.
    pub depth: usize,
    /// Maximum length of one source or destination.
    pub max_transfer_bytes: usize,
    /// Whether it waits for missing pages if a descriptor requests that.
    pub block_on_fault: bool,
    /// A bit for each allowed opcode.
    pub opcodes: [u64; 4],
    /// NUMA node of its device, if the system reports one.
    pub node: Option<u32>,
}

impl Capabilities {
    /// Returns whether the queue allows an opcode.
    pub fn allows(&self, opcode: crate::hw::Opcode) -> bool {
        let number = opcode as usize;
        self.opcodes[number / 64] & (1 << (number % 64)) != 0
    }
}

/// Reason for which no descriptor was accepted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SubmitError {
    /// The driver or the system has closed the queue.
    #[error("the work queue is closed")]
    Closed,
    /// The system refused.
    #[error("the system refused the descriptor: {0}; `pelton devices` says what the queue needs")]
    System(#[from] std::io::Error),
}

/// The entry for descriptors. Safe to use from many threads at once.
pub trait Portal: Send + Sync {
    /// Returns the capabilities of the queue.
    fn capabilities(&self) -> &Capabilities;

    /// Submits descriptors in order until the queue is full, and returns the number of accepted
    /// ones. Does not wait.
    ///
    /// # Errors
    /// No descriptor was accepted.
    ///
    /// # Safety
    /// The device accesses the memory that a descriptor names until the completion record has a
    /// status or [`close`](Portal::close) has returned. Until then the memory has to stay
    /// allocated, nothing else may write it, and nothing else may read the part that the device
    /// writes. The completion record has to be empty before the call.
    #[allow(unsafe_code)]
    unsafe fn submit(&self, descriptors: &[Descriptor]) -> Result<usize, SubmitError>;

    /// Closes the queue. After the return, the device accesses no memory named to this portal,
    /// writes no completion record, and [`submit`](Portal::submit) fails.
    fn close(&self);
}
