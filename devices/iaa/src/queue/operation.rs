//! In-flight operation: a job between its first descriptor and its result.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::memory::{Buffers, Memory, Request};
use super::page_fault::touch;
use super::work_queue::WorkQueue;
use crate::error::IaaError;
use crate::hw::{CompletionRecord, Descriptor, Opcode, RecordView, Status, flags};
use crate::operations::{Completion, DeviceOperation, Output, Step};

/// Maximum number of page-fault retries for one descriptor. The first retry touches the missing
/// page alone, the others touch all later pages too. Another process may evict a page again, though
/// not every time.
const MAX_TOUCHES: u32 = 4;
/// Maximum number of times that a faulting descriptor is halved; then the job goes to the CPU. A
/// descriptor over a sixteenth of a transfer has few pages.
const MAX_SHRINKS: u32 = 4;

/// The smallest page size.
const PAGE: u64 = 4096;

/// A job with its memory and the completion record of its descriptor. None of it is freed while the
/// device may write it: dropping a submitted operation closes its queue first.
pub(crate) struct InFlightOperation<B> {
    // Fields are dropped in this order: the submission before the memory.
    submission: Submission,
    memory: Memory<B>,
    work: DeviceOperation,
    request: Option<Request>,
    faults: u32,
    shrinks: u32,
    /// Maximum time for a descriptor, including its time in the queue.
    limit: Duration,
    /// Time by which the device has to answer.
    pub(crate) deadline: Instant,
    /// Expected duration.
    pub(crate) expected: Duration,
}

/// The completion record, and the queue that has the descriptor until the record is written.
struct Submission {
    record: Box<CompletionRecord>,
    work_queue: Option<Arc<WorkQueue>>,
}

impl Submission {
    /// Makes sure that the device does not touch the memory any more, and forgets the queue.
    fn release(&mut self) {
        if let Some(work_queue) = self.work_queue.take() {
            if self.record.status_byte() == 0 {
                work_queue.close();
            }
            work_queue.release(1);
        }
    }
}

impl Drop for Submission {
    fn drop(&mut self) {
        self.release();
    }
}

/// The next action after an answer.
pub(crate) enum Next {
    /// Submit another descriptor.
    Submit,
    /// Deliver the result.
    Done(Result<Output, IaaError>),
}

impl<B: Buffers> InFlightOperation<B> {
    /// Returns an operation that has not begun.
    pub(crate) fn new(
        buffers: B,
        work: DeviceOperation,
        limit: Duration,
        expected: Duration,
    ) -> InFlightOperation<B> {
        let memory = Memory { buffers, scratch: Default::default() };
        let submission = Submission { record: Box::default(), work_queue: None };
        let deadline = after(limit);
        InFlightOperation {
            submission,
            memory,
            work,
            request: None,
            faults: 0,
            shrinks: 0,
            limit,
            deadline,
            expected,
        }
    }

    /// Makes the first descriptor.
    pub(crate) fn begin(&mut self) -> Next {
        let step = self.work.begin(self.memory.parts());
        self.apply(step)
    }

    fn apply(&mut self, step: Result<Step, IaaError>) -> Next {
        match step {
            Ok(Step::Submit(request)) => {
                (self.faults, self.shrinks) = (0, 0);
                self.deadline = after(self.limit);
                self.request = Some(request);
                Next::Submit
            }
            Ok(Step::Done(output)) => Next::Done(Ok(output)),
            Err(error) => Next::Done(Err(error)),
        }
    }

    /// Returns the descriptor to submit, without the flags that depend on the queue.
    pub(super) fn descriptor(&mut self) -> Option<Descriptor> {
        let request = self.request.as_ref()?;
        let descriptor = self.memory.descriptor(request)?;
        self.submission.record.reset();
        let flags = descriptor.operation_flags()
            | flags::operation::COMPLETION_ADDRESS_VALID
            | flags::operation::REQUEST_COMPLETION;
        Some(descriptor.with_operation_flags(flags).with_completion(self.submission.record.address()))
    }

    /// Notes that the device has the descriptor.
    pub(super) fn mark_submitted(&mut self, work_queue: &Arc<WorkQueue>) {
        self.submission.work_queue = Some(Arc::clone(work_queue));
    }

    /// Returns the queue that has the descriptor.
    pub(crate) fn work_queue(&self) -> Option<&Arc<WorkQueue>> {
        self.submission.work_queue.as_ref()
    }

    /// Returns the completion record.
    pub(crate) fn record(&self) -> &CompletionRecord {
        &self.submission.record
    }

    /// Returns whether the device has answered.
    pub(crate) fn is_complete(&self) -> bool {
        self.submission.record.status_byte() != 0
    }

    /// Applies the device's answer and returns the next action; none if there is no answer yet.
    pub(crate) fn complete(&mut self) -> Option<Next> {
        let record = self.submission.record.view()?;
        if let Some(work_queue) = self.submission.work_queue.take() {
            work_queue.release(1);
        }
        let completion = match record.status() {
            Some(Status::Success) => Completion::Success(record),
            Some(Status::OutputOverflow) => Completion::Overflow(record),
            Some(Status::PageFault) => match self.retry_fault(&record) {
                Ok(()) => return Some(Next::Submit),
                Err(error) => Completion::Failed(error),
            },
            _ => Completion::Failed(IaaError::of_record(&record).of(self.opcode())),
        };
        let step = self.work.resume(self.memory.parts(), completion);
        Some(self.apply(step))
    }

    fn opcode(&self) -> Opcode {
        let byte = self.request.as_ref().map(|request| request.descriptor.opcode_byte());
        byte.and_then(Opcode::from_byte).unwrap_or(Opcode::Noop)
    }

    /// Makes the missing pages present, or the request smaller.
    fn retry_fault(&mut self, record: &RecordView) -> Result<(), IaaError> {
        let request = self.request.as_ref().ok_or(IaaError::Inconsistent("a fault of nothing"))?;
        let address = record.fault_address();
        // `reset` writes the record's page before each submission.
        let is_record = (address / PAGE) == (self.submission.record.address() / PAGE);
        if !touch(&mut self.memory, request, address, self.faults > 0) && !is_record {
            return Err(IaaError::ForeignAddress { address });
        }
        self.faults += 1;
        log::debug!("{:?}: page fault at {address:#x}, retry {}", self.opcode(), self.faults);
        if self.faults <= MAX_TOUCHES {
            return Ok(());
        }
        let smaller = if self.shrinks < MAX_SHRINKS { self.work.shrink(self.memory.parts()) } else { None };
        self.request = Some(smaller.ok_or_else(|| IaaError::of_record(record))?);
        self.faults = 0;
        self.shrinks += 1;
        log::debug!("{:?}: retry of a smaller request", self.opcode());
        Ok(())
    }

    /// Ends an operation of a closed queue: with the device's last answer, or with `error` if there
    /// was none.
    pub(crate) fn abandon(&mut self, error: IaaError) -> Next {
        self.complete().unwrap_or_else(|| {
            self.submission.release();
            Next::Done(Err(error))
        })
    }

    /// Returns the buffers of an operation with a result.
    pub(crate) fn into_buffers(self) -> B {
        drop(self.submission);
        self.memory.buffers
    }
}

/// Returns the time `limit` from now.
fn after(limit: Duration) -> Instant {
    /// A longer limit could overflow the clock.
    const MAX_LIMIT: Duration = Duration::from_secs(1 << 30);
    Instant::now() + limit.min(MAX_LIMIT)
}
