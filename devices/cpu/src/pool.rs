//! Threads and their queue.

use std::collections::VecDeque;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use pelton_job::Task;

/// Up to so many threads that run tasks in the order they came in.
///
/// One queue under one lock serves all of them. A lock is taken twice for each job, for tens of nanoseconds,
/// and a job is a page: tens of microseconds. Thousands of threads would need something better; the cores of
/// one machine don't.
pub(crate) struct Pool {
    threads: NonZero<usize>,
    shared: Arc<Shared>,
    handles: Mutex<Vec<JoinHandle<()>>>,
}

struct Shared {
    run: fn(Task),
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Task>,
    /// Threads that were started and have not ended.
    started: usize,
    /// Threads that wait for a task.
    idle: usize,
    closing: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pool {
    /// A pool without threads yet.
    pub(crate) fn new(threads: NonZero<usize>, run: fn(Task)) -> Pool {
        let shared = Shared { run, state: Mutex::default(), changed: Condvar::new() };
        Pool { threads, shared: Arc::new(shared), handles: Mutex::default() }
    }

    /// The most threads that there will be.
    pub(crate) fn threads(&self) -> usize {
        self.threads.get()
    }

    /// Threads that there are.
    #[cfg(test)]
    pub(crate) fn started(&self) -> usize {
        lock(&self.shared.state).started
    }

    /// Queue tasks and see to it that enough threads are awake.
    pub(crate) fn submit(&self, tasks: Vec<Task>) {
        let added = tasks.len();
        let (wake, start) = {
            let mut state = lock(&self.shared.state);
            state.queue.extend(tasks);
            let start = state.queue.len().saturating_sub(state.idle).min(self.threads.get() - state.started);
            state.started += start;
            (state.idle.min(added), start)
        };
        for _ in 0..wake {
            self.shared.changed.notify_one();
        }
        for _ in 0..start {
            self.start();
        }
    }

    /// Start one thread, which `state.started` counts already. If the system has no thread to give and there
    /// is none yet, the caller does the work: slower than asked for, but done.
    fn start(&self) {
        let mut handles = lock(&self.handles);
        let shared = Arc::clone(&self.shared);
        let name = format!("pelton-cpu-{}", handles.len());
        match thread::Builder::new().name(name).spawn(move || shared.work()) {
            Ok(handle) => handles.push(handle),
            Err(_) => {
                drop(handles);
                let alone = {
                    let mut state = lock(&self.shared.state);
                    state.started -= 1;
                    state.started == 0
                };
                while alone && let Some(task) = { lock(&self.shared.state).queue.pop_front() } {
                    self.shared.run(task);
                }
            }
        }
    }
}

impl Shared {
    /// What a thread does.
    fn work(&self) {
        let mut state = lock(&self.state);
        loop {
            if let Some(task) = state.queue.pop_front() {
                drop(state);
                self.run(task);
                state = lock(&self.state);
            } else if state.closing {
                return;
            } else {
                state.idle += 1;
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.idle -= 1;
            }
        }
    }

    /// Run one task. What wakes the job's holder is the holder's code: its panic must not cost a thread.
    fn run(&self, task: Task) {
        let _ = catch_unwind(AssertUnwindSafe(|| (self.run)(task)));
    }
}

/// Threads finish the task that they are at. Queued tasks are dropped, which sends their jobs back to the
/// router.
impl Drop for Pool {
    fn drop(&mut self) {
        let queued = {
            let mut state = lock(&self.shared.state);
            state.closing = true;
            std::mem::take(&mut state.queue)
        };
        drop(queued);
        self.shared.changed.notify_all();
        let this = thread::current().id();
        for handle in lock(&self.handles).drain(..) {
            // The last job of a router may drop the router and this pool on one of the pool's own threads,
            // which then ends by itself.
            if handle.thread().id() != this {
                let _ = handle.join();
            }
        }
    }
}

#[cfg(test)]
mod tests;
