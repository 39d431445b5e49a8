//! Work queue with the count of its descriptors in flight.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering::*};
use std::thread;

use crate::portal::{Capabilities, Portal};

const OPEN: u8 = 0;
const CLOSING: u8 = 1;
const CLOSED: u8 = 2;

/// A portal with the number of descriptors in flight.
///
/// A dedicated queue drops descriptors without notice when it is full, so the driver counts. For
/// other queues the limit keeps jobs in the driver, where they can still be cancelled or go to
/// another device.
pub(crate) struct WorkQueue {
    portal: Arc<dyn Portal>,
    max_in_flight: usize,
    in_flight: AtomicUsize,
    state: AtomicU8,
}

impl WorkQueue {
    /// Returns a queue with at most `max_in_flight` descriptors, or its depth if that is less.
    pub(crate) fn new(portal: Arc<dyn Portal>, max_in_flight: usize) -> Arc<WorkQueue> {
        let max_in_flight = max_in_flight.min(portal.capabilities().depth).max(1);
        let (in_flight, state) = (AtomicUsize::new(0), AtomicU8::new(OPEN));
        Arc::new(WorkQueue { portal, max_in_flight, in_flight, state })
    }

    pub(crate) fn capabilities(&self) -> &Capabilities {
        self.portal.capabilities()
    }

    pub(crate) fn portal(&self) -> &dyn Portal {
        &*self.portal
    }

    /// Returns the maximum number of descriptors in flight.
    pub(crate) fn max_in_flight(&self) -> usize {
        self.max_in_flight
    }

    /// Returns how many more descriptors can be in flight.
    pub(crate) fn free(&self) -> usize {
        if self.is_open() { self.max_in_flight.saturating_sub(self.in_flight.load(Relaxed)) } else { 0 }
    }

    /// Reserves up to `wanted` descriptors, and returns the number reserved.
    pub(crate) fn reserve(&self, wanted: usize) -> usize {
        let mut taken = 0;
        let take = |in_flight: usize| {
            taken = wanted.min(self.max_in_flight.saturating_sub(in_flight));
            (taken > 0).then_some(in_flight + taken)
        };
        match self.in_flight.fetch_update(Relaxed, Relaxed, take) {
            Ok(_) => taken,
            Err(_) => 0,
        }
    }

    /// Gives up reservations of descriptors that were not submitted or have completed.
    pub(crate) fn release(&self, count: usize) {
        self.in_flight.fetch_sub(count, Relaxed);
    }

    /// Returns whether descriptors may be submitted.
    pub(crate) fn is_open(&self) -> bool {
        self.state.load(Acquire) == OPEN
    }

    /// Returns whether the device has stopped to access memory named to this queue.
    pub(crate) fn is_closed(&self) -> bool {
        self.state.load(Acquire) == CLOSED
    }

    /// Closes the queue. After the return, the device does not access memory named to it. If
    /// several threads call this at once, one closes the portal and the others wait for it.
    pub(crate) fn close(&self) {
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

/// Returns the open queue with the largest free share, preferring queues of the NUMA node.
pub(crate) fn choose(work_queues: &[Arc<WorkQueue>], node: Option<u32>) -> Option<&Arc<WorkQueue>> {
    let is_near = |queue: &WorkQueue| node.is_some() && queue.capabilities().node == node;
    work_queues
        .iter()
        .filter(|queue| queue.free() > 0)
        .max_by_key(|queue| (is_near(queue), queue.free() * 1024 / queue.max_in_flight()))
}

#[cfg(test)]
mod tests;
