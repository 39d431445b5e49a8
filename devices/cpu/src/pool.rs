//! Pool of worker threads and its queue.

use std::collections::VecDeque;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use pelton_job::{BatchId, Task};

use crate::caller_runs::CallerRuns;
use crate::share::{Occupation, take_from};

/// Threads that run tasks in order of arrival. A thread that finds an interleavable task at the
/// head of the queue takes its share of such tasks at once. It never waits for more of them, and
/// always takes the task at the head, so a task that was passed over runs soon.
///
/// One queue under one lock serves all threads. The lock is held for microseconds at most, twice
/// for each run of tasks, and a task takes tens of microseconds. This suffices for the cores of one
/// machine, not for thousands of threads.
pub(crate) struct Pool {
    threads: NonZero<usize>,
    shared: Arc<Shared>,
    handles: Mutex<Vec<JoinHandle<()>>>,
}

struct Shared {
    threads: usize,
    run: fn(Vec<Task>),
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Task>,
    /// Tasks that run on their callers.
    caller_runs: CallerRuns,
    /// Tasks that threads are running.
    running: usize,
    /// Running threads.
    started: usize,
    /// Threads that wait for a task.
    idle: usize,
    closing: bool,
}

impl State {
    /// Removes the next tasks for a thread: the head of the queue, and the tasks to run interleaved
    /// with it.
    fn take(&mut self, threads: usize) -> Option<Vec<Task>> {
        let occupation = Occupation { queued: self.queue.len(), running: self.running, threads };
        let taken = take_from(&mut self.queue, occupation)?;
        self.running += taken.len();
        Some(taken)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pool {
    /// Makes a pool without threads yet. `run` gets one task, or several to run interleaved.
    pub(crate) fn new(threads: NonZero<usize>, run: fn(Vec<Task>)) -> Pool {
        let shared = Shared { threads: threads.get(), run, state: Mutex::default(), changed: Condvar::new() };
        Pool { threads, shared: Arc::new(shared), handles: Mutex::default() }
    }

    /// Returns the maximum number of threads.
    pub(crate) fn threads(&self) -> usize {
        self.threads.get()
    }

    /// Returns the number of running threads.
    #[cfg(test)]
    pub(crate) fn started(&self) -> usize {
        lock(&self.shared.state).started
    }

    /// Returns the number of tasks that wait for their callers.
    #[cfg(test)]
    pub(crate) fn caller_runs(&self) -> usize {
        lock(&self.shared.state).caller_runs.len()
    }

    /// Queues tasks and wakes enough threads for those that do not run on their caller.
    pub(crate) fn submit(&self, tasks: Vec<Task>) {
        let (caller_runs, tasks): (Vec<_>, Vec<_>) = tasks.into_iter().partition(Task::is_caller_runs);
        let added = tasks.len();
        let (wake, start) = {
            let mut state = lock(&self.shared.state);
            caller_runs.into_iter().for_each(|task| state.caller_runs.add(task));
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

    /// Runs some caller-runs tasks of a batch on this thread. Returns whether there were any.
    pub(crate) fn run_on_caller(&self, batch: BatchId) -> bool {
        let tasks = lock(&self.shared.state).caller_runs.take(batch);
        let is_any = tasks.is_some();
        tasks.into_iter().for_each(|tasks| self.shared.run(tasks));
        is_any
    }

    /// Starts one thread, which `state.started` counts already. If the system has no thread left
    /// and the pool has none yet, the caller runs the tasks.
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
                while alone && let Some(tasks) = { lock(&self.shared.state).take(self.shared.threads) } {
                    let taken = tasks.len();
                    self.shared.run(tasks);
                    lock(&self.shared.state).running -= taken;
                }
            }
        }
    }
}

impl Shared {
    /// Runs the loop of a worker thread.
    fn work(&self) {
        let mut state = lock(&self.state);
        loop {
            if let Some(tasks) = state.take(self.threads) {
                drop(state);
                let taken = tasks.len();
                self.run(tasks);
                state = lock(&self.state);
                state.running -= taken;
            } else if state.closing {
                return;
            } else {
                state.idle += 1;
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.idle -= 1;
            }
        }
    }

    /// Runs tasks. Waking a job's holder calls the holder's code; a panic there must not end the
    /// thread.
    fn run(&self, tasks: Vec<Task>) {
        let _ = catch_unwind(AssertUnwindSafe(|| (self.run)(tasks)));
    }
}

/// Threads finish their current tasks. Queued tasks are dropped, which returns their jobs to the
/// router.
impl Drop for Pool {
    fn drop(&mut self) {
        let queued = {
            let mut state = lock(&self.shared.state);
            state.closing = true;
            (std::mem::take(&mut state.queue), std::mem::take(&mut state.caller_runs))
        };
        drop(queued);
        self.shared.changed.notify_all();
        let this = thread::current().id();
        for handle in lock(&self.handles).drain(..) {
            // The last job of a router may drop the router and this pool on one of the pool's own
            // threads, which then ends by itself.
            if handle.thread().id() != this {
                let _ = handle.join();
            }
        }
    }
}

#[cfg(test)]
mod tests;
