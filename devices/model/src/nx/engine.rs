//! Engines: windows with credits, queues of requests, and a thread for each engine.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use pelton_device_nx::hw::Crb;
use pelton_device_nx::{Credits, Pasted};

use super::clock::Clock;
use super::config::Config;
use super::counters::Counters;
use super::execute::Engine;
use super::fault::{Fault, Offered};
use super::memory::Submitted;

/// Maximum time until a thread runs, even on a busy machine.
const START_TIMEOUT: Duration = Duration::from_secs(2);

/// Number of a window among all that were opened.
pub(super) type WindowId = usize;

/// A request in a queue.
struct Entry {
    window: WindowId,
    request: Submitted,
    fault: Option<Fault>,
    arrival: Duration,
}

/// A window.
struct WindowState {
    engine: usize,
    kind: Credits,
    /// Free credits.
    credits: usize,
    is_open: bool,
}

/// State that threads and windows share.
pub(super) struct Shared {
    pub(super) config: Config,
    state: Mutex<State>,
    /// Signals that there may be a request to run, or that the model is dropped.
    work: Condvar,
    /// Signals that a request was run, or that a thread has begun.
    ran: Condvar,
}

pub(super) struct State {
    windows: Vec<WindowState>,
    /// The queues of each engine.
    queues: Vec<Queues<Entry>>,
    /// The window of each engine's running request.
    running: Vec<Option<WindowId>>,
    /// Whether the thread of each engine has begun.
    has_begun: Vec<bool>,
    /// Requests that are never answered.
    lost: Vec<Entry>,
    next_index: u64,
    pub(super) clock: Clock,
    pub(super) counters: Counters,
    is_closing: bool,
}

/// The queues of an engine. A request of high priority is next, however long others wait.
struct Queues<E> {
    normal: VecDeque<E>,
    high: VecDeque<E>,
}

impl<E> Queues<E> {
    fn new() -> Queues<E> {
        Queues { normal: VecDeque::new(), high: VecDeque::new() }
    }

    /// Returns the queue for requests with credits of a kind.
    fn of(&mut self, kind: Credits) -> &mut VecDeque<E> {
        match kind {
            Credits::Shared => &mut self.normal,
            Credits::Guaranteed => &mut self.high,
        }
    }

    /// Removes and returns the next request.
    fn next(&mut self) -> Option<E> {
        self.high.pop_front().or_else(|| self.normal.pop_front())
    }

    /// Removes requests, and returns their number.
    fn remove(&mut self, is_removed: impl Fn(&E) -> bool) -> usize {
        let before = self.normal.len() + self.high.len();
        self.normal.retain(|entry| !is_removed(entry));
        self.high.retain(|entry| !is_removed(entry));
        before - self.normal.len() - self.high.len()
    }
}

/// The threads of a model. They start with the first window of their engine, and end when this is
/// dropped.
pub(super) struct Engines {
    pub(super) shared: Arc<Shared>,
    threads: Mutex<Vec<Option<JoinHandle<()>>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Engines {
    pub(super) fn new(mut config: Config) -> Engines {
        config.engines = config.engines.max(1);
        let engines = config.engines;
        let state = State {
            windows: Vec::new(),
            queues: (0..engines).map(|_| Queues::new()).collect(),
            running: vec![None; engines],
            has_begun: vec![false; engines],
            lost: Vec::new(),
            next_index: 0,
            clock: Clock::new(config.timing, engines),
            counters: Counters::default(),
            is_closing: false,
        };
        let (work, ran) = (Condvar::new(), Condvar::new());
        let shared = Shared { config, state: Mutex::new(state), work, ran };
        Engines { shared: Arc::new(shared), threads: Mutex::new((0..engines).map(|_| None).collect()) }
    }

    /// Opens a window of an engine, and makes sure that its thread runs. A started thread may be
    /// blocked by the loader's lock, if the caller is in a library's constructor.
    ///
    /// # Errors
    /// There is no such engine, the system has no thread to give, or the thread does not begin.
    pub(super) fn open(&self, engine: usize, kind: Credits) -> io::Result<WindowId> {
        let mut threads = lock(&self.threads);
        let thread = threads.get_mut(engine).ok_or(io::ErrorKind::NotFound)?;
        if thread.is_none() {
            let shared = Arc::clone(&self.shared);
            let builder = thread::Builder::new().name(format!("nx-model-{engine}"));
            *thread = Some(builder.spawn(move || shared.work(engine))?);
        }
        let waits = |state: &mut State| !state.has_begun[engine];
        let waited = self.shared.ran.wait_timeout_while(self.shared.lock(), START_TIMEOUT, waits);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if !state.has_begun[engine] {
            return Err(io::ErrorKind::TimedOut.into());
        }
        state.counters.windows += 1;
        let credits = self.shared.config.credits;
        state.windows.push(WindowState { engine, kind, credits, is_open: true });
        Ok(state.windows.len() - 1)
    }
}

impl Drop for Engines {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.is_closing = true;
        let has_begun = state.has_begun.clone();
        drop(state);
        self.shared.work.notify_all();
        // A thread that has not begun ends as soon as it does, and may wait for this one's lock.
        for (thread, _) in lock(&self.threads).drain(..).zip(has_begun).filter(|(_, begun)| *begun) {
            // A panic has printed its message already.
            let _ = thread.map(JoinHandle::join);
        }
    }
}

impl Shared {
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Pastes a request. Calls `make` only for an accepted one.
    pub(super) fn paste(
        &self,
        window: WindowId,
        request: &Crb,
        make: impl FnOnce(Crb) -> Submitted,
    ) -> Pasted {
        let mut guard = self.lock();
        let state = &mut *guard;
        let WindowState { engine, kind, credits, is_open } = state.windows[window];
        if !is_open {
            state.counters.refused += 1;
            return Pasted::Suspended;
        }
        let most = self.config.max_bytes.unwrap_or(usize::MAX);
        if [request.source(), request.target()].iter().any(|part| part.len() as usize > most) {
            // Software sees no difference to a queue without space.
            state.counters.too_long += 1;
            return Pasted::Busy;
        }
        if credits == 0 || state.queues[engine].of(kind).len() >= self.config.queue {
            state.counters.busy += 1;
            return Pasted::Busy;
        }
        let offered = Offered { index: state.next_index, queue: engine, descriptor: request };
        state.next_index += 1;
        let fault = self.config.faults.find(&offered);
        if let Some(fault) = fault {
            state.counters.count_fault(fault);
        }
        match fault {
            Some(Fault::Busy) => {
                state.counters.busy += 1;
                return Pasted::Busy;
            }
            Some(Fault::SuspendWindow) => {
                state.windows[window].is_open = false;
                state.counters.refused += 1;
                return Pasted::Suspended;
            }
            _ => {}
        }
        state.windows[window].credits -= 1;
        state.counters.accepted += 1;
        state.counters.high_priority += u64::from(kind == Credits::Guaranteed);
        let arrival = state.clock.arrival();
        let entry = Entry { window, request: make(*request), fault, arrival };
        match fault {
            Some(Fault::NoAnswer) => state.lost.push(entry),
            _ => state.queues[engine].of(kind).push_back(entry),
        }
        drop(guard);
        self.work.notify_all();
        Pasted::Accepted
    }

    /// Closes a window: drops its waiting requests, and waits for the end of a running one.
    pub(super) fn close(&self, window: WindowId) {
        let mut guard = self.lock();
        let state = &mut *guard;
        state.windows[window].is_open = false;
        let engine = state.windows[window].engine;
        let before = state.lost.len();
        state.lost.retain(|entry| entry.window != window);
        let dropped = before - state.lost.len() + state.queues[engine].remove(|entry| entry.window == window);
        state.counters.dropped_at_close += dropped as u64;
        while guard.running[engine] == Some(window) {
            guard = self.ran.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Runs an engine's requests until the model is dropped.
    fn work(&self, number: usize) {
        let mut engine = Engine::new(&self.config, number);
        let mut state = self.lock();
        state.has_begun[number] = true;
        self.ran.notify_all();
        while !state.is_closing {
            let Some(Entry { window, request, fault, arrival }) = state.queues[number].next() else {
                state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            state.running[number] = Some(window);
            drop(state);
            let outcome = engine.run(&request, fault, &self.config);
            state = self.lock();
            state.clock.completed(number, arrival, &outcome.work);
            if fault != Some(Fault::LostCredit) {
                state.windows[window].credits += 1;
            }
            let counters = &mut state.counters;
            counters.completed += 1;
            *counters.codes.entry(outcome.status.code).or_default() += 1;
            if let Some(function) = outcome.work.function {
                *counters.functions.entry(function.code()).or_default() += 1;
            }
            request.complete(&outcome.status);
            state.running[number] = None;
            self.ran.notify_all();
        }
    }
}

#[cfg(test)]
mod tests;
