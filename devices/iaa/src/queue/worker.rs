//! The thread that hands in jobs and sees to it that their results get back.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed};
use std::time::{Duration, Instant};

use pelton_job::{Failure, Task};

use super::flight::{Flight, Next};
use super::inbox::Inbox;
use super::lane::{Lane, choose};
use super::owned::Owned;
use super::submit::submit;
use super::wait::{Idle, Wait};
use crate::error::IaaError;
use crate::operations::Output;

/// How a job becomes a flight: what the device knows and the queue does not.
pub(crate) trait Pilot: Send + Sync {
    /// The flight of a job.
    fn flight(&self, owned: Owned, now: Instant) -> Flight<Owned>;

    /// What became of a job, before the router is told.
    fn ended(&self, owned: &Owned, result: &Result<Output, IaaError>);
}

/// All that is in flight on the lanes of one worker. No other thread sees it.
pub(crate) struct Worker {
    pub(crate) inbox: Arc<Inbox>,
    pub(crate) lanes: Vec<Arc<Lane>>,
    pub(crate) pilot: Arc<dyn Pilot>,
    pub(crate) wait: Wait,
    /// To be handed in.
    pub(crate) ready: VecDeque<Flight<Owned>>,
    pub(crate) flying: Vec<Flight<Owned>>,
}

impl Worker {
    /// What the thread does, until the inbox is closed and all jobs are over.
    pub(crate) fn run(mut self) {
        let mut since = Instant::now();
        loop {
            let started = self.start();
            let launched = self.launch();
            let landed = self.land();
            if started + launched + landed > 0 {
                since = Instant::now();
                continue;
            }
            if self.ready.is_empty() && self.flying.is_empty() {
                if !self.inbox.wait_for_tasks() {
                    return;
                }
                since = Instant::now();
            } else {
                let now = Instant::now();
                self.expire(now);
                self.idle(now, since);
            }
        }
    }

    /// Starts as many tasks as there is room for.
    fn start(&mut self) -> usize {
        if self.inbox.waiting.load(Acquire) == 0 {
            return 0;
        }
        if !self.lanes.iter().any(|lane| lane.is_open()) {
            return self.refuse_all();
        }
        let tasks = self.inbox.take(self.room());
        let taken = tasks.len();
        for task in tasks {
            let Some(running) = task.start() else {
                self.inbox.load.fetch_sub(1, Relaxed);
                continue;
            };
            let mut flight = self.pilot.flight(Owned::new(running), Instant::now());
            match flight.begin() {
                Next::Again => self.ready.push_back(flight),
                Next::Done(result) => self.finish(flight, result),
            }
        }
        taken
    }

    /// No queue is left: whatever waits goes to another device.
    fn refuse_all(&mut self) -> usize {
        let tasks = self.inbox.take(usize::MAX);
        let taken = tasks.len();
        for running in tasks.into_iter().filter_map(Task::start) {
            running.finish(Err(Failure::Lost(IaaError::Closed.to_string().into())));
        }
        self.inbox.load.fetch_sub(taken, Relaxed);
        taken
    }

    /// Jobs that could be handed in beside those that are ready.
    fn room(&self) -> usize {
        let free: usize = self.lanes.iter().map(|lane| lane.free()).sum();
        free.saturating_sub(self.ready.len())
    }

    /// Hands in what is ready, as long as there is room.
    fn launch(&mut self) -> usize {
        let mut launched = 0;
        while !self.ready.is_empty() {
            let Some(lane) = choose(&self.lanes, None) else { break };
            match submit(lane, self.ready.iter_mut()) {
                // Full, though it had room by our count: others use it too.
                Ok(0) => break,
                Ok(taken) => {
                    self.flying.extend(self.ready.drain(..taken));
                    launched += taken;
                }
                Err(error @ IaaError::Invalid(_)) => {
                    let Some(flight) = self.ready.pop_front() else { break };
                    self.finish(flight, Err(error));
                }
                // It is set aside; the next round finds another, or none.
                Err(_) => {}
            }
        }
        if !self.ready.is_empty() && !self.lanes.iter().any(|lane| lane.is_open()) {
            for flight in std::mem::take(&mut self.ready) {
                self.finish(flight, Err(IaaError::Closed));
            }
        }
        launched
    }

    /// Takes the answers that are there.
    fn land(&mut self) -> usize {
        let mut landed = 0;
        let mut at = 0;
        while at < self.flying.len() {
            if !self.flying[at].has_landed() {
                at += 1;
                continue;
            }
            landed += 1;
            let mut flight = self.flying.swap_remove(at);
            match flight.land() {
                Some(Next::Done(result)) => self.finish(flight, result),
                Some(Next::Again) => self.ready.push_back(flight),
                None => self.flying.push(flight),
            }
        }
        landed
    }

    /// Gives up what has taken too long, and whatever else its queue had.
    fn expire(&mut self, now: Instant) {
        for flight in self.flying.iter().filter(|flight| now >= flight.deadline) {
            if let Some(lane) = flight.lane() {
                lane.set_aside();
            }
        }
        let mut at = 0;
        while at < self.flying.len() {
            if !self.flying[at].lane().is_none_or(|lane| lane.is_closed()) {
                at += 1;
                continue;
            }
            let mut flight = self.flying.swap_remove(at);
            let error = if now >= flight.deadline { IaaError::Unanswered } else { IaaError::Closed };
            match flight.give_up(error) {
                Next::Done(result) => self.finish(flight, result),
                Next::Again => self.ready.push_back(flight),
            }
        }
        while let Some(at) = self.ready.iter().position(|flight| now >= flight.deadline) {
            let Some(flight) = self.ready.remove(at) else { break };
            self.finish(flight, Err(IaaError::QueueFull));
        }
    }

    fn idle(&self, now: Instant, since: Instant) {
        let idle = now - since;
        let oldest = self.flying.first();
        let expected = oldest.map_or(Duration::ZERO, |flight| flight.expected).saturating_sub(idle);
        match (self.wait.idle(idle, expected), oldest, &self.wait.pause) {
            (Idle::Spin, ..) => std::hint::spin_loop(),
            (Idle::Pause(most), Some(flight), Some(pause)) => {
                pause.pause(flight.record().status_cell(), most)
            }
            (Idle::Yield | Idle::Pause(_), ..) => std::thread::yield_now(),
            (Idle::Sleep(time), ..) => self.inbox.sleep(time, self.room() > 0),
        }
    }

    /// Tells the router. This may call `submit` of the device again.
    fn finish(&self, flight: Flight<Owned>, result: Result<Output, IaaError>) {
        let owned = flight.into_buffers();
        self.pilot.ended(&owned, &result);
        owned.finish(result);
        self.inbox.load.fetch_sub(1, Relaxed);
    }
}
