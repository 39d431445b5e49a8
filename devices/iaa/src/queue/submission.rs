//! Submission loop: the operations of one thread, those to submit and those that the device has.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::memory::Buffers;
use super::operation::{InFlightOperation, Next};
use super::wait::{Idle, Wait};
use super::work_queue::{WorkQueue, choose};
use crate::error::IaaError;
use crate::hw::{Descriptor, Opcode, flags};
use crate::operations::Output;
use crate::portal::SubmitError;

/// Maximum number of descriptors in one call: the usual depth of a dedicated queue.
const MAX_DESCRIPTORS: usize = 64;

/// An operation with its result.
pub(super) type Completed<B> = (InFlightOperation<B>, Result<Output, IaaError>);

/// The operations of one thread.
pub(super) struct SubmissionLoop<B: Buffers> {
    work_queues: Vec<Arc<WorkQueue>>,
    /// NUMA node of the preferred work queues.
    node: Option<u32>,
    ready: VecDeque<InFlightOperation<B>>,
    submitted: Vec<InFlightOperation<B>>,
    pub(super) completed: Vec<Completed<B>>,
    /// Time of the last progress.
    since: Instant,
}

impl<B: Buffers> SubmissionLoop<B> {
    pub(super) fn new(work_queues: Vec<Arc<WorkQueue>>, node: Option<u32>) -> SubmissionLoop<B> {
        let (ready, submitted, completed) = (VecDeque::new(), Vec::new(), Vec::new());
        SubmissionLoop { work_queues, node, ready, submitted, completed, since: Instant::now() }
    }

    /// Returns whether a work queue is open.
    pub(super) fn has_work_queue(&self) -> bool {
        self.work_queues.iter().any(|work_queue| work_queue.is_open())
    }

    /// Returns how many operations could be submitted in addition to the ready ones.
    pub(super) fn capacity(&self) -> usize {
        let free: usize = self.work_queues.iter().map(|work_queue| work_queue.free()).sum();
        free.saturating_sub(self.ready.len())
    }

    /// Returns the number of operations without a result.
    pub(super) fn len(&self) -> usize {
        self.ready.len() + self.submitted.len()
    }

    /// Adds an operation and makes its first descriptor.
    pub(super) fn admit(&mut self, mut operation: InFlightOperation<B>) {
        let next = operation.begin();
        self.schedule(operation, next);
    }

    fn schedule(&mut self, operation: InFlightOperation<B>, next: Next) {
        match next {
            Next::Submit => self.ready.push_back(operation),
            Next::Done(result) => self.completed.push((operation, result)),
        }
    }

    /// Submits ready operations while there is capacity, and collects answers. Returns false if
    /// there was no progress.
    pub(super) fn advance(&mut self) -> bool {
        let moved = self.submit_ready() + self.collect_answers() + self.completed.len() > 0;
        if moved {
            self.since = Instant::now();
        }
        moved
    }

    fn submit_ready(&mut self) -> usize {
        let mut count = 0;
        while !self.ready.is_empty() {
            let Some(work_queue) = choose(&self.work_queues, self.node) else { break };
            match submit(work_queue, self.ready.iter_mut()) {
                // Other processes have filled the queue.
                Ok(0) => break,
                Ok(taken) => {
                    self.submitted.extend(self.ready.drain(..taken));
                    count += taken;
                }
                Err(error @ IaaError::Invalid(_)) => {
                    let Some(operation) = self.ready.pop_front() else { break };
                    self.completed.push((operation, Err(error)));
                }
                // The queue is closed now; the next round chooses another.
                Err(_) => {}
            }
        }
        if !self.ready.is_empty() && !self.has_work_queue() {
            self.completed.extend(self.ready.drain(..).map(|operation| (operation, Err(IaaError::Closed))));
        }
        count
    }

    fn collect_answers(&mut self) -> usize {
        let mut count = 0;
        let mut at = 0;
        while at < self.submitted.len() {
            if !self.submitted[at].is_complete() {
                at += 1;
                continue;
            }
            count += 1;
            let mut operation = self.submitted.swap_remove(at);
            match operation.complete() {
                Some(next) => self.schedule(operation, next),
                None => self.submitted.push(operation),
            }
        }
        count
    }

    /// Closes the queues of operations past their deadline, and ends all operations of closed
    /// queues.
    fn expire(&mut self, now: Instant) {
        for operation in self.submitted.iter().filter(|operation| now >= operation.deadline) {
            if let Some(work_queue) = operation.work_queue() {
                work_queue.close();
            }
        }
        let mut at = 0;
        while at < self.submitted.len() {
            if !self.submitted[at].work_queue().is_none_or(|work_queue| work_queue.is_closed()) {
                at += 1;
                continue;
            }
            let mut operation = self.submitted.swap_remove(at);
            let error = if now >= operation.deadline { IaaError::Unanswered } else { IaaError::Closed };
            let next = operation.abandon(error);
            self.schedule(operation, next);
        }
        while let Some(at) = self.ready.iter().position(|operation| now >= operation.deadline) {
            let Some(operation) = self.ready.remove(at) else { break };
            self.completed.push((operation, Err(IaaError::QueueFull)));
        }
    }

    /// Waits briefly after a round without progress. Returns the time to sleep once a sleep is
    /// cheaper than a wait.
    pub(super) fn idle(&mut self, wait: &Wait) -> Option<Duration> {
        let now = Instant::now();
        self.expire(now);
        if !self.completed.is_empty() {
            return None;
        }
        let idle = now - self.since;
        let oldest = self.submitted.first();
        let expected = oldest.map_or(Duration::ZERO, |operation| operation.expected).saturating_sub(idle);
        match (wait.idle(idle, expected), oldest, &wait.pause) {
            (Idle::Spin, ..) => std::hint::spin_loop(),
            (Idle::Pause(max), Some(operation), Some(pause)) => {
                pause.pause(operation.record().status_cell(), max)
            }
            (Idle::Yield | Idle::Pause(_), ..) => std::thread::yield_now(),
            (Idle::Sleep(time), ..) => return Some(time),
        }
        None
    }

    /// Restarts the idle time after a long rest.
    pub(super) fn reset_idle(&mut self) {
        self.since = Instant::now();
    }
}

/// Submits the descriptors of operations to an open queue, in order, and returns the number of
/// accepted ones. No other function submits.
///
/// # Errors
/// None was accepted. If the queue is closed or the system refuses, the queue is closed.
#[allow(unsafe_code)]
fn submit<'a, B: Buffers + 'a>(
    work_queue: &Arc<WorkQueue>,
    operations: impl ExactSizeIterator<Item = &'a mut InFlightOperation<B>>,
) -> Result<usize, IaaError> {
    let wanted = work_queue.reserve(operations.len().min(MAX_DESCRIPTORS));
    if wanted == 0 {
        return Ok(0);
    }
    let mut operations: Vec<&mut InFlightOperation<B>> = operations.take(wanted).collect();
    let descriptors: Option<Vec<Descriptor>> = operations
        .iter_mut()
        .map(|operation| operation.descriptor().map(|descriptor| with_queue_flags(descriptor, work_queue)))
        .collect();
    let Some(descriptors) = descriptors else {
        work_queue.release(wanted);
        return Err(IaaError::Invalid("an operation reaches beyond its memory"));
    };
    // SAFETY: the addresses are of memory that the operation owns or borrows, with an empty record.
    // `mark_submitted` below keeps them until the record has a status or the queue is closed, and
    // by the contract of `Buffers` nothing else accesses them.
    let taken = unsafe { work_queue.portal().submit(&descriptors) };
    let taken = match taken {
        Ok(taken) => taken.min(wanted),
        Err(error) => {
            work_queue.release(wanted);
            work_queue.close();
            return Err(match error {
                SubmitError::System(error) => IaaError::System(error.to_string()),
                SubmitError::Closed => IaaError::Closed,
            });
        }
    };
    for operation in &mut operations[..taken] {
        operation.mark_submitted(work_queue);
    }
    work_queue.release(wanted - taken);
    Ok(taken)
}

/// Returns a descriptor with the flags that depend on its queue: waiting for missing pages.
fn with_queue_flags(descriptor: Descriptor, work_queue: &WorkQueue) -> Descriptor {
    let mut flags = descriptor.operation_flags();
    let moves_data = ![Opcode::Noop as u8, Opcode::Drain as u8].contains(&descriptor.opcode_byte());
    if work_queue.capabilities().block_on_fault && moves_data {
        flags |= flags::operation::BLOCK_ON_FAULT;
    }
    descriptor.with_operation_flags(flags)
}

#[cfg(test)]
mod tests;
