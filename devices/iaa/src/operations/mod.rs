//! Operations as sequences of descriptors: what to ask for first, and what next after each answer.
//!
//! Nothing here touches memory that a device may be at, or knows an address: a [`Work`] sees the
//! job's buffers between descriptors, and names parts of them in an [`Order`].

mod checksum;
mod compress;
mod decompress;
mod filter;
pub(crate) mod members;
mod mini_blocks;
mod noop;

use crate::error::IaaError;
use crate::hw::RecordView;
use crate::queue::{Order, Parts};

pub(crate) use checksum::Crc64;
pub use compress::Tables;
pub(crate) use compress::{Coding, Compress};
pub(crate) use decompress::Decompress;
pub(crate) use filter::Filtering;
pub use filter::{Dropped, Filter, FilterOperation, Filtered, Layout, Predicate, Width};
pub(crate) use members::Members;
pub(crate) use mini_blocks::{Indexing, Reading};
pub use mini_blocks::{MiniBlockSize, MiniBlocks};
pub(crate) use noop::Noop;

/// What is to be done next.
pub(crate) enum Step {
    /// This descriptor.
    Fly(Order),
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
pub(crate) enum Landed {
    /// With success.
    Success(RecordView),
    /// With a full destination.
    Overflow(RecordView),
    /// Otherwise.
    Failed(IaaError),
}

impl Landed {
    /// The record of a success; an error otherwise.
    pub(crate) fn success(self) -> Result<RecordView, IaaError> {
        match self {
            Landed::Success(record) => Ok(record),
            Landed::Overflow(_) => Err(IaaError::OutputFull),
            Landed::Failed(error) => Err(error),
        }
    }
}

/// What is common to operations.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    /// Most bytes of one source or destination.
    pub(crate) transfer: usize,
    /// Check everything in software that can be.
    pub(crate) verify: bool,
}

/// An operation on its way.
pub(crate) enum Work {
    Noop(Noop),
    Decompress(Decompress),
    Compress(Box<Compress>),
    Crc64(Crc64),
    Filter(Filtering),
    Members(Members),
    Index(Indexing),
    Read(Reading),
    /// What the device does not know, which is refused before it comes here.
    Unknown,
}

impl Work {
    /// The first step.
    pub(crate) fn begin(&mut self, parts: Parts<'_>) -> Result<Step, IaaError> {
        match self {
            Work::Noop(work) => Ok(work.begin()),
            Work::Decompress(work) => work.begin(parts),
            Work::Compress(work) => work.begin(parts),
            Work::Crc64(work) => work.begin(parts),
            Work::Filter(work) => work.begin(parts),
            Work::Members(work) => work.begin(parts),
            Work::Index(work) => work.begin(parts),
            Work::Read(work) => work.begin(parts),
            Work::Unknown => Err(IaaError::Unsuited("unknown operation")),
        }
    }

    /// The next step.
    pub(crate) fn resume(&mut self, parts: Parts<'_>, landed: Landed) -> Result<Step, IaaError> {
        match self {
            Work::Noop(work) => work.resume(landed),
            Work::Decompress(work) => work.resume(parts, landed),
            Work::Compress(work) => work.resume(parts, landed),
            Work::Crc64(work) => work.resume(parts, landed),
            Work::Filter(work) => work.resume(parts, landed),
            Work::Members(work) => work.resume(parts, landed),
            Work::Index(work) => work.resume(parts, landed),
            Work::Read(work) => work.resume(parts, landed),
            Work::Unknown => Err(IaaError::Unsuited("unknown operation")),
        }
    }

    /// The last descriptor again, but smaller, if the operation can be cut.
    pub(crate) fn shrink(&mut self, parts: Parts<'_>) -> Option<Order> {
        match self {
            Work::Decompress(work) => work.shrink(parts),
            Work::Compress(work) => work.shrink(parts),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
