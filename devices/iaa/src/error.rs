//! What can go wrong on the device, and what to do about it.

use pelton_codec::{Error, Format};
use pelton_job::{Failure, Unsupported};

use crate::hw::{AnalyticsError, Opcode, RecordView, Status};

/// Why an operation has no result. [`advice`](IaaError::advice) says what to do next.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IaaError {
    /// The container around the stream is bad, or its checksum is not that of what came out.
    #[error("{0}")]
    Container(Error),
    /// The device says that the data is bad.
    #[error("the device says that the data is bad: {0:?}")]
    Data(AnalyticsError),
    /// A match reaches farther back than the device remembers.
    #[error("a match reaches farther back than the 4 KB that the device remembers")]
    WindowTooFar,
    /// What comes out does not fit in the output.
    #[error("the output is full")]
    OutputFull,
    /// A page was missing, and touching it did not help.
    #[error("a page at {address:#x} is missing ({access}), and touching it does not help")]
    PageFault {
        /// Where.
        address: u64,
        /// `read` or `write`.
        access: &'static str,
    },
    /// The device named an address that the operation does not have.
    #[error("the device reports a missing page at {address:#x}, which is none of the operation's")]
    ForeignAddress {
        /// Where.
        address: u64,
    },
    /// There was no room in a queue for longer than the time limit.
    #[error("the work queues stayed full until the time limit")]
    QueueFull,
    /// No answer within the time limit.
    #[error("no answer within the time limit; the work queue is set aside")]
    Unanswered,
    /// The work queue was given up, by us or by the system.
    #[error("the work queue was closed")]
    Closed,
    /// The system refused the descriptor.
    #[error("the system refused the descriptor: {0}")]
    System(String),
    /// The queues were opened by another process, of which this one is a fork.
    #[error("the work queues were opened by the parent process, and can't be opened again")]
    ForeignProcess,
    /// The queue does not allow the operation.
    #[error("the work queue does not allow opcode {0:#04x}")]
    NotAllowed(u8),
    /// The device takes the descriptor for wrong.
    #[error(
        "the device takes the descriptor for wrong: {status:?}, flags {invalid_flags:#x}; please report it"
    )]
    Rejected {
        /// What is wrong.
        status: Status,
        /// Which flags are, where it is them.
        invalid_flags: u32,
    },
    /// The hardware or the system failed.
    #[error("the hardware failed: {0:?}")]
    Hardware(Status),
    /// A status byte without a meaning.
    #[error("the device reports a status that is not known: {0:#04x}")]
    UnknownStatus(u8),
    /// An error byte without a meaning.
    #[error("the device reports an error that is not known: {0}")]
    UnknownError(u8),
    /// What the device reports can't be.
    #[error("the device reports what can't be: {0}")]
    Inconsistent(&'static str),
    /// The device has not what the input needs.
    #[error("{0}")]
    Unsupported(&'static str),
    /// What was asked for can't be said in a descriptor.
    #[error("{0}")]
    Invalid(&'static str),
}

/// What to do about an [`IaaError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    /// The input is bad, or seems so: ask the CPU, whose word is final.
    CheckInput,
    /// Give more room for the output.
    EnlargeOutput,
    /// Do it on another device; this one can't, and the next such operation will fare no better.
    UseAnother,
    /// Do it on another device; the next operation may be well.
    TryLater,
    /// `pelton devices` says how to configure the queue.
    Configure,
    /// A bug: report it.
    Report,
}

impl IaaError {
    /// What a completion record that is no success says.
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
            Status::InProgress | Status::Success => IaaError::Inconsistent("an error that is none"),
        }
    }

    /// With the opcode that was not allowed.
    pub(crate) fn of(self, opcode: Opcode) -> IaaError {
        match self {
            IaaError::NotAllowed(_) => IaaError::NotAllowed(opcode as u8),
            other => other,
        }
    }

    /// What to do about it.
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

    /// What a router makes of it, for a job of this format with so much room for output.
    pub(crate) fn failure(self, format: Option<Format>, room: usize) -> Failure {
        let Some(format) = format else { return self.fault() };
        match (self.advice(), self) {
            (_, IaaError::Container(error)) => Failure::Data(error),
            (Advice::CheckInput, IaaError::Data(error)) => Failure::Data(codec_error(error, format)),
            (Advice::EnlargeOutput, _) => Failure::Data(Error::OutputTooSmall { format, room }),
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

/// Whether it is the data that an error speaks of, or what was asked for.
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

/// The codec's word for what the device says of a stream. The CPU is asked again, so this need not
/// be its very word.
fn codec_error(error: AnalyticsError, format: Format) -> Error {
    let what = match error {
        AnalyticsError::HeaderTooLarge | AnalyticsError::EobNotSeen => return Error::Truncated { format },
        AnalyticsError::BadBlockType => "a block of a type that does not exist",
        AnalyticsError::StoredLengthMismatch => "a stored block's length and its complement differ",
        AnalyticsError::ReferenceBeforeStart => "a match reaches back before the start",
        AnalyticsError::BadLiteralCode | AnalyticsError::BadLength => "bits that are no literal or length",
        AnalyticsError::BadDistanceCode => "bits that are no distance",
        _ => "a block's codes are none",
    };
    Error::Corrupt { format, what }
}

#[cfg(test)]
mod tests;
