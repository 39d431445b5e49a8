//! Open queues of a process and of its forked children.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use super::{Common, JOBS_PER_ENGINE};
use crate::options::Options;
use crate::portal::Portal;
use crate::queue::WorkQueues;

/// Minimum time between two attempts to open the queues, so that a device that fails at once is not
/// reopened in a loop.
const REST: Duration = Duration::from_secs(1);

/// Queues with the process that may use them.
pub(super) struct OpenQueues {
    process: u32,
    since: Instant,
    common: Arc<Common>,
    queue: Option<WorkQueues>,
    /// Queues that were opened later, in a forked process or after all of these were closed.
    next: OnceLock<Box<OpenQueues>>,
    /// Time of the last failed attempt to open them.
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

    /// Returns the queues of this process. Opens them again in a forked process, or if all were
    /// closed. After a failure it tries again after [`REST`].
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
        // Another thread may have opened them, or failed to, in the meantime.
        if self.next.get().is_some() || failed.is_some_and(|at| at.elapsed() < REST) {
            return;
        }
        let options = &self.common.options;
        let portals = options.opener.as_ref().and_then(|opener| opener().ok());
        match portals.filter(|portals| !portals.is_empty()) {
            Some(portals) => {
                let opened = Box::new(OpenQueues::new(queue(portals, options), &self.common));
                // Under the lock, no other thread can have set it.
                let _ = self.next.set(opened);
            }
            None => *failed = Some(Instant::now()),
        }
    }
}

impl Drop for OpenQueues {
    fn drop(&mut self) {
        if (self.common.options.process)() != self.process {
            // A forked process has no worker threads to wait for, and its parent owns the
            // operations in flight.
            std::mem::forget(self.queue.take());
        }
    }
}

pub(super) fn queue(portals: Vec<Arc<dyn Portal>>, options: &Options) -> WorkQueues {
    WorkQueues::new(portals, options.engines * JOBS_PER_ENGINE, options.wait.clone())
}
