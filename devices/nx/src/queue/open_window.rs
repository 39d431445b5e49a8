//! Open windows of a process: credits in use, closing, and opening again.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::*};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use crate::counters::{LiveCounters, count};
use crate::options::Opener;
use crate::window::Window;

/// Waits before a window is opened again, as the addendum of the manual for PowerVM has them. The
/// last one is repeated.
const REOPEN_WAITS: [Duration; 4] = [
    Duration::from_millis(31),
    Duration::from_millis(62),
    Duration::from_millis(125),
    Duration::from_secs(1),
];

/// A window with its credits.
pub(crate) struct OpenWindow {
    window: Arc<dyn Window>,
    credits: usize,
    used: AtomicUsize,
    is_closed: AtomicBool,
    /// Time of the last answers that were read.
    answered: Mutex<Instant>,
}

impl OpenWindow {
    fn new(window: Arc<dyn Window>, in_flight: usize) -> Arc<OpenWindow> {
        let credits = window.limits().credits.min(in_flight).max(1);
        Arc::new(OpenWindow {
            window,
            credits,
            used: AtomicUsize::new(0),
            is_closed: AtomicBool::new(false),
            answered: Mutex::new(Instant::now()),
        })
    }

    /// Returns the time until `now` that the engine had for requests of which the first was
    /// submitted at `submitted`: since then, or since the answers before.
    pub(super) fn take_time(&self, submitted: Instant, now: Instant) -> Duration {
        let mut answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner);
        let since = submitted.max(std::mem::replace(&mut *answered, now));
        now.saturating_duration_since(since)
    }

    pub(super) fn window(&self) -> &dyn Window {
        &*self.window
    }

    /// Takes a credit, if there is one.
    fn reserve(&self) -> bool {
        let taken =
            self.used.fetch_update(Relaxed, Relaxed, |used| (used < self.credits).then_some(used + 1));
        taken.is_ok()
    }

    /// Returns a credit.
    pub(super) fn release(&self) {
        self.used.fetch_sub(1, Relaxed);
    }

    fn free(&self) -> usize {
        if self.is_closed() { 0 } else { self.credits.saturating_sub(self.used.load(Relaxed)) }
    }

    /// Returns whether the window is closed, so that the engine accesses no memory named to it.
    pub(super) fn is_closed(&self) -> bool {
        self.is_closed.load(Acquire)
    }

    /// Closes the window. Returns when the engine accesses no memory named to it.
    pub(super) fn close(&self) {
        self.window.close();
        self.is_closed.store(true, Release);
    }
}

/// The windows of a process, one for each engine.
pub(crate) struct Windows {
    slots: Vec<EngineSlot>,
    opener: Opener,
    in_flight: usize,
    pub(super) counters: Arc<LiveCounters>,
}

/// The window of an engine, and the attempts to replace it.
struct EngineSlot {
    current: RwLock<Arc<OpenWindow>>,
    attempts: Mutex<Attempts>,
}

#[derive(Default)]
struct Attempts {
    failed: usize,
    next: Option<Instant>,
}

impl EngineSlot {
    fn current(&self) -> Arc<OpenWindow> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Windows {
    /// Opens a window of each engine.
    ///
    /// # Errors
    /// The opener's.
    pub(crate) fn open(
        opener: Opener,
        engines: usize,
        in_flight: usize,
        counters: Arc<LiveCounters>,
    ) -> io::Result<Windows> {
        let slot = |engine| {
            let window = OpenWindow::new(opener(engine)?, in_flight);
            Ok(EngineSlot { current: RwLock::new(window), attempts: Mutex::default() })
        };
        let slots = (0..engines.max(1)).map(slot).collect::<io::Result<Vec<EngineSlot>>>()?;
        Ok(Windows { slots, opener, in_flight, counters })
    }

    /// Returns the maximum number of requests in flight.
    pub(crate) fn credits(&self) -> usize {
        self.slots.iter().map(|slot| slot.current().credits).sum()
    }

    /// Returns the smallest source limit of the windows.
    pub(crate) fn max_bytes(&self) -> Option<usize> {
        self.slots.iter().filter_map(|slot| slot.current().window.limits().max_bytes).min()
    }

    /// Returns the number of free credits.
    pub(super) fn free(&self) -> usize {
        self.slots.iter().map(|slot| slot.current().free()).sum()
    }

    /// Returns the window with the most free credits, with one of them taken.
    pub(super) fn reserve(&self) -> Option<Arc<OpenWindow>> {
        let window = self.slots.iter().map(EngineSlot::current).max_by_key(|window| window.free())?;
        (window.free() > 0 && window.reserve()).then_some(window)
    }

    /// Closes the windows that accept no request although the engine has none: their credits are
    /// lost. Returns the number of closed windows.
    pub(super) fn close_idle(&self) -> usize {
        let windows = self.slots.iter().map(EngineSlot::current);
        let idle = windows.filter(|window| !window.is_closed() && window.used.load(Relaxed) == 0);
        idle.inspect(|window| window.close()).count()
    }

    /// Returns whether a window is open, or is being opened again and was not given up.
    pub(crate) fn is_usable(&self) -> bool {
        let is_usable = |slot: &EngineSlot| {
            let attempts = slot.attempts.lock().unwrap_or_else(PoisonError::into_inner);
            !slot.current().is_closed() || attempts.failed < REOPEN_WAITS.len()
        };
        self.slots.iter().any(is_usable)
    }

    /// Opens windows in place of closed ones whose wait is over.
    pub(crate) fn reopen(&self, now: Instant) {
        for (engine, slot) in self.slots.iter().enumerate().filter(|(_, slot)| slot.current().is_closed()) {
            let mut attempts = slot.attempts.lock().unwrap_or_else(PoisonError::into_inner);
            let wait = REOPEN_WAITS[attempts.failed.min(REOPEN_WAITS.len() - 1)];
            // Another thread may have opened it meanwhile.
            if !slot.current().is_closed() || now < *attempts.next.get_or_insert(now + wait) {
                continue;
            }
            match (self.opener)(engine) {
                Ok(window) => {
                    let window = OpenWindow::new(window, self.in_flight);
                    *slot.current.write().unwrap_or_else(PoisonError::into_inner) = window;
                    *attempts = Attempts::default();
                    count(&self.counters.reopened);
                }
                Err(error) => {
                    log::debug!("window of engine {engine}: {error}");
                    attempts.failed += 1;
                    attempts.next = None;
                }
            }
        }
    }
}
