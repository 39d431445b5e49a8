//! What became of a job.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use crate::device::Unsupported;

/// A job's result, or why there is none.
pub type JobResult = Result<JobOutput, JobError>;

/// A job's result.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct JobOutput {
    /// The job's prefix, then what the operation produced.
    pub output: Bytes,
    /// Bytes of the input that were used; what follows them is not part of the block.
    pub consumed: usize,
    /// The checksum, if that was the operation.
    pub checksum: Option<u64>,
    /// Name of the device that did it.
    pub device: Arc<str>,
    /// Time from its start to its end on that device, without the time it waited for its turn; its share of that if it
    /// was one of a [`InterleavedJobs`](crate::InterleavedJobs).
    pub time: Duration,
    /// Whether it ran side by side with others of a [`InterleavedJobs`](crate::InterleavedJobs).
    pub interleaved: bool,
}

/// Why a job has no result. One line, without the job's place in its batch: the caller knows what the job
/// was.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JobError {
    /// The input is not what it should be, or does not fit the output.
    #[error("{error}")]
    Codec {
        /// Name of the device that says so.
        device: Arc<str>,
        /// What is wrong with the input. Not a `source`: the message has it already.
        error: pelton_codec::Error,
    },
    /// The job declared an exact output size and produced fewer bytes. (More is `Codec`: the output is full
    /// before anybody knows how many there would have been.)
    #[error("produced {produced} bytes where exactly {expected} were declared")]
    WrongSize {
        /// Name of the device that says so.
        device: Arc<str>,
        /// The declared bytes.
        expected: usize,
        /// The bytes that came out.
        produced: usize,
    },
    /// The job declares more output than one job may have. Nothing was allocated.
    #[error("declares {declared} bytes of output, over the limit of {limit} bytes for one job")]
    LimitExceeded {
        /// The declared bytes.
        declared: usize,
        /// [`Limits::output_per_job`](crate::Limits::output_per_job).
        limit: usize,
    },
    /// No device takes the job.
    #[error("no device takes this job: {reasons}")]
    Unsupported {
        /// Every device's reason.
        reasons: UnsupportedReasons,
    },
    /// The ticket was cancelled before the job started.
    #[error("cancelled before it started")]
    Cancelled,
    /// The device failed, and no other device takes the job.
    #[error("device {device} failed: {reason}")]
    DeviceFailed {
        /// Name of the device.
        device: Arc<str>,
        /// What went wrong.
        reason: Arc<str>,
    },
    /// Code of the device panicked: a bug in Pelton or in a codec library, whatever the input.
    #[error("internal error: {device} panicked: {message}; please report it with the input that caused it")]
    Panicked {
        /// Name of the device.
        device: Arc<str>,
        /// The panic's message.
        message: Arc<str>,
    },
}

/// Each device's reason not to take a job.
#[derive(Clone, Debug)]
pub struct UnsupportedReasons(pub(crate) Arc<[(Arc<str>, Unsupported)]>);

impl UnsupportedReasons {
    /// Device names with their reasons, in the router's order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Unsupported)> {
        self.0.iter().map(|(name, refusal)| (&**name, refusal))
    }
}

impl fmt::Display for UnsupportedReasons {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("the router has no devices");
        }
        for (i, (name, refusal)) in self.0.iter().enumerate() {
            let separator = if i == 0 { "" } else { "; " };
            write!(f, "{separator}{name}: {refusal}")?;
        }
        Ok(())
    }
}
