//! Reasons why a device does not support a job or fails it.

use std::borrow::Cow;
use std::fmt;

/// The reason why a device does not support a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    reason: &'static str,
    detail: Option<String>,
}

impl Unsupported {
    /// Makes a reason. `reason` is counted, so jobs that fail the same test have the same text.
    pub fn new(reason: &'static str) -> Unsupported {
        Unsupported { reason, detail: None }
    }

    /// Adds details of this job, such as its size.
    pub fn with_detail(mut self, detail: impl Into<String>) -> Unsupported {
        self.detail = Some(detail.into());
        self
    }

    /// Returns the text that is counted.
    pub fn reason(&self) -> &'static str {
        self.reason
    }

    /// Returns the details of this job.
    pub fn detail(&self) -> Option<&str> {
        self.detail.as_deref()
    }
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.reason)?;
        match &self.detail {
            Some(detail) => write!(f, " ({detail})"),
            None => Ok(()),
        }
    }
}

/// The reason why a device did not finish a job.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Failure {
    /// The job's input is bad. Final from an authoritative device, checked on one otherwise.
    Data(pelton_codec::Error),
    /// The job declared an exact output size and its input held fewer bytes: bad data, too.
    WrongSize {
        /// The declared bytes.
        expected: usize,
        /// The bytes that the input held.
        produced: usize,
    },
    /// The device found only after the start that it does not support the job, for example because
    /// of a match beyond its window.
    Unsupported(Unsupported),
    /// The device went away, or dropped the task.
    Lost(Cow<'static, str>),
    /// The device reported an error of its own: a fault, a time-out, an unknown status.
    Fault(Cow<'static, str>),
    /// The device's code panicked with this message.
    Panicked(String),
}

impl Failure {
    /// Returns the text that is counted, which is the same for all failures of a kind.
    pub fn reason(&self) -> &'static str {
        match self {
            Failure::Data(_) | Failure::WrongSize { .. } => "bad data",
            Failure::Unsupported(unsupported) => unsupported.reason(),
            Failure::Lost(_) => "device lost",
            Failure::Fault(_) => "device fault",
            Failure::Panicked(_) => "panic",
        }
    }

    /// Returns whether the job's input is at fault, not the device.
    pub fn is_data(&self) -> bool {
        matches!(self, Failure::Data(_) | Failure::WrongSize { .. })
    }
}
