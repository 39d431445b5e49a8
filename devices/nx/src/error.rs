//! Errors of the device, and the router's failure for each.

use pelton_codec::{Error, Format};
use pelton_job::{Failure, Unsupported};

use crate::hw::{Completion, Status};

/// Reason for an operation without a result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NxError {
    /// The container is bad, or its checksum differs from that of the output.
    #[error("{0}")]
    Container(Error),
    /// The engine reports bad data.
    #[error("the engine says that the data is bad: {0:?}")]
    Data(Completion),
    /// The output does not fit.
    #[error("the output is full")]
    OutputFull,
    /// A page was missing even after touching it and halving the request.
    #[error("a page at {address:#x} is missing, and touching it does not help")]
    PageFault {
        /// Address of the fault.
        address: u64,
    },
    /// The engine reported an address outside of the request's memory.
    #[error("the engine reports a missing page at {address:#x}, outside of the request's memory")]
    ForeignAddress {
        /// Address of the fault.
        address: u64,
    },
    /// The windows had no credit until the time limit.
    #[error("the engine's queue stayed full until the time limit")]
    Busy,
    /// The engine did not answer within the time limit.
    #[error("no answer within the time limit; the window is closed")]
    Unanswered,
    /// The windows were closed, and can't be opened again.
    #[error("the window was closed, and no other could be opened")]
    Closed,
    /// The engine rejects the request, which is a mistake of the driver.
    #[error("the engine rejects the request: {0:?}; please report it")]
    Rejected(Completion),
    /// The hardware or the system failed.
    #[error("the hardware failed: {0:?}")]
    Hardware(Completion),
    /// The completion code has no known meaning.
    #[error("the engine reports a code that is not known: {0}")]
    UnknownCode(u8),
    /// The engine's answer contradicts itself or the request.
    #[error("the engine's answer is inconsistent: {0}")]
    Inconsistent(&'static str),
    /// The device does not have the operation.
    #[error("{0}")]
    Unsupported(&'static str),
    /// The device can't be opened.
    #[error("{0}")]
    Open(String),
}

impl NxError {
    /// Returns the error of a status that is not a success.
    pub fn of_status(status: &Status) -> NxError {
        let Some(code) = status.completion() else { return NxError::UnknownCode(status.code) };
        match code {
            Completion::TargetFull => NxError::OutputFull,
            Completion::InvalidCode | Completion::TooFar | Completion::InvalidTable => NxError::Data(code),
            Completion::AddressFault => NxError::PageFault { address: status.address },
            Completion::Alignment
            | Completion::InvalidOperand
            | Completion::SourceList
            | Completion::UnknownFunction
            | Completion::TooManyBytes
            | Completion::CrbReserved
            | Completion::DdeReserved
            | Completion::NestedList
            | Completion::ListOverflow => NxError::Rejected(code),
            Completion::Partial if status.is_terminated() => NxError::Rejected(code),
            Completion::Done | Completion::Partial | Completion::Expanded => {
                NxError::Inconsistent("a success that is none")
            }
            _ => NxError::Hardware(code),
        }
    }

    /// Returns the router's failure for a job of this format and output capacity.
    pub(crate) fn failure(self, format: Option<Format>, capacity: usize) -> Failure {
        match (self, format) {
            (NxError::Container(error), _) => Failure::Data(error),
            (NxError::OutputFull, Some(format)) => {
                Failure::Data(Error::OutputTooSmall { format, room: capacity })
            }
            (NxError::Data(code), Some(format)) => {
                Failure::Data(Error::Corrupt { format, what: defect(code) })
            }
            (NxError::Unsupported(reason), _) => Failure::Unsupported(Unsupported::new(reason)),
            (error @ (NxError::Unanswered | NxError::Closed), _) => Failure::Lost(error.to_string().into()),
            (error, _) => Failure::Fault(error.to_string().into()),
        }
    }
}

/// Returns the defect that a code stands for. The CPU checks the input again and has the exact one.
fn defect(code: Completion) -> &'static str {
    match code {
        Completion::TooFar => "a match reaches back before the start",
        Completion::InvalidTable => "a block's codes are invalid",
        _ => "bits that are no code, or a block that is none",
    }
}
