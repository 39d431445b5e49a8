//! A work queue that descriptors are handed to, how many it has, and how it is given up.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering::*};
use std::thread;

use crate::portal::{Capabilities, Portal};

const OPEN: u8 = 0;
const CLOSING: u8 = 1;
const CLOSED: u8 = 2;

/// A portal, with what the driver has in flight there.
///
/// A dedicated queue says nothing when it is full and drops what is too much, so the driver counts.
/// For the others the count is what keeps jobs from waiting in the device where they might still be
/// cancelled, or go elsewhere.
pub(crate) struct Lane {
    portal: Arc<dyn Portal>,
    most: usize,
    in_flight: AtomicUsize,
    state: AtomicU8,
}

impl Lane {
    /// A lane with at most so many descriptors in flight, and never more than its queue holds.
    pub(crate) fn new(portal: Arc<dyn Portal>, most: usize) -> Arc<Lane> {
        let most = most.min(portal.capabilities().depth).max(1);
        Arc::new(Lane { portal, most, in_flight: AtomicUsize::new(0), state: AtomicU8::new(OPEN) })
    }

    pub(crate) fn capabilities(&self) -> &Capabilities {
        self.portal.capabilities()
    }

    pub(crate) fn portal(&self) -> &dyn Portal {
        &*self.portal
    }

    /// Most descriptors in flight.
    pub(crate) fn most(&self) -> usize {
        self.most
    }

    /// Descriptors that still have room.
    pub(crate) fn free(&self) -> usize {
        if self.is_open() { self.most.saturating_sub(self.in_flight.load(Relaxed)) } else { 0 }
    }

    /// Takes room for up to so many, and returns for how many there was.
    pub(crate) fn reserve(&self, wanted: usize) -> usize {
        let mut taken = 0;
        let take = |in_flight: usize| {
            taken = wanted.min(self.most.saturating_sub(in_flight));
            (taken > 0).then_some(in_flight + taken)
        };
        match self.in_flight.fetch_update(Relaxed, Relaxed, take) {
            Ok(_) => taken,
            Err(_) => 0,
        }
    }

    /// Gives room back, of descriptors that were not handed in or have ended.
    pub(crate) fn release(&self, count: usize) {
        self.in_flight.fetch_sub(count, Relaxed);
    }

    /// Whether descriptors may be handed in.
    pub(crate) fn is_open(&self) -> bool {
        self.state.load(Acquire) == OPEN
    }

    /// Whether the device touches nothing any more that was named to this lane.
    pub(crate) fn is_closed(&self) -> bool {
        self.state.load(Acquire) == CLOSED
    }

    /// Gives the queue up. When this returns, the device touches nothing any more that was named to
    /// it, whoever did that: of several threads that come here at once, one closes the portal and
    /// the others wait for it.
    pub(crate) fn set_aside(&self) {
        match self.state.compare_exchange(OPEN, CLOSING, AcqRel, Acquire) {
            Ok(_) => {
                self.portal.close();
                self.state.store(CLOSED, Release);
            }
            Err(_) => {
                while !self.is_closed() {
                    thread::yield_now();
                }
            }
        }
    }
}

/// The open lane with the most room for its size, on the node if there is room there.
pub(crate) fn choose(lanes: &[Arc<Lane>], node: Option<u32>) -> Option<&Arc<Lane>> {
    let is_near = |lane: &Lane| node.is_some() && lane.capabilities().node == node;
    lanes
        .iter()
        .filter(|lane| lane.free() > 0)
        .max_by_key(|lane| (is_near(lane), lane.free() * 1024 / lane.most()))
}

#[cfg(test)]
mod tests;
