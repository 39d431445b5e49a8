//! Errors of the device, with advice on the next step.

use pelton_codec::{Error, Format};
use pelton_job::{Failure, Unsupported};

use crate::hw::{AnalyticsError, Opcode, RecordView, Status};

/// Reason for an operation without a result. [`advice`](IaaError::advice) has the next step.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IaaError {
    /// The container is bad, or its checksum differs from that of the output.
    #[error("{0}")]
    Container(Error),
    /// The device reports bad data.
    #[error("the device says that the data is bad: {0:?}")]
    Data(AnalyticsError),
    /// A match exceeds the device's sliding window.
    #[error("a match reaches farther back than the 4 KB that the device remembers")]
    WindowTooFar,
    /// The output does not fit.
    #[error("the output is full")]
    OutputFull,
    /// A page was missing even after retries.
    #[error("a page at {address:#x} is missing ({access}), and touching it does not help")]
    PageFault {
        /// Address of the fault.
        address: u64,
        /// `read` or `write`.
        access: &'static str,
    },
    /// The device reported an address outside of the operation's memory.
    #[error("the device reports a missing page at {address:#x}, outside of the operation's memory")]
    ForeignAddress {
        /// Address of the fault.
        address: u64,
    },
    /// All queues were full until the time limit.
    #[error("the work queues stayed full until the time limit")]
    QueueFull,
    /// The device did not answer within the time limit.
    #[error("no answer within the time limit; the work queue is closed")]
    Unanswered,
    /// The driver or the system has closed the work queue.
    #[error("the work queue was closed")]
    Closed,
    /// The system refused the descriptor.
    #[error("the system refused the descriptor: {0}")]
    System(String),
    /// The queues belong to the parent of this process.
    #[error("the work queues were opened by the parent process, and can't be opened again")]
    ForeignProcess,
    /// The queue does not allow the operation.
    #[error("the work queue does not allow opcode {0:#04x}")]
    NotAllowed(u8),
    /// The device rejects the descriptor.
    #[error("the device rejects the descriptor: {status:?}, flags {invalid_flags:#x}; please report it")]
    Rejected {
        /// The reason.
        status: Status,
        /// The invalid flags, if flags are the reason.
        invalid_flags: u32,
    },
    /// The hardware or the system failed.
    #[error("the hardware failed: {0:?}")]
    Hardware(Status),
    /// The status byte has no known meaning.
    #[error("the device reports a status that is not known: {0:#04x}")]
    UnknownStatus(u8),
    /// The error byte has no known meaning.
    #[error("the device reports an error that is not known: {0}")]
    UnknownError(u8),
    /// The device's answer contradicts itself or the request.
    #[error("the device's answer is inconsistent: {0}")]
    Inconsistent(&'static str),
    /// The device lacks a feature that the input needs.
    #[error("{0}")]
    Unsupported(&'static str),
    /// A descriptor cannot express the request.
    #[error("{0}")]
    Invalid(&'static str),
}

/// Next step after an [`IaaError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    /// Check the input on the CPU, which decides.
    CheckInput,
    /// Repeat with a larger output.
    EnlargeOutput,
    /// Use another device. The next operation of the kind would fail as well.
    UseAnother,
    /// Use another device. The next operation may succeed.
    TryLater,
    /// Configure the queue; `pelton devices` has the commands.
    Configure,
    /// Report a bug.
    Report,
}

impl IaaError {
    /// Returns the error of a completion record without success.
    pub fn of_record(record: &RecordView) -> IaaError {
        let Some(status) = record.status() else { return IaaError::UnknownStatus(record.status_byte()) };
        match status {
            Status::AnalyticsError => match record.analytics_error() {
                Some(AnalyticsError::DistanceTooFar) => IaaError::WindowTooFar,
                Some(AnalyticsError::UnrecoverableOverflow) => IaaError::OutputFull,
                Some(error) => IaaError::Data(error),
                None => IaaError::UnknownError(record.error_byte()),
            },
            Status::OutputOverflow => IaaError::OutputFull,
            Status::PageFault | Status::PageFaultUnresolved => IaaError::PageFault {
                address: record.fault_address(),
                access: if record.is_write_fault() { "write" } else { "read" },
            },
            Status::UnsupportedOpcode => IaaError::NotAllowed(0),
            Status::InvalidOperationFlags
            | Status::ReservedField
            | Status::InvalidTransferSize
            | Status::OverlappingBuffers
            | Status::InvalidInterruptHandle
            | Status::CompletionMisaligned
            | Status::AecsMisaligned
            | Status::Privilege
            | Status::TrafficClass
            | Status::InvalidOwnFlags
            | Status::InvalidFilterFlags
            | Status::InvalidInputSize
            | Status::InvalidElements
            | Status::InvalidWidth
            | Status::InvalidInvert => IaaError::Rejected { status, invalid_flags: record.invalid_flags() },
            Status::CompletionFault
            | Status::ReadbackFault
            | Status::HardwareError
            | Status::ReadbackTimeout
            | Status::TranslationFailure
            | Status::PageRequestTimeout
            | Status::Watchdog => IaaError::Hardware(status),
            Status::InProgress | Status::Success => {
                IaaError::Inconsistent("a failure with the status of a success")
            }
        }
    }

    /// Returns the error, with the opcode if that was not allowed.
    pub(crate) fn of(self, opcode: Opcode) -> IaaError {
        match self {
            IaaError::NotAllowed(_) => IaaError::NotAllowed(opcode as u8),
            other => other,
        }
    }

    /// Returns the next step.
    pub fn advice(&self) -> Advice {
        match self {
            IaaError::Container(_) => Advice::CheckInput,
            IaaError::Data(error) => advice_on_data(*error),
            IaaError::OutputFull => Advice::EnlargeOutput,
            IaaError::WindowTooFar | IaaError::Unsupported(_) => Advice::UseAnother,
            IaaError::NotAllowed(_) | IaaError::System(_) | IaaError::ForeignProcess => Advice::Configure,
            IaaError::PageFault { .. }
            | IaaError::QueueFull
            | IaaError::Unanswered
            | IaaError::Closed
            | IaaError::Hardware(_)
            | IaaError::ForeignAddress { .. }
            | IaaError::UnknownStatus(_)
            | IaaError::UnknownError(_)
            | IaaError::Inconsistent(_) => Advice::TryLater,
            IaaError::Rejected { .. } | IaaError::Invalid(_) => Advice::Report,
        }
    }

    /// Returns the router's failure for a job of this format and output capacity.
    pub(crate) fn failure(self, format: Option<Format>, capacity: usize) -> Failure {
        let Some(format) = format else { return self.fault() };
        match (self.advice(), self) {
            (_, IaaError::Container(error)) => Failure::Data(error),
            (Advice::CheckInput, IaaError::Data(error)) => Failure::Data(codec_error(error, format)),
            (Advice::EnlargeOutput, _) => Failure::Data(Error::OutputTooSmall { format, room: capacity }),
            (_, error) => error.fault(),
        }
    }

    fn fault(self) -> Failure {
        match self {
            IaaError::WindowTooFar => Failure::Unsupported(Unsupported::new(crate::windows::TOO_FAR)),
            IaaError::Unsupported(reason) => Failure::Unsupported(Unsupported::new(reason)),
            IaaError::Unanswered | IaaError::Closed | IaaError::ForeignProcess => {
                Failure::Lost(self.to_string().into())
            }
            other => Failure::Fault(other.to_string().into()),
        }
    }
}

/// Returns the next step for an error byte, which may be about the data or about the request.
fn advice_on_data(error: AnalyticsError) -> Advice {
    match error {
        AnalyticsError::Timeout | AnalyticsError::VerifyFailed => Advice::TryLater,
        AnalyticsError::InvalidAecs
        | AnalyticsError::InvalidCompressorCode
        | AnalyticsError::BadMiniBlockSize
        | AnalyticsError::DistanceSpansMiniBlocks
        | AnalyticsError::LengthSpansMiniBlocks => Advice::Report,
        AnalyticsError::UnrecoverableOverflow => Advice::EnlargeOutput,
        _ => Advice::CheckInput,
    }
}

/// Returns the codec's error for an error byte. It may differ from the CPU's error, because the CPU
/// checks the input again.
fn codec_error(error: AnalyticsError, format: Format) -> Error {
    let what = match error {
        AnalyticsError::HeaderTooLarge | AnalyticsError::EobNotSeen => return Error::Truncated { format },
        AnalyticsError::BadBlockType => "a block of a type that does not exist",
        AnalyticsError::StoredLengthMismatch => "a stored block's length and its complement differ",
        AnalyticsError::ReferenceBeforeStart => "a match reaches back before the start",
        AnalyticsError::BadLiteralCode | AnalyticsError::BadLength => "bits that are no literal or length",
        AnalyticsError::BadDistanceCode => "bits that are no distance",
        _ => "a block's codes are invalid",
    };
    Error::Corrupt { format, what }
}

#[cfg(test)]
mod tests;
