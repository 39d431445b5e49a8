//! Errors of the device, and the router's failures for them.

use pelton_codec::{Error, Format};
use pelton_job::{Failure, Unsupported};

/// Counted reason for data that compression makes longer than its output.
pub(crate) const DOES_NOT_SHRINK: &str =
    "the data does not fit without stored blocks, which the device lacks";

/// Reason for an operation without a result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DfltccError {
    /// The processor lacks a part of the instruction.
    #[error("the processor's DFLTCC lacks {0}, which a hypervisor may hide; use the CPU")]
    Missing(&'static str),
    /// The container is bad, or its checksum differs from that of the output.
    #[error("{0}")]
    Container(Error),
    /// The compressed data ends too early.
    #[error("the device says that the input ends within a stream; check it on the CPU")]
    Truncated,
    /// The machine reports bad data, by its operation-ending supplemental code (OESC).
    #[error("the device says that the data is bad, with ending code {0:#04x}; check it on the CPU")]
    Data(u8),
    /// The output of an expansion does not fit.
    #[error("the output is full; repeat with a larger one")]
    OutputFull,
    /// The output of a compression does not fit.
    #[error("{DOES_NOT_SHRINK}; use the CPU")]
    DoesNotShrink,
    /// A compression or the generation of a table failed, by its ending code.
    #[error("the device rejects the call, with ending code {0:#04x}; please report it")]
    Rejected(u8),
    /// The machine's answer contradicts itself or the request.
    #[error("the device's answer is inconsistent: {0}")]
    Inconsistent(&'static str),
}

impl DfltccError {
    /// Returns the router's failure for a job of this format and output capacity.
    pub(crate) fn failure(self, format: Format, capacity: usize) -> Failure {
        match self {
            DfltccError::Container(error) => Failure::Data(error),
            DfltccError::Truncated => Failure::Data(Error::Truncated { format }),
            DfltccError::Data(code) => {
                log::debug!("{self}");
                Failure::Data(Error::Corrupt { format, what: meaning(code) })
            }
            DfltccError::OutputFull => Failure::Data(Error::OutputTooSmall { format, room: capacity }),
            DfltccError::DoesNotShrink => Failure::Unsupported(Unsupported::new(DOES_NOT_SHRINK)),
            DfltccError::Missing(_) | DfltccError::Rejected(_) | DfltccError::Inconsistent(_) => {
                Failure::Fault(self.to_string().into())
            }
        }
    }
}

/// Returns the meaning of an ending code of an expansion, as far as it is published.
///
/// The list is in the Principles of Operation. Two codes are certain, from messages of libraries on
/// the hardware: 0x12 and 0x27. The code of a wrong block type is unverified.
fn meaning(code: u8) -> &'static str {
    match code {
        0x11 => "a block of a type that does not exist (ending code 0x11)",
        0x12 => "a stored block's length and its complement differ (ending code 0x12)",
        0x27 => "code lengths are written with a code that does not exist (ending code 0x27)",
        _ => "the device's ending code for it has no published meaning",
    }
}
