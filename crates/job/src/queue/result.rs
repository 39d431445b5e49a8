//! Results of jobs: outputs and errors.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use crate::device::Unsupported;

/// A job's output, or the error in place of it.
pub type JobResult = Result<JobOutput, JobError>;

/// A job's output.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct JobOutput {
    /// The job's prefix, then the bytes that the operation produced.
    pub output: Bytes,
    /// Bytes of the input that the block has; the bytes after them are not part of it.
    pub consumed: usize,
    /// The checksum, if that was the operation.
    pub checksum: Option<u64>,
    /// Name of the device that ran the job.
    pub device: Arc<str>,
    /// Time from start to end on that device, without the wait in its queue. For a job of
    /// [`InterleavedJobs`](crate::InterleavedJobs), its share of the group's time.
    pub time: Duration,
    /// Whether the job ran interleaved with others of its
    /// [`InterleavedJobs`](crate::InterleavedJobs).
    pub interleaved: bool,
}

/// The error of a job without an output. One line, without the job's place in its batch, which the
/// caller knows.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JobError {
    /// The input is malformed or does not fit the output.
    #[error("{error}")]
    Codec {
        /// Name of the device that found the error.
        device: Arc<str>,
        /// The codec's error. Not a `source`: the message contains it already.
        error: pelton_codec::Error,
    },
    /// The job declared an exact output size and produced fewer bytes. More bytes are a `Codec`
    /// error: the output is full before the total size is known.
    #[error("produced {produced} bytes where exactly {expected} were declared")]
    WrongSize {
        /// Name of the device that found the error.
        device: Arc<str>,
        /// The declared bytes.
        expected: usize,
        /// The produced bytes.
        produced: usize,
    },
    /// The job declares more output than the limit for one job. Nothing was allocated.
    #[error("declares {declared} bytes of output, over the limit of {limit} bytes for one job")]
    LimitExceeded {
        /// The declared bytes.
        declared: usize,
        /// [`Limits::output_per_job`](crate::Limits::output_per_job).
        limit: usize,
    },
    /// No device supports the job.
    #[error("no device takes this job: {reasons}")]
    Unsupported {
        /// The reason of each device.
        reasons: UnsupportedReasons,
    },
    /// The ticket was cancelled before the job started.
    #[error("cancelled before it started")]
    Cancelled,
    /// The device failed, and no other device supports the job.
    #[error("device {device} failed: {reason}")]
    DeviceFailed {
        /// Name of the device.
        device: Arc<str>,
        /// The device's own error.
        reason: Arc<str>,
    },
    /// A device's code panicked: a bug in Pelton or in a codec library, whatever the input.
    #[error("internal error: {device} panicked: {message}; please report it with the input that caused it")]
    Panicked {
        /// Name of the device.
        device: Arc<str>,
        /// The panic's message.
        message: Arc<str>,
    },
}

/// The reason of each device that does not support a job.
#[derive(Clone, Debug)]
pub struct UnsupportedReasons(pub(crate) Arc<[(Arc<str>, Unsupported)]>);

impl UnsupportedReasons {
    /// Returns device names with their reasons, in the router's order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Unsupported)> {
        self.0.iter().map(|(name, unsupported)| (&**name, unsupported))
    }
}

impl fmt::Display for UnsupportedReasons {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("the router has no devices");
        }
        for (i, (name, unsupported)) in self.0.iter().enumerate() {
            let separator = if i == 0 { "" } else { "; " };
            write!(f, "{separator}{name}: {unsupported}")?;
        }
        Ok(())
    }
}
