//! Worker thread that turns tasks into operations and delivers their results.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use pelton_job::{Failure, Task};

use super::in_flight::InFlight;
use super::jobs::Owned;
use super::open_window::Windows;
use super::submission::SubmissionLoop;
use crate::error::NxError;

/// The device's part in running a job.
pub(crate) trait JobHandler: Send + Sync {
    /// Returns the operation of a job.
    fn operation(&self, owned: Owned) -> InFlight<Owned>;
}

/// A worker thread with its task queue. The thread starts with the first task.
pub(crate) struct Worker {
    queue: Arc<TaskQueue>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// The tasks that wait for the thread.
#[derive(Default)]
struct TaskQueue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    tasks: VecDeque<Task>,
    is_closing: bool,
}

impl Worker {
    pub(crate) fn new() -> Worker {
        Worker { queue: Arc::default(), thread: Mutex::default() }
    }

    /// Adds tasks. If the system has no thread to give, they are dropped, which sends them to the
    /// next device.
    pub(crate) fn submit(&self, tasks: Vec<Task>, windows: &Arc<Windows>, handler: &Arc<dyn JobHandler>) {
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if thread.is_none() {
            let (queue, handler) = (Arc::clone(&self.queue), Arc::clone(handler));
            let windows = Arc::clone(windows);
            let run = move || {
                // A panic drops the operations in flight, which closes their windows. Closing the
                // queue sends waiting and later tasks to another device.
                if catch_unwind(AssertUnwindSafe(|| work(&queue, &windows, &*handler))).is_err() {
                    queue.close();
                }
            };
            *thread = thread::Builder::new().name("pelton-nx".into()).spawn(run).ok();
        }
        let has_thread = thread.is_some();
        drop(thread);
        if has_thread {
            self.queue.push(tasks);
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.queue.close();
        let thread = self.thread.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        // The worker itself may drop the last reference to the device; it can't join itself.
        if let Some(thread) = thread
            && thread.thread().id() != thread::current().id()
        {
            let _ = thread.join();
        }
    }
}

/// Runs until the queue is closed and all jobs have a result.
fn work(queue: &TaskQueue, windows: &Arc<Windows>, handler: &dyn JobHandler) {
    let mut submissions: SubmissionLoop<Owned> = SubmissionLoop::new(Arc::clone(windows));
    loop {
        let mut moved = false;
        if windows.is_usable() {
            for task in queue.take(submissions.capacity()) {
                moved = true;
                // A cancelled task does not start.
                if let Some(running) = task.start() {
                    submissions.admit(handler.operation(Owned::new(running)));
                }
            }
        } else {
            windows.reopen(std::time::Instant::now());
            for running in queue.take(usize::MAX).into_iter().filter_map(Task::start) {
                running.finish(Err(Failure::Lost(NxError::Closed.to_string().into())));
            }
        }
        moved |= submissions.advance();
        // The router may call `submit` of the device again.
        for (operation, result) in std::mem::take(&mut submissions.completed) {
            moved = true;
            let time = operation.engine_time();
            operation.into_buffers().finish(result, time);
        }
        if moved {
            continue;
        }
        if submissions.len() == 0 && queue.is_empty() {
            if !queue.wait_for_tasks() {
                return;
            }
            submissions.reset_idle();
        } else if let Some(time) = submissions.idle() {
            queue.sleep(time, submissions.capacity() > 0);
        }
    }
}

impl TaskQueue {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds tasks. A closed queue drops them, outside of the lock, as that calls the router.
    fn push(&self, tasks: Vec<Task>) {
        let mut state = self.lock();
        if state.is_closing {
            drop(state);
            return drop(tasks);
        }
        state.tasks.extend(tasks);
        drop(state);
        self.changed.notify_one();
    }

    /// Removes and returns up to `max` tasks, the oldest first.
    fn take(&self, max: usize) -> Vec<Task> {
        let mut state = self.lock();
        let count = max.min(state.tasks.len());
        state.tasks.drain(..count).collect()
    }

    fn is_empty(&self) -> bool {
        self.lock().tasks.is_empty()
    }

    /// Waits until there are tasks. Returns false if the queue is empty and closed.
    fn wait_for_tasks(&self) -> bool {
        let is_quiet = |state: &mut State| state.tasks.is_empty() && !state.is_closing;
        let state = self.changed.wait_while(self.lock(), is_quiet).unwrap_or_else(PoisonError::into_inner);
        !state.tasks.is_empty()
    }

    /// Waits for `time`; less if tasks arrive and there is capacity for them.
    fn sleep(&self, time: Duration, has_capacity: bool) {
        let state = self.lock();
        if !has_capacity || state.tasks.is_empty() {
            drop(self.changed.wait_timeout(state, time).unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// Closes the queue. Its tasks are dropped, which sends them back to their router.
    fn close(&self) {
        let tasks = {
            let mut state = self.lock();
            state.is_closing = true;
            std::mem::take(&mut state.tasks)
        };
        self.changed.notify_one();
        drop(tasks);
    }
}
