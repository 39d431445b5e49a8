//! Operations as sequences of descriptors: the first request, and the next after each answer.
//!
//! Operations know no addresses and don't run while the device has a descriptor: a
//! [`DeviceOperation`] sees the job's buffers between descriptors, and names parts of them in a
//! [`Request`].

mod checksum;
mod compress;
mod decompress;
mod filter;
pub(crate) mod membership;
mod mini_blocks;

use crate::error::IaaError;
use crate::hw::RecordView;
use crate::queue::{Parts, Request};

pub(crate) use checksum::{Crc64, Noop};
pub use compress::CannedTables;
pub(crate) use compress::{CodeChoice, Compress};
pub(crate) use decompress::Decompress;
pub(crate) use filter::Filtering;
pub use filter::{Dropped, Filter, FilterOperation, Filtered, Layout, Predicate, Width};
pub(crate) use membership::Membership;
pub(crate) use mini_blocks::{Indexing, Reading};
pub use mini_blocks::{MiniBlockSize, MiniBlocks};

/// Next step of an operation.
pub(crate) enum Step {
    /// Submit this descriptor.
    Submit(Request),
    /// Deliver this result.
    Done(Output),
}

/// Result of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Output {
    /// Length of the output.
    pub(crate) produced: usize,
    /// Length of the used input.
    pub(crate) consumed: usize,
    /// The checksum, for a checksum operation.
    pub(crate) checksum: Option<u64>,
    /// The record of the last descriptor, if there was one.
    pub(crate) record: Option<RecordView>,
}

/// Completion of a descriptor.
pub(crate) enum Completion {
    /// Success.
    Success(RecordView),
    /// The destination is full.
    Overflow(RecordView),
    /// Any other status.
    Failed(IaaError),
}

impl Completion {
    /// Returns the record of a success, or the error.
    pub(crate) fn success(self) -> Result<RecordView, IaaError> {
        match self {
            Completion::Success(record) => Ok(record),
            Completion::Overflow(_) => Err(IaaError::OutputFull),
            Completion::Failed(error) => Err(error),
        }
    }
}

/// Settings of all operations.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OperationLimits {
    /// Maximum length of one source or destination.
    pub(crate) transfer: usize,
    /// Whether to verify all results in software.
    pub(crate) verify: bool,
}

/// An operation in progress.
pub(crate) enum DeviceOperation {
    Noop(Noop),
    Decompress(Decompress),
    Compress(Box<Compress>),
    Crc64(Crc64),
    Filter(Filtering),
    Membership(Membership),
    Index(Indexing),
    Read(Reading),
    /// An operation that the device does not have. `supports` rejects it earlier.
    Unknown,
}

impl DeviceOperation {
    /// Returns the first step.
    pub(crate) fn begin(&mut self, parts: Parts<'_>) -> Result<Step, IaaError> {
        match self {
            DeviceOperation::Noop(work) => Ok(work.begin()),
            DeviceOperation::Decompress(work) => work.begin(parts),
            DeviceOperation::Compress(work) => work.begin(parts),
            DeviceOperation::Crc64(work) => work.begin(parts),
            DeviceOperation::Filter(work) => work.begin(parts),
            DeviceOperation::Membership(work) => work.begin(parts),
            DeviceOperation::Index(work) => work.begin(parts),
            DeviceOperation::Read(work) => work.begin(parts),
            DeviceOperation::Unknown => Err(IaaError::Unsupported("unknown operation")),
        }
    }

    /// Returns the next step.
    pub(crate) fn resume(&mut self, parts: Parts<'_>, completion: Completion) -> Result<Step, IaaError> {
        match self {
            DeviceOperation::Noop(work) => work.resume(completion),
            DeviceOperation::Decompress(work) => work.resume(parts, completion),
            DeviceOperation::Compress(work) => work.resume(parts, completion),
            DeviceOperation::Crc64(work) => work.resume(parts, completion),
            DeviceOperation::Filter(work) => work.resume(parts, completion),
            DeviceOperation::Membership(work) => work.resume(parts, completion),
            DeviceOperation::Index(work) => work.resume(parts, completion),
            DeviceOperation::Read(work) => work.resume(parts, completion),
            DeviceOperation::Unknown => Err(IaaError::Unsupported("unknown operation")),
        }
    }

    /// Returns a smaller request in place of the last one; none if the operation can't be cut.
    pub(crate) fn shrink(&mut self, parts: Parts<'_>) -> Option<Request> {
        match self {
            DeviceOperation::Decompress(work) => work.shrink(parts),
            DeviceOperation::Compress(work) => work.shrink(parts),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
