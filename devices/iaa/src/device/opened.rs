//! The queues that a process has open, and those of its forks.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use super::{Common, JOBS_PER_ENGINE};
use crate::options::Options;
use crate::portal::Portal;
use crate::queue::Queue;

/// Queues that were all set aside are opened again when they are so old: not faster than a device that fails at once fails.
const REST: Duration = Duration::from_secs(1);

/// Queues, and the process that may use them.
pub(super) struct Opened {
    process: u32,
    since: Instant,
    common: Arc<Common>,
    queue: Option<Queue>,
    /// What was opened after it: by a fork, or because all of these were set aside.
    next: OnceLock<Option<Box<Opened>>>,
}

impl Opened {
    pub(super) fn new(queue: Queue, common: &Arc<Common>) -> Opened {
        let process = (common.options.process)();
        let (common, next) = (Arc::clone(common), OnceLock::new());
        Opened { process, since: Instant::now(), common, queue: Some(queue), next }
    }

    /// This process's queues. They are opened again if this is a fork that has none yet, or if all were set aside; where that
    /// fails, it is not tried another time.
    pub(super) fn here(&self) -> Option<&Queue> {
        let own = self.queue.as_ref().filter(|_| (self.common.options.process)() == self.process);
        if own.is_some_and(|queue| queue.lanes().1 > 0 || self.since.elapsed() < REST) {
            return own;
        }
        let open = || {
            let options = &self.common.options;
            let portals = (options.opener.as_ref()?)().ok().filter(|portals| !portals.is_empty())?;
            Some(Box::new(Opened::new(queue(portals, options), &self.common)))
        };
        match self.next.get_or_init(open) {
            Some(next) => next.here(),
            None => own,
        }
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        if (self.common.options.process)() != self.process {
            // A fork has not the threads that would have to be waited for, and what is in flight is not its own.
            std::mem::forget(self.queue.take());
        }
    }
}

pub(super) fn queue(portals: Vec<Arc<dyn Portal>>, options: &Options) -> Queue {
    Queue::new(portals, options.engines * JOBS_PER_ENGINE, options.wait.clone())
}
