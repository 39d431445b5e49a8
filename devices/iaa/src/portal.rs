//! Where descriptors go in: one work queue of the hardware or of its model.

use crate::hw::Descriptor;

/// How descriptors get into a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// ENQCMD to the mapped portal of a shared queue: it may say that the queue is full.
    Shared,
    /// MOVDIR64B to the mapped portal of a dedicated queue: it says nothing, so the submitter
    /// counts what is in flight.
    Dedicated,
    /// `write()` on the character device, where the portal may not be mapped. Many descriptors in a
    /// call.
    Write,
}

/// What a queue can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// How descriptors get in.
    pub mode: Mode,
    /// Descriptors that it holds.
    pub depth: usize,
    /// Most bytes of one source or destination.
    pub max_transfer_bytes: usize,
    /// It waits for missing pages, if a descriptor asks for that.
    pub block_on_fault: bool,
    /// A bit for each opcode that it allows.
    pub opcodes: [u64; 4],
    /// The NUMA node of its device, where the system says one.
    pub node: Option<u32>,
}

impl Capabilities {
    /// Whether the queue allows an opcode.
    pub fn allows(&self, opcode: crate::hw::Opcode) -> bool {
        let number = opcode as usize;
        self.opcodes[number / 64] & (1 << (number % 64)) != 0
    }
}

/// Why no descriptor went in.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SubmitError {
    /// The queue was closed, by us or by the system.
    #[error("the work queue is closed")]
    Closed,
    /// The system refused.
    #[error("the system refused the descriptor: {0}; `pelton devices` says what the queue needs")]
    System(#[from] std::io::Error),
}

/// Where descriptors go in. Safe to use from many threads at once.
pub trait Portal: Send + Sync {
    /// What the queue can do.
    fn capabilities(&self) -> &Capabilities;

    /// Hands in the first so many of these descriptors that there was room for, in their order, and
    /// returns how many: 0 where the queue is full. Does not wait.
    ///
    /// # Errors
    /// Nothing was handed in.
    ///
    /// # Safety
    /// The device reads and writes the memory that a descriptor names, at any time until its
    /// completion record has a status, or until [`close`](Portal::close) has returned. That memory
    /// has to be there so long, and nobody else may write it, or read what the device writes. The
    /// completion record has to be empty before.
    #[allow(unsafe_code)]
    unsafe fn submit(&self, descriptors: &[Descriptor]) -> Result<usize, SubmitError>;

    /// Gives the queue up: when this returns, the device touches no memory that was named to this
    /// portal, and no completion record will be written any more. Later calls of
    /// [`submit`](Portal::submit) fail.
    fn close(&self);
}
