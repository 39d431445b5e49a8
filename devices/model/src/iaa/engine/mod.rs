//! Threads that run the modelled engines.

pub(super) mod execute;
pub(super) mod memory;
pub(super) mod schedule;
mod validate;

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::iaa::config::Config;
use execute::Scratch;
use schedule::Schedule;

/// Time in which one idle thread polls for work before it sleeps: about the time to wake it.
const SPIN_TIME: Duration = Duration::from_micros(20);

/// Maximum time until the first thread runs, even on a busy machine.
const START_TIMEOUT: Duration = Duration::from_secs(2);

/// State that threads and portals share.
pub(super) struct Shared {
    pub(super) config: Config,
    state: Mutex<State>,
    /// Number of submissions.
    submissions: AtomicU64,
    /// Signals that there may be a descriptor to run.
    work: Condvar,
    /// Signals that a descriptor was run, or that the first thread has begun.
    ran: Condvar,
    /// Whether a thread has begun.
    runs: AtomicBool,
}

pub(super) struct State {
    pub(super) schedule: Schedule,
    started: usize,
    idle: usize,
    /// Whether a thread polls for work.
    has_lookout: bool,
    /// Number of threads that wait for the end of a descriptor. Without any, the system call of a
    /// notification is saved.
    awaiting_end: usize,
    is_closing: bool,
}

/// The model's threads. They start when there is work, and end when this is dropped.
pub(super) struct Engines {
    pub(super) shared: Arc<Shared>,
    handles: Mutex<Vec<JoinHandle<()>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Engines {
    pub(super) fn new(config: Config) -> Engines {
        let schedule = Schedule::new(&config);
        let state =
            State { schedule, started: 0, idle: 0, has_lookout: false, awaiting_end: 0, is_closing: false };
        let shared = Shared {
            config,
            state: Mutex::new(state),
            submissions: AtomicU64::new(0),
            work: Condvar::new(),
            ran: Condvar::new(),
            runs: AtomicBool::new(false),
        };
        Engines { shared: Arc::new(shared), handles: Mutex::default() }
    }

    /// Starts all threads, unless the system refuses one.
    pub(super) fn start_all(&self) {
        loop {
            let mut state = self.shared.lock();
            if state.started == self.shared.config.threads {
                return;
            }
            state.started += 1;
            drop(state);
            if self.start().is_err() {
                return;
            }
        }
    }

    /// Makes sure that a thread runs. A started thread may be blocked by the loader's lock, if the
    /// caller is in a library's constructor.
    ///
    /// # Errors
    /// The system's, if it has no thread to give; a timeout if no thread begins.
    pub(super) fn ensure(&self) -> io::Result<()> {
        if self.shared.runs.load(Ordering::Acquire) {
            return Ok(());
        }
        let mut state = self.shared.lock();
        if state.started == 0 {
            state.started += 1;
            drop(state);
            self.start()?;
            state = self.shared.lock();
        }
        let waits = |_: &mut State| !self.shared.runs.load(Ordering::Acquire);
        let waited = self.shared.ran.wait_timeout_while(state, START_TIMEOUT, waits);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
        match self.shared.runs.load(Ordering::Acquire) {
            true => Ok(()),
            false => Err(io::ErrorKind::TimedOut.into()),
        }
    }

    /// Wakes or starts threads for `added` new descriptors.
    pub(super) fn wake(&self, mut state: MutexGuard<'_, State>, added: usize) {
        self.shared.submissions.fetch_add(1, Ordering::Relaxed);
        let added = added.saturating_sub(usize::from(state.has_lookout));
        let wake = state.idle.min(added);
        let start = (added - wake).min(self.shared.config.threads - state.started);
        state.started += start;
        drop(state);
        for _ in 0..wake {
            self.shared.work.notify_one();
        }
        for _ in 0..start {
            // Without a new thread, the others do the work.
            let _ = self.start();
        }
    }

    /// Starts a thread that is counted already.
    fn start(&self) -> io::Result<()> {
        let mut handles = lock(&self.handles);
        let shared = Arc::clone(&self.shared);
        let name = format!("iaa-model-{}", handles.len());
        match thread::Builder::new().name(name).spawn(move || shared.work()) {
            Ok(handle) => {
                handles.push(handle);
                Ok(())
            }
            Err(error) => {
                self.shared.lock().started -= 1;
                Err(error)
            }
        }
    }
}

impl Drop for Engines {
    fn drop(&mut self) {
        self.shared.lock().is_closing = true;
        self.shared.work.notify_all();
        for handle in lock(&self.handles).drain(..) {
            // A panic has printed its message already.
            let _ = handle.join();
        }
    }
}

impl Shared {
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Waits until a descriptor was run.
    pub(super) fn wait_for_end<'a>(&'a self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        state.awaiting_end += 1;
        state = self.ran.wait(state).unwrap_or_else(PoisonError::into_inner);
        state.awaiting_end -= 1;
        state
    }

    /// Runs descriptors until the model is dropped.
    fn work(&self) {
        let mut scratch = Scratch::default();
        let mut state = self.lock();
        if !self.runs.swap(true, Ordering::AcqRel) {
            self.ran.notify_all();
        }
        let mut has_looked_out = false;
        while !state.is_closing {
            if let Some(task) = state.schedule.take(&self.config) {
                // Submissions have woken no other thread while this one polled.
                if has_looked_out && state.idle > 0 && state.schedule.has_waiting() {
                    self.work.notify_one();
                }
                drop(state);
                let capabilities = &self.config.queues[task.entry.queue].capabilities;
                let outcome =
                    execute::run(&task.entry.submitted, capabilities, task.entry.fault, &mut scratch);
                state = self.lock();
                state.schedule.finish(task, &outcome);
                if state.awaiting_end > 0 {
                    self.ran.notify_all();
                }
                has_looked_out = false;
                continue;
            }
            let again = state.schedule.release();
            if has_looked_out || state.has_lookout || again.is_some() {
                state = self.sleep(state, again);
                has_looked_out = false;
            } else {
                state.has_lookout = true;
                drop(state);
                self.look_out();
                state = self.lock();
                state.has_lookout = false;
                has_looked_out = true;
            }
        }
    }

    /// Polls briefly for a submission.
    fn look_out(&self) {
        let (seen, start) = (self.submissions.load(Ordering::Relaxed), Instant::now());
        while self.submissions.load(Ordering::Relaxed) == seen && start.elapsed() < SPIN_TIME {
            std::hint::spin_loop();
        }
    }

    fn sleep<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
        until: Option<Instant>,
    ) -> MutexGuard<'a, State> {
        state.idle += 1;
        state = match until {
            None => self.work.wait(state).unwrap_or_else(PoisonError::into_inner),
            Some(until) => {
                let time = until.saturating_duration_since(Instant::now());
                self.work.wait_timeout(state, time).unwrap_or_else(PoisonError::into_inner).0
            }
        };
        state.idle -= 1;
        state
    }
}
