//! Worker thread that turns tasks into operations and delivers their results.

use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed};

use pelton_job::{Failure, Task};

use super::operation::InFlightOperation;
use super::owned::Owned;
use super::submission::{Completed, SubmissionLoop};
use super::task_queue::TaskQueue;
use super::wait::Wait;
use crate::error::IaaError;
use crate::operations::Output;

/// The device's part in running a job.
pub(crate) trait JobHandler: Send + Sync {
    /// Returns the operation of a job.
    fn operation(&self, owned: Owned) -> InFlightOperation<Owned>;

    /// Notes the result of a job before the router gets it.
    fn completed(&self, owned: &Owned, result: &Result<Output, IaaError>);
}

/// State of a worker thread.
pub(super) struct Worker {
    pub(super) task_queue: Arc<TaskQueue>,
    pub(super) submissions: SubmissionLoop<Owned>,
    pub(super) handler: Arc<dyn JobHandler>,
    pub(super) wait: Wait,
}

impl Worker {
    /// Runs until the task queue is closed and all jobs have a result.
    pub(super) fn run(mut self) {
        loop {
            let started = self.start();
            let moved = self.submissions.advance();
            for completed in std::mem::take(&mut self.submissions.completed) {
                self.finish(completed);
            }
            if started || moved {
                continue;
            }
            if self.submissions.len() == 0 {
                if !self.task_queue.wait_for_tasks() {
                    return;
                }
                self.submissions.reset_idle();
            } else if let Some(time) = self.submissions.idle(&self.wait) {
                self.task_queue.sleep(time, self.submissions.capacity() > 0);
            }
        }
    }

    /// Starts tasks while there is capacity. Returns whether any was taken.
    fn start(&mut self) -> bool {
        if self.task_queue.waiting.load(Acquire) == 0 {
            return false;
        }
        if !self.submissions.has_work_queue() {
            self.refuse_all();
            return true;
        }
        let tasks = self.task_queue.take(self.submissions.capacity());
        let any = !tasks.is_empty();
        for task in tasks {
            match task.start() {
                Some(running) => {
                    self.submissions.admit(self.handler.operation(Owned::new(running)));
                }
                // Cancelled.
                None => self.task_queue.subtract(1),
            }
        }
        any
    }

    /// Fails all waiting tasks, so that they go to another device.
    fn refuse_all(&mut self) {
        let tasks = self.task_queue.take(usize::MAX);
        self.task_queue.subtract(tasks.len());
        for running in tasks.into_iter().filter_map(Task::start) {
            running.finish(Err(Failure::Lost(IaaError::Closed.to_string().into())));
        }
    }

    /// Delivers a result to the router, which may call `submit` of the device again.
    fn finish(&self, (operation, result): Completed<Owned>) {
        let owned = operation.into_buffers();
        self.handler.completed(&owned, &result);
        self.task_queue.subtract(1);
        owned.finish(result);
    }
}

impl TaskQueue {
    /// Subtracts jobs with a result from the load.
    fn subtract(&self, count: usize) {
        self.load.fetch_sub(count, Relaxed);
    }
}
