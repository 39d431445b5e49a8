//! The queues that a process has open, and those of its forks.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use super::{Common, JOBS_PER_ENGINE};
use crate::options::Options;
use crate::portal::Portal;
use crate::queue::WorkQueues;

/// Queues that were all set aside are opened again when they are so old: not faster than a device
/// that fails at once fails.
const REST: Duration = Duration::from_secs(1);

/// Queues, and the process that may use them.
pub(super) struct OpenQueues {
    process: u32,
    since: Instant,
    common: Arc<Common>,
    queue: Option<WorkQueues>,
    /// What was opened after it: by a fork, or because all of these were set aside.
    next: OnceLock<Box<OpenQueues>>,
    /// When that failed last.
    failed: Mutex<Option<Instant>>,
}

impl OpenQueues {
    pub(super) fn new(queue: WorkQueues, common: &Arc<Common>) -> OpenQueues {
        let process = (common.options.process)();
        let (common, queue) = (Arc::clone(common), Some(queue));
        OpenQueues {
            process,
            since: Instant::now(),
            common,
            queue,
            next: OnceLock::new(),
            failed: Mutex::default(),
        }
    }

    /// This process's queues. They are opened again if this is a fork that has none yet, or if all
    /// were set aside; where that fails, it is tried another time after a [`REST`].
    pub(super) fn here(&self) -> Option<&WorkQueues> {
        let own = self.queue.as_ref().filter(|_| (self.common.options.process)() == self.process);
        if own.is_some_and(|queue| queue.counts().1 > 0 || self.since.elapsed() < REST) {
            return own;
        }
        if self.next.get().is_none() {
            self.open_next();
        }
        match self.next.get() {
            Some(next) => next.here(),
            None => own,
        }
    }

    fn open_next(&self) {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have opened them, or tried to, while this one waited.
        if self.next.get().is_some() || failed.is_some_and(|at| at.elapsed() < REST) {
            return;
        }
        let options = &self.common.options;
        let portals = options.opener.as_ref().and_then(|opener| opener().ok());
        match portals.filter(|portals| !portals.is_empty()) {
            Some(portals) => {
                let opened = Box::new(OpenQueues::new(queue(portals, options), &self.common));
                // The lock is held, so that nobody else has set it.
                let _ = self.next.set(opened);
            }
            None => *failed = Some(Instant::now()),
        }
    }
}

impl Drop for OpenQueues {
    fn drop(&mut self) {
        if (self.common.options.process)() != self.process {
            // A fork has not the threads that would have to be waited for, and what is in flight is
            // not its own.
            std::mem::forget(self.queue.take());
        }
    }
}

pub(super) fn queue(portals: Vec<Arc<dyn Portal>>, options: &Options) -> WorkQueues {
    WorkQueues::new(portals, options.engines * JOBS_PER_ENGINE, options.wait.clone())
}
