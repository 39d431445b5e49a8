//! How much is in flight: what is handed to devices at once, and what waits.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::queue::batch_state::Slots;
use crate::queue::in_flight::Claim;

/// What a router may have in flight, and what one job may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of inputs and declared outputs of the jobs that are with devices. Jobs beyond wait in the
    /// router. A job that is larger by itself runs alone. Those of [attended](crate::Batch::caller_runs) batches are not counted. Outcomes that wait to be taken are not counted:
    /// they are the holder's. Half as much again may be kept of inputs and outcomes that were dropped, as memory
    /// for new ones.
    pub bytes_in_flight: usize,
    /// Bytes of output that one job may declare. A job that declares more fails, and nothing is allocated for
    /// it.
    pub output_per_job: usize,
}

impl Default for Limits {
    /// 256 MiB in flight: 128 pages of 1 MiB, compressed and not, enough to keep 64 lanes busy. 1 GiB for one
    /// job: half of what a Parquet page header can name, and far more than any writer puts in a page unless
    /// one value is that large.
    fn default() -> Limits {
        Limits { bytes_in_flight: 256 << 20, output_per_job: 1 << 30 }
    }
}

/// A batch of which some jobs were not handed out yet.
struct Waiting {
    slots: Arc<Slots>,
    next: usize,
}

/// A job that may go to a device now.
pub(crate) enum Admitted {
    /// For the first time.
    New { slots: Arc<Slots>, index: usize, bytes: usize },
    /// Again, after a device failed.
    Again(Claim),
}

/// The router's queue and its account of bytes.
#[derive(Default)]
pub(crate) struct Flow {
    backlog: VecDeque<Waiting>,
    again: VecDeque<Claim>,
    /// Bytes of jobs that are with devices or in `again`.
    pub(crate) bytes: usize,
    /// The most bytes that there ever were.
    pub(crate) peak: usize,
    /// A thread is handing out jobs and will look again before it ends.
    pub(crate) pumping: bool,
}

impl Flow {
    /// Queue a batch behind the others.
    pub(crate) fn push(&mut self, slots: Arc<Slots>) {
        if slots.len() > 0 {
            self.backlog.push_back(Waiting { slots, next: 0 });
        }
    }

    /// Queue a job that has its bytes already, before all others.
    pub(crate) fn push_again(&mut self, claim: Claim) {
        self.again.push_back(claim);
    }

    /// Forget what waits of a cancelled batch.
    pub(crate) fn forget(&mut self, slots: &Arc<Slots>) {
        self.backlog.retain(|waiting| !Arc::ptr_eq(&waiting.slots, slots));
    }

    /// Jobs that wait.
    pub(crate) fn waiting(&self) -> usize {
        self.backlog.iter().map(|waiting| waiting.slots.len() - waiting.next).sum()
    }

    /// Give the bytes of a job back.
    pub(crate) fn release(&mut self, bytes: usize) {
        self.bytes -= bytes;
    }

    /// Take out what may go to devices now, first come first served.
    pub(crate) fn admit(&mut self, limit: usize) -> Vec<Admitted> {
        let mut admitted: Vec<Admitted> = self.again.drain(..).map(Admitted::Again).collect();
        while let Some(waiting) = self.backlog.front_mut() {
            let bytes = waiting.slots.bytes(waiting.next);
            let fits = self.bytes.checked_add(bytes).is_some_and(|sum| sum <= limit);
            // Jobs of attended batches have no bytes. They may be with a device for long, until their holder comes, who may be waiting for the
            // very job that would have to wait for them: so they neither wait for others nor do others for them.
            if self.bytes > 0 && bytes > 0 && !fits {
                break;
            }
            self.bytes += bytes;
            self.peak = self.peak.max(self.bytes);
            admitted.push(Admitted::New { slots: Arc::clone(&waiting.slots), index: waiting.next, bytes });
            waiting.next += 1;
            if waiting.next == waiting.slots.len() {
                self.backlog.pop_front();
            }
        }
        admitted
    }
}
