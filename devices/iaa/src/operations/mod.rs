//! Operations as sequences of descriptors: what to ask for first, and what next after each answer.
//!
//! Nothing here touches memory that a device may be at, or knows an address: a [`DeviceOperation`]
//! sees the job's buffers between descriptors, and names parts of them in an [`Request`].

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

/// What is to be done next.
pub(crate) enum Step {
    /// This descriptor.
    Submit(Request),
    /// Nothing: it is done.
    Done(Output),
}

/// What an operation made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Output {
    /// Bytes of the output.
    pub(crate) produced: usize,
    /// Bytes of the input that were used.
    pub(crate) consumed: usize,
    /// The checksum, if that was the operation.
    pub(crate) checksum: Option<u64>,
    /// The record of the last descriptor, if there was any.
    pub(crate) record: Option<RecordView>,
}

/// How a descriptor ended.
pub(crate) enum Completion {
    /// With success.
    Success(RecordView),
    /// With a full destination.
    Overflow(RecordView),
    /// Otherwise.
    Failed(IaaError),
}

impl Completion {
    /// The record of a success; an error otherwise.
    pub(crate) fn success(self) -> Result<RecordView, IaaError> {
        match self {
            Completion::Success(record) => Ok(record),
            Completion::Overflow(_) => Err(IaaError::OutputFull),
            Completion::Failed(error) => Err(error),
        }
    }
}

/// What is common to operations.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OperationLimits {
    /// Most bytes of one source or destination.
    pub(crate) transfer: usize,
    /// Check everything in software that can be.
    pub(crate) verify: bool,
}

/// An operation on its way.
pub(crate) enum DeviceOperation {
    Noop(Noop),
    Decompress(Decompress),
    Compress(Box<Compress>),
    Crc64(Crc64),
    Filter(Filtering),
    Membership(Membership),
    Index(Indexing),
    Read(Reading),
    /// What the device does not know, which is refused before it comes here.
    Unknown,
}

impl DeviceOperation {
    /// The first step.
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

    /// The next step.
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

    /// The last descriptor again, but smaller, if the operation can be cut.
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
