//! The thread that hands in jobs and sees to it that their results get back.

use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed};

use pelton_job::{Failure, Task};

use super::flight::Flight;
use super::inbox::Inbox;
use super::owned::Owned;
use super::traffic::{Ended, Traffic};
use super::wait::Wait;
use crate::error::IaaError;
use crate::operations::Output;

/// How a job becomes a flight: what the device knows and the queue does not.
pub(crate) trait Pilot: Send + Sync {
    /// The flight of a job.
    fn flight(&self, owned: Owned) -> Flight<Owned>;

    /// What became of a job, before the router is told.
    fn ended(&self, owned: &Owned, result: &Result<Output, IaaError>);
}

/// All that is in flight on the lanes of one worker. No other thread sees it.
pub(super) struct Worker {
    pub(super) inbox: Arc<Inbox>,
    pub(super) traffic: Traffic<Owned>,
    pub(super) pilot: Arc<dyn Pilot>,
    pub(super) wait: Wait,
}

impl Worker {
    /// What the thread does, until the inbox is closed and all jobs are over.
    pub(super) fn run(mut self) {
        loop {
            let started = self.start();
            let moved = self.traffic.advance();
            for ended in std::mem::take(&mut self.traffic.ended) {
                self.finish(ended);
            }
            if started || moved {
                continue;
            }
            if self.traffic.len() == 0 {
                if !self.inbox.wait_for_tasks() {
                    return;
                }
                self.traffic.wake();
            } else if let Some(time) = self.traffic.idle(&self.wait) {
                self.inbox.sleep(time, self.traffic.room() > 0);
            }
        }
    }

    /// Starts as many tasks as there is room for.
    fn start(&mut self) -> bool {
        if self.inbox.waiting.load(Acquire) == 0 {
            return false;
        }
        if !self.traffic.has_lane() {
            self.refuse_all();
            return true;
        }
        let tasks = self.inbox.take(self.traffic.room());
        let any = !tasks.is_empty();
        for task in tasks {
            match task.start() {
                Some(running) => {
                    self.traffic.admit(self.pilot.flight(Owned::new(running)));
                }
                // It was cancelled.
                None => self.inbox.ended(1),
            }
        }
        any
    }

    /// No queue is left: whatever waits goes to another device.
    fn refuse_all(&mut self) {
        let tasks = self.inbox.take(usize::MAX);
        self.inbox.ended(tasks.len());
        for running in tasks.into_iter().filter_map(Task::start) {
            running.finish(Err(Failure::Lost(IaaError::Closed.to_string().into())));
        }
    }

    /// Tells the router. This may call `submit` of the device again.
    fn finish(&self, (flight, result): Ended<Owned>) {
        let owned = flight.into_buffers();
        self.pilot.ended(&owned, &result);
        self.inbox.ended(1);
        owned.finish(result);
    }
}

impl Inbox {
    /// So many jobs are over.
    fn ended(&self, count: usize) {
        self.load.fetch_sub(count, Relaxed);
    }
}
