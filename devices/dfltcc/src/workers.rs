//! Worker threads that wait for the instruction, and their queue.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use pelton_job::Task;

/// Threads that run tasks in order of arrival. They start when tasks first need them, and end with
/// the device.
pub(crate) struct Workers {
    max: usize,
    shared: Arc<Shared>,
    handles: Mutex<Vec<JoinHandle<()>>>,
}

struct Shared {
    run: Box<dyn Fn(Task) + Send + Sync>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Task>,
    /// Threads that wait for a task.
    idle: usize,
    /// Running threads.
    started: usize,
    is_closing: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Workers {
    /// Returns at most `max` threads, none of them started.
    pub(crate) fn new(max: usize, run: impl Fn(Task) + Send + Sync + 'static) -> Workers {
        let shared = Shared { run: Box::new(run), state: Mutex::default(), changed: Condvar::new() };
        Workers { max, shared: Arc::new(shared), handles: Mutex::default() }
    }

    /// Queues tasks, and wakes or starts threads for them.
    pub(crate) fn submit(&self, tasks: Vec<Task>) {
        let start = {
            let mut state = lock(&self.shared.state);
            state.queue.extend(tasks);
            let start = state.queue.len().saturating_sub(state.idle).min(self.max - state.started);
            state.started += start;
            start
        };
        self.shared.changed.notify_all();
        (0..start).for_each(|_| self.start());
    }

    /// Starts all threads.
    pub(crate) fn start_all(&self) {
        let start = {
            let mut state = lock(&self.shared.state);
            self.max - std::mem::replace(&mut state.started, self.max)
        };
        (0..start).for_each(|_| self.start());
    }

    /// Starts one thread, which `started` counts already. Without any thread the queued tasks are
    /// dropped, which sends them to the next device.
    fn start(&self) {
        let shared = Arc::clone(&self.shared);
        let name = "pelton-dfltcc".to_owned();
        match thread::Builder::new().name(name).spawn(move || shared.work()) {
            Ok(handle) => lock(&self.handles).push(handle),
            Err(error) => {
                log::warn!("the device dfltcc has one thread less: {error}");
                let mut state = lock(&self.shared.state);
                state.started -= 1;
                let tasks =
                    if state.started == 0 { std::mem::take(&mut state.queue) } else { VecDeque::new() };
                drop(state);
                drop(tasks);
            }
        }
    }
}

impl Shared {
    fn work(&self) {
        let mut state = lock(&self.state);
        loop {
            if let Some(task) = state.queue.pop_front() {
                drop(state);
                // The end of a task may call its holder's code; a panic there must not end the
                // thread.
                let _ = catch_unwind(AssertUnwindSafe(|| (self.run)(task)));
                state = lock(&self.state);
            } else if state.is_closing {
                return;
            } else {
                state.idle += 1;
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.idle -= 1;
            }
        }
    }
}

/// Threads finish their current tasks. Queued tasks are dropped, which returns them to the router.
impl Drop for Workers {
    fn drop(&mut self) {
        let queued = {
            let mut state = lock(&self.shared.state);
            state.is_closing = true;
            std::mem::take(&mut state.queue)
        };
        drop(queued);
        self.shared.changed.notify_all();
        let this = thread::current().id();
        for handle in lock(&self.handles).drain(..) {
            // The last job of a router may drop the device on one of its own threads, which then
            // ends by itself.
            if handle.thread().id() != this {
                let _ = handle.join();
            }
        }
    }
}
