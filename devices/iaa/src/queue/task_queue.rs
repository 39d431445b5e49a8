//! Queue of the tasks that wait for a worker.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering::*};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pelton_job::Task;

/// The tasks that wait for a worker.
#[derive(Default)]
pub(crate) struct TaskQueue {
    state: Mutex<State>,
    changed: Condvar,
    /// Number of tasks, readable without the lock.
    pub(crate) waiting: AtomicUsize,
    /// Number of tasks, plus the jobs that the worker has.
    pub(crate) load: AtomicUsize,
}

#[derive(Default)]
struct State {
    tasks: VecDeque<Task>,
    /// The worker sleeps and needs a wake-up.
    is_idle: bool,
    is_closing: bool,
}

impl TaskQueue {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds tasks, and wakes the worker if it sleeps. A closed queue drops the tasks, which sends
    /// them to another device.
    pub(crate) fn push(&self, tasks: Vec<Task>) {
        let wake = {
            let mut state = self.lock();
            if state.is_closing {
                drop(state);
                return drop(tasks);
            }
            self.load.fetch_add(tasks.len(), Relaxed);
            state.tasks.extend(tasks);
            self.waiting.store(state.tasks.len(), Release);
            std::mem::take(&mut state.is_idle)
        };
        if wake {
            self.changed.notify_one();
        }
    }

    /// Removes and returns up to `max` tasks, the oldest first.
    pub(crate) fn take(&self, max: usize) -> Vec<Task> {
        let mut state = self.lock();
        let count = max.min(state.tasks.len());
        let taken = state.tasks.drain(..count).collect();
        self.waiting.store(state.tasks.len(), Release);
        taken
    }

    /// Waits until there are tasks. Returns false if the queue is empty and closed.
    pub(crate) fn wait_for_tasks(&self) -> bool {
        let mut state = self.lock();
        while state.tasks.is_empty() {
            if state.is_closing {
                return false;
            }
            state.is_idle = true;
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.is_idle = false;
        true
    }

    /// Waits for `time`; less if tasks arrive and the worker has capacity for them.
    pub(crate) fn sleep(&self, time: Duration, has_capacity: bool) {
        let mut state = self.lock();
        if has_capacity && !state.tasks.is_empty() {
            return;
        }
        state.is_idle = has_capacity;
        let (mut state, _) = self.changed.wait_timeout(state, time).unwrap_or_else(PoisonError::into_inner);
        state.is_idle = false;
    }

    /// Closes the queue. Its tasks are dropped, which sends them back to their router.
    pub(crate) fn close(&self) {
        let tasks = {
            let mut state = self.lock();
            state.is_closing = true;
            self.waiting.store(0, Release);
            std::mem::take(&mut state.tasks)
        };
        self.changed.notify_one();
        // Outside of the lock: dropping a task calls the router.
        self.load.fetch_sub(tasks.len(), Relaxed);
        drop(tasks);
    }
}
