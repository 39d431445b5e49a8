//! In-flight operation: a job between its first request and its result.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::memory::{Buffers, Request, RequestBlocks, parts, prepare, touch, touch_all};
use super::open_window::OpenWindow;
use crate::counters::{LiveCounters, count};
use crate::error::NxError;
use crate::hw::{Completion, Crb, Status};
use crate::operations::{DeviceOperation, Output, Step};

/// Maximum number of address faults that a request of one size answers by touching. Each doubles
/// the touched part of a target. Another process may evict a page again, though not every time.
const MAX_TOUCHES: u32 = 16;
/// Maximum number of windows in which a request is replayed.
const MAX_REPLAYS: u32 = 3;

/// Maximum number of requests in a row without progress: several times as many as counting, other
/// tables and halving take for a piece. Each renews the deadline, so an engine that keeps answering
/// would not run into it.
const MAX_IDLE_REQUESTS: u32 = 64;

/// A job with its memory and the blocks of its request. None of it is freed while the engine may
/// write it: dropping a submitted operation closes its window first.
pub(crate) struct InFlight<B> {
    // Fields are dropped in this order: the submission before the buffers.
    submission: Submission,
    buffers: B,
    work: DeviceOperation,
    request: Option<Request>,
    counters: Arc<LiveCounters>,
    faults: u32,
    replays: u32,
    /// The operation's progress at the last request, and the requests since it changed.
    progress: (usize, u16, usize),
    idle: u32,
    limit: Duration,
    /// Time of the last submission.
    submitted: Instant,
    /// Time that the engine had for the answered requests.
    engine_time: Option<Duration>,
    /// Time by which the engine has to answer.
    pub(super) deadline: Instant,
    /// Expected duration.
    pub(super) expected: Duration,
}

/// The blocks, and the window that has the request until the status is valid.
struct Submission {
    blocks: RequestBlocks,
    window: Option<Arc<OpenWindow>>,
}

impl Submission {
    /// Makes sure that the engine does not touch the memory any more, and forgets the window.
    fn release(&mut self) {
        if let Some(window) = self.window.take() {
            if !self.blocks.csb().is_valid() {
                window.close();
            }
            window.release();
        }
    }
}

impl Drop for Submission {
    fn drop(&mut self) {
        self.release();
    }
}

/// The next action.
pub(super) enum Next {
    /// Submit a request.
    Submit,
    /// Deliver the result.
    Done(Result<Output, NxError>),
}

impl<B: Buffers> InFlight<B> {
    /// Returns an operation that has not begun.
    pub(crate) fn new(
        buffers: B,
        work: DeviceOperation,
        limit: Duration,
        expected: Duration,
        counters: Arc<LiveCounters>,
    ) -> InFlight<B> {
        InFlight {
            submission: Submission { blocks: RequestBlocks::new(), window: None },
            buffers,
            work,
            request: None,
            counters,
            faults: 0,
            replays: 0,
            progress: (0, 0, 0),
            idle: 0,
            limit,
            submitted: Instant::now(),
            engine_time: None,
            deadline: Instant::now() + limit,
            expected,
        }
    }

    /// Makes the first request.
    pub(super) fn begin(&mut self) -> Next {
        let step = self.work.begin(parts(&mut self.buffers, &mut self.submission.blocks));
        self.apply(step)
    }

    fn apply(&mut self, step: Result<Step, NxError>) -> Next {
        match step {
            Ok(Step::Submit(request)) => {
                (self.faults, self.replays) = (0, 0);
                self.deadline = Instant::now() + self.limit;
                match self.set_request(request) {
                    Ok(()) => Next::Submit,
                    Err(error) => Next::Done(Err(error)),
                }
            }
            Ok(Step::Done(output)) => Next::Done(Ok(output)),
            Err(error) => Next::Done(Err(error)),
        }
    }

    /// Sets the request, and makes its pages present: those of a fresh output are not.
    ///
    /// # Errors
    /// The requests before it made no progress.
    fn set_request(&mut self, request: Request) -> Result<(), NxError> {
        let progress = self.work.progress();
        self.idle = if progress == self.progress { self.idle + 1 } else { 0 };
        self.progress = progress;
        if self.idle > MAX_IDLE_REQUESTS {
            return Err(NxError::Inconsistent("requests without progress"));
        }
        touch_all(&mut self.buffers, &self.submission.blocks, &request);
        self.request = Some(request);
        Ok(())
    }

    /// Returns the request to submit; none if it reaches beyond its memory.
    pub(super) fn crb(&mut self) -> Option<&Crb> {
        prepare(&mut self.buffers, &mut self.submission.blocks, self.request.as_ref()?)
    }

    /// Notes that the engine has the request, and that the credit is this operation's.
    pub(super) fn mark_submitted(&mut self, window: Arc<OpenWindow>) {
        self.submission.window = Some(window);
        self.submitted = Instant::now();
    }

    /// Returns the time of the last submission.
    pub(super) fn submitted(&self) -> Instant {
        self.submitted
    }

    /// Adds time that the engine had for a request.
    pub(super) fn add_engine_time(&mut self, time: Duration) {
        *self.engine_time.get_or_insert_default() += time;
    }

    /// Returns the time that the engine had for the answered requests; none without one.
    pub(super) fn engine_time(&self) -> Option<Duration> {
        self.engine_time
    }

    /// Returns the window that has the request.
    pub(super) fn window(&self) -> Option<&Arc<OpenWindow>> {
        self.submission.window.as_ref()
    }

    /// Returns whether the engine has answered.
    pub(super) fn is_complete(&self) -> bool {
        self.submission.blocks.csb().is_valid()
    }

    /// Applies the engine's answer and returns the next action; none if there is no answer yet.
    pub(super) fn complete(&mut self) -> Option<Next> {
        let status = self.submission.blocks.csb().status()?;
        self.submission.release();
        if status.completion() == Some(Completion::AddressFault) {
            return Some(match self.retry_fault(&status) {
                Ok(()) => Next::Submit,
                Err(error) => Next::Done(Err(error)),
            });
        }
        let step = self.work.resume(parts(&mut self.buffers, &mut self.submission.blocks), &status);
        Some(self.apply(step))
    }

    /// Makes the missing pages present, or the request smaller.
    fn retry_fault(&mut self, status: &Status) -> Result<(), NxError> {
        let Submission { blocks, .. } = &mut self.submission;
        let request = self.request.as_ref().ok_or(NxError::Inconsistent("a fault of nothing"))?;
        let address = status.address;
        if !touch(&mut self.buffers, blocks, request, address) {
            return Err(NxError::ForeignAddress { address });
        }
        self.faults += 1;
        count(&self.counters.faults);
        log::debug!("{:?}: address fault at {address:#x}, number {}", request.function, self.faults);
        if self.faults <= MAX_TOUCHES {
            return Ok(());
        }
        let smaller = self.work.halve(parts(&mut self.buffers, blocks));
        let smaller = smaller.ok_or(NxError::PageFault { address })?;
        count(&self.counters.halved);
        self.faults = 0;
        self.set_request(smaller)
    }

    /// Ends an operation in a closed window: with the engine's last answer, with another try, or
    /// with an error.
    pub(super) fn abandon(&mut self, now: Instant) -> Next {
        if let Some(next) = self.complete() {
            return next;
        }
        self.submission.release();
        self.replays += 1;
        match () {
            () if now >= self.deadline => Next::Done(Err(NxError::Unanswered)),
            () if self.replays > MAX_REPLAYS => Next::Done(Err(NxError::Closed)),
            () => {
                count(&self.counters.replayed);
                Next::Submit
            }
        }
    }

    /// Returns the buffers of an operation with a result.
    pub(crate) fn into_buffers(self) -> B {
        drop(self.submission);
        self.buffers
    }
}
