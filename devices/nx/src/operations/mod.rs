//! Operations as sequences of requests: the first one, and the next after each answer.
//!
//! Operations know no addresses and don't run while the engine has a request: they see the job's
//! buffers between requests, and name parts of them in a [`Request`].

mod compress;
mod decompress;
mod stored;
mod tables;

use crate::error::NxError;
use crate::hw::Status;
use crate::queue::{Parts, Request};

pub(crate) use compress::{Compress, Settings as CompressSettings};
pub(crate) use decompress::Decompress;
pub(crate) use tables::TableCache;

/// Next step of an operation.
pub(crate) enum Step {
    /// Submit this request.
    Submit(Request),
    /// Deliver this result.
    Done(Output),
}

/// Result of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Output {
    /// Length of the output.
    pub(crate) produced: usize,
    /// Length of the used input.
    pub(crate) consumed: usize,
}

/// An operation in progress.
pub(crate) enum DeviceOperation {
    Decompress(Decompress),
    Compress(Box<Compress>),
    /// An operation that the device does not have. `supports` rejects it earlier.
    Unknown,
}

impl DeviceOperation {
    /// Returns the first step.
    pub(crate) fn begin(&mut self, parts: Parts<'_>) -> Result<Step, NxError> {
        match self {
            DeviceOperation::Decompress(work) => work.begin(parts),
            DeviceOperation::Compress(work) => work.begin(parts),
            DeviceOperation::Unknown => Err(NxError::Unsupported("unknown operation")),
        }
    }

    /// Returns the step after an answer other than an address fault.
    pub(crate) fn resume(&mut self, parts: Parts<'_>, status: &Status) -> Result<Step, NxError> {
        match self {
            DeviceOperation::Decompress(work) => work.resume(parts, status),
            DeviceOperation::Compress(work) => work.resume(parts, status),
            DeviceOperation::Unknown => Err(NxError::Unsupported("unknown operation")),
        }
    }

    /// Returns a value that changes when a request has made progress.
    pub(crate) fn progress(&self) -> (usize, u16, usize) {
        match self {
            DeviceOperation::Decompress(work) => work.progress(),
            DeviceOperation::Compress(work) => work.progress(),
            DeviceOperation::Unknown => (0, 0, 0),
        }
    }

    /// Returns a smaller request in place of the last one; none if it has the minimum size.
    pub(crate) fn halve(&mut self, parts: Parts<'_>) -> Option<Request> {
        match self {
            DeviceOperation::Decompress(work) => work.halve(parts),
            DeviceOperation::Compress(work) => work.halve(parts),
            DeviceOperation::Unknown => None,
        }
    }
}
