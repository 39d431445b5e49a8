//! What a device reports, held against what the job declared. A device is not trusted to count.

use crate::device::{BorrowedOutput, Failure, OwnedOutput};
use crate::job::{Job, JobView, Operation, OutputSize};

/// Check an owned job's result.
pub(crate) fn verify(job: &Job, finished: OwnedOutput) -> Result<OwnedOutput, Failure> {
    if !finished.output.starts_with(&job.prefix) {
        return Err(Failure::Fault("it left out or changed the job's prefix".into()));
    }
    let produced = finished.output.len() - job.prefix.len();
    let OwnedOutput { consumed, checksum, .. } = finished;
    verify_produced(&job.view(), BorrowedOutput { produced, consumed, checksum })?;
    Ok(finished)
}

/// Check a result's numbers.
pub(crate) fn verify_produced(job: &JobView<'_>, result: BorrowedOutput) -> Result<BorrowedOutput, Failure> {
    if result.produced > job.output.max_len() {
        return Err(Failure::Fault("it reports more output than the job declares".into()));
    }
    if result.consumed > job.input.len() {
        return Err(Failure::Fault("it reports more input than the job has".into()));
    }
    if matches!(job.operation, Operation::Checksum { .. }) && result.checksum.is_none() {
        return Err(Failure::Fault("it reports no checksum".into()));
    }
    match job.output {
        OutputSize::Exact(expected) if result.produced < expected => {
            Err(Failure::WrongSize { expected, produced: result.produced })
        }
        _ => Ok(result),
    }
}
