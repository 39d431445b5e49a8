//! Tasks on their way to a worker.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering::*};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pelton_job::Task;

/// See the module.
#[derive(Default)]
pub(crate) struct Inbox {
    state: Mutex<State>,
    changed: Condvar,
    /// Tasks in it, for a look without the lock.
    pub(crate) waiting: AtomicUsize,
    /// Tasks in it and jobs that the worker has.
    pub(crate) load: AtomicUsize,
}

#[derive(Default)]
struct State {
    tasks: VecDeque<Task>,
    /// The worker waits, and has to be woken.
    is_idle: bool,
    is_closing: bool,
}

impl Inbox {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts tasks in, and wakes the worker if it sleeps. Once it is closed they are dropped, and so
    /// go to another device.
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

    /// Takes out up to so many, the first first.
    pub(crate) fn take(&self, most: usize) -> Vec<Task> {
        let mut state = self.lock();
        let count = most.min(state.tasks.len());
        let taken = state.tasks.drain(..count).collect();
        self.waiting.store(state.tasks.len(), Release);
        taken
    }

    /// Waits until there are tasks. False: there will be none, it is closed.
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

    /// Waits so long, or until there are tasks if there is room for them.
    pub(crate) fn sleep(&self, time: Duration, has_room: bool) {
        let mut state = self.lock();
        if has_room && !state.tasks.is_empty() {
            return;
        }
        state.is_idle = has_room;
        let (mut state, _) = self.changed.wait_timeout(state, time).unwrap_or_else(PoisonError::into_inner);
        state.is_idle = false;
    }

    /// No tasks will come any more; those that were not started go back to their router.
    pub(crate) fn close(&self) {
        let tasks = {
            let mut state = self.lock();
            state.is_closing = true;
            self.waiting.store(0, Release);
            std::mem::take(&mut state.tasks)
        };
        self.changed.notify_one();
        // Without the lock, as this tells the router.
        self.load.fetch_sub(tasks.len(), Relaxed);
        drop(tasks);
    }
}
