//! Threads and their queue.

use std::collections::VecDeque;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use pelton_job::{BatchId, Task};

use crate::caller_runs::CallerRuns;
use crate::share::{Occupation, in_company};

/// Up to so many threads that run tasks in the order they came in, but for those that gain from company: a thread that
/// finds one of these at the head of the queue takes its share of them at once. Nothing waits for more of them to come,
/// and each turn takes the task at the head, so that one that is passed over has its turn soon.
///
/// One queue under one lock serves all of them. A lock is taken twice for each turn, for tens of nanoseconds to a few
/// microseconds, and a job is a page: tens of microseconds. Thousands of threads would need something better; the cores
/// of one machine don't.
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
    /// Tasks that no thread of the pool takes.
    caller_runs: CallerRuns,
    /// Tasks that were taken by threads that have not come back.
    running: usize,
    /// Threads that were started and have not ended.
    started: usize,
    /// Threads that wait for a task.
    idle: usize,
    closing: bool,
}

impl State {
    /// What a thread does next: the task at the head of the queue, and others to be run together with it.
    fn take(&mut self, threads: usize) -> Option<Vec<Task>> {
        let occupation = Occupation { queued: self.queue.len(), running: self.running, threads };
        let taken = take_from(&mut self.queue, occupation)?;
        self.running += taken.len();
        Some(taken)
    }
}

/// The task at the head of a queue, and others to be run together with it.
pub(crate) fn take_from(queue: &mut VecDeque<Task>, occupation: Occupation) -> Option<Vec<Task>> {
    let places = occupation.choose(queue.iter().map(in_company));
    let Some(last) = places.last() else { return Some(vec![queue.pop_front()?]) };
    let (mut taken, mut left) = (Vec::with_capacity(places.len()), Vec::new());
    let mut places = places.iter().copied().peekable();
    for (place, task) in queue.drain(..=*last).enumerate() {
        if places.next_if_eq(&place).is_some() { taken.push(task) } else { left.push(task) }
    }
    for task in left.into_iter().rev() {
        queue.push_front(task);
    }
    Some(taken)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pool {
    /// A pool without threads yet. `run` gets one task, or several that gain from being run together.
    pub(crate) fn new(threads: NonZero<usize>, run: fn(Vec<Task>)) -> Pool {
        let shared = Shared { threads: threads.get(), run, state: Mutex::default(), changed: Condvar::new() };
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

    /// Tasks that wait for their holders.
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
    /// What a thread does.
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

    /// Take tasks and run them. What wakes a job's holder is the holder's code: its panic must not cost a thread.
    fn run(&self, tasks: Vec<Task>) {
        let _ = catch_unwind(AssertUnwindSafe(|| (self.run)(tasks)));
    }
}

/// Threads finish the task that they are at. Queued tasks are dropped, which sends their jobs back to the
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
