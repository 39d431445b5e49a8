//! Outputs that devices report, and their validation against the job.
//!
//! The router trusts no device to count.

use bytes::Bytes;

use super::Failure;
use crate::job::{Job, JobView, Operation, OutputSize};

/// A device's output for an owned job.
#[derive(Clone, Debug)]
pub struct OwnedOutput {
    /// The job's prefix, then the bytes that the operation produced.
    pub output: Bytes,
    /// Bytes of the input that were used.
    pub consumed: usize,
    /// The checksum, if that was the operation.
    pub checksum: Option<u64>,
    /// Whether the job ran interleaved with others of its
    /// [`InterleavedJobs`](crate::InterleavedJobs). Not all jobs of a group do.
    pub interleaved: bool,
}

/// A device's output for a borrowed job; the bytes are in the caller's buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BorrowedOutput {
    /// Bytes written to the output.
    pub produced: usize,
    /// Bytes of the input that were used.
    pub consumed: usize,
    /// The checksum, if that was the operation.
    pub checksum: Option<u64>,
}

/// Validates the output of an owned job.
pub(crate) fn validate(job: &Job, output: OwnedOutput) -> Result<OwnedOutput, Failure> {
    if !output.output.starts_with(&job.prefix) {
        return Err(Failure::Fault("it left out or changed the job's prefix".into()));
    }
    let produced = output.output.len() - job.prefix.len();
    let OwnedOutput { consumed, checksum, .. } = output;
    validate_sizes(&job.view(), BorrowedOutput { produced, consumed, checksum })?;
    Ok(output)
}

/// Validates the sizes and the checksum of an output.
pub(crate) fn validate_sizes(job: &JobView<'_>, output: BorrowedOutput) -> Result<BorrowedOutput, Failure> {
    if output.produced > job.output.max_len() {
        return Err(Failure::Fault("it reports more output than the job declares".into()));
    }
    if output.consumed > job.input.len() {
        return Err(Failure::Fault("it reports more input than the job has".into()));
    }
    if matches!(job.operation, Operation::Checksum { .. }) && output.checksum.is_none() {
        return Err(Failure::Fault("it reports no checksum".into()));
    }
    match job.output {
        OutputSize::Exact(expected) if output.produced < expected => {
            Err(Failure::WrongSize { expected, produced: output.produced })
        }
        _ => Ok(output),
    }
}
