//! Flights of one thread: those that are to be handed in, and those that the device has.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::flight::{Flight, Next};
use super::lane::{Lane, choose};
use super::memory::Buffers;
use super::submit::submit;
use super::wait::{Idle, Wait};
use crate::error::IaaError;
use crate::operations::Output;

/// A flight that is over.
pub(super) type Ended<B> = (Flight<B>, Result<Output, IaaError>);

/// See the module.
pub(super) struct Traffic<B: Buffers> {
    lanes: Vec<Arc<Lane>>,
    /// The NUMA node whose lanes come first.
    node: Option<u32>,
    ready: VecDeque<Flight<B>>,
    flying: Vec<Flight<B>>,
    pub(super) ended: Vec<Ended<B>>,
    /// When something last happened.
    since: Instant,
}

impl<B: Buffers> Traffic<B> {
    pub(super) fn new(lanes: Vec<Arc<Lane>>, node: Option<u32>) -> Traffic<B> {
        let (ready, flying, ended) = (VecDeque::new(), Vec::new(), Vec::new());
        Traffic { lanes, node, ready, flying, ended, since: Instant::now() }
    }

    /// Whether descriptors can still go anywhere.
    pub(super) fn has_lane(&self) -> bool {
        self.lanes.iter().any(|lane| lane.is_open())
    }

    /// Flights that could be handed in beside those that are ready.
    pub(super) fn room(&self) -> usize {
        let free: usize = self.lanes.iter().map(|lane| lane.free()).sum();
        free.saturating_sub(self.ready.len())
    }

    /// Flights that are not over.
    pub(super) fn len(&self) -> usize {
        self.ready.len() + self.flying.len()
    }

    /// Makes a flight's first descriptor.
    pub(super) fn admit(&mut self, mut flight: Flight<B>) {
        let next = flight.begin();
        self.follow(flight, next);
    }

    fn follow(&mut self, flight: Flight<B>, next: Next) {
        match next {
            Next::Again => self.ready.push_back(flight),
            Next::Done(result) => self.ended.push((flight, result)),
        }
    }

    /// Hands in what there is room for and takes the answers that are there. False: nothing has
    /// happened.
    pub(super) fn advance(&mut self) -> bool {
        let moved = self.launch() + self.land() + self.ended.len() > 0;
        if moved {
            self.since = Instant::now();
        }
        moved
    }

    fn launch(&mut self) -> usize {
        let mut launched = 0;
        while !self.ready.is_empty() {
            let Some(lane) = choose(&self.lanes, self.node) else { break };
            match submit(lane, self.ready.iter_mut()) {
                // Full, though it had room by our count: others use it too.
                Ok(0) => break,
                Ok(taken) => {
                    self.flying.extend(self.ready.drain(..taken));
                    launched += taken;
                }
                Err(error @ IaaError::Invalid(_)) => {
                    let Some(flight) = self.ready.pop_front() else { break };
                    self.ended.push((flight, Err(error)));
                }
                // It is set aside; the next round finds another, or none.
                Err(_) => {}
            }
        }
        if !self.ready.is_empty() && !self.has_lane() {
            self.ended.extend(self.ready.drain(..).map(|flight| (flight, Err(IaaError::Closed))));
        }
        launched
    }

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
                Some(next) => self.follow(flight, next),
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
            let next = flight.give_up(error);
            self.follow(flight, next);
        }
        while let Some(at) = self.ready.iter().position(|flight| now >= flight.deadline) {
            let Some(flight) = self.ready.remove(at) else { break };
            self.ended.push((flight, Err(IaaError::QueueFull)));
        }
    }

    /// Waits a little, after nothing has happened. Returns how long to sleep, if it is time for
    /// that.
    pub(super) fn idle(&mut self, wait: &Wait) -> Option<Duration> {
        let now = Instant::now();
        self.expire(now);
        if !self.ended.is_empty() {
            return None;
        }
        let idle = now - self.since;
        let oldest = self.flying.first();
        let expected = oldest.map_or(Duration::ZERO, |flight| flight.expected).saturating_sub(idle);
        match (wait.idle(idle, expected), oldest, &wait.pause) {
            (Idle::Spin, ..) => std::hint::spin_loop(),
            (Idle::Pause(most), Some(flight), Some(pause)) => {
                pause.pause(flight.record().status_cell(), most)
            }
            (Idle::Yield | Idle::Pause(_), ..) => std::thread::yield_now(),
            (Idle::Sleep(time), ..) => return Some(time),
        }
        None
    }

    /// Something is about to happen after a long rest.
    pub(super) fn wake(&mut self) {
        self.since = Instant::now();
    }
}

#[cfg(test)]
mod tests;
