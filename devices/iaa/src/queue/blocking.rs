//! Runs operations on the thread of a caller that waits for them.

use std::sync::Arc;
use std::thread;

use super::memory::Buffers;
use super::operation::InFlightOperation;
use super::submission::SubmissionLoop;
use super::wait::Wait;
use super::work_queue::WorkQueue;
use crate::error::IaaError;
use crate::operations::Output;

/// Runs an operation to its end. Returns when the device does not access its memory any more.
pub(crate) fn run<B: Buffers>(
    operation: InFlightOperation<B>,
    work_queues: &[Arc<WorkQueue>],
    node: Option<u32>,
    wait: &Wait,
) -> Result<Output, IaaError> {
    let mut result = None;
    run_many(std::iter::once(operation), 1, work_queues, node, wait, |made| result = Some(made));
    result.unwrap_or(Err(IaaError::Closed))
}

/// Runs operations to their end, up to `max_in_flight` at once, and calls `each` with each result.
/// Returns when the device does not access their memory any more.
pub(crate) fn run_many<B: Buffers>(
    mut operations: impl Iterator<Item = InFlightOperation<B>>,
    max_in_flight: usize,
    work_queues: &[Arc<WorkQueue>],
    node: Option<u32>,
    wait: &Wait,
    mut each: impl FnMut(Result<Output, IaaError>),
) {
    let mut submissions = SubmissionLoop::new(work_queues.to_vec(), node);
    loop {
        while submissions.len() < max_in_flight.max(1)
            && let Some(operation) = operations.next()
        {
            submissions.admit(operation);
        }
        let moved = submissions.advance();
        submissions.completed.drain(..).for_each(|(_, result)| each(result));
        if moved {
            continue;
        }
        if submissions.len() == 0 {
            return;
        }
        if let Some(time) = submissions.idle(wait) {
            thread::sleep(time);
        }
    }
}
