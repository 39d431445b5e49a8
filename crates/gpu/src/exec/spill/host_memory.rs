//! Host memory that rows are set aside in, for all queries on a GPU together.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use bytes::Bytes;

/// Parts that rows are dealt out to: `SPILL_PARTS` of query/spill.cuh.
pub(super) const PARTS: u64 = 64;

/// So many bytes, and how many of them are taken.
#[derive(Debug)]
pub(in crate::exec) struct HostBudget {
    limit: u64,
    taken: AtomicU64,
}

/// Some of them, given back when it is dropped.
#[derive(Debug)]
pub(in crate::exec) struct HostReservation {
    of: Arc<HostBudget>,
    pub bytes: u64,
}

impl HostBudget {
    pub fn new(limit: u64) -> Arc<Self> {
        Arc::new(Self { limit, taken: AtomicU64::new(0) })
    }

    /// Whether rows may be set aside at all.
    pub fn is_allowed(&self) -> bool {
        self.limit > 0
    }

    /// Takes some bytes; `None`: there are not so many left.
    pub fn take(self: &Arc<Self>, bytes: u64) -> Option<HostReservation> {
        let more = |taken: u64| taken.checked_add(bytes).filter(|taken| *taken <= self.limit);
        self.taken.fetch_update(Relaxed, Relaxed, more).ok()?;
        Some(HostReservation { of: self.clone(), bytes })
    }
}

impl Drop for HostReservation {
    fn drop(&mut self) {
        self.of.taken.fetch_sub(self.bytes, Relaxed);
    }
}

/// What one launch made, dealt out to parts that lie one after the other.
#[derive(Debug)]
pub(in crate::exec) struct Piece {
    /// Where each part's rows begin, and where the last ends; the same of the bytes of strings.
    pub rows: Vec<u64>,
    pub strings: Vec<u64>,
    /// For each column its values and, if it can be null, a byte a row that says whether there is
    /// one.
    pub columns: Vec<(Bytes, Option<Bytes>)>,
    /// The bytes of all strings, whose addresses are places in it.
    pub heap: Bytes,
    /// What it takes of the memory for rows that are set aside.
    pub room: HostReservation,
}

impl Piece {
    /// Rows of all parts.
    pub fn all_rows(&self) -> u64 {
        self.rows.last().copied().unwrap_or(0)
    }

    /// The rows of some parts, and where the bytes of their strings are.
    pub fn part(&self, places: &Range<usize>) -> (Range<u64>, Range<u64>) {
        (self.rows[places.start]..self.rows[places.end], self.strings[places.start]..self.strings[places.end])
    }
}

/// Where parts begin, and where the last ends, of so many each.
pub(super) fn starts(counts: &[u64]) -> Vec<u64> {
    let mut starts = Vec::with_capacity(PARTS as usize + 1);
    let mut at = 0;
    starts.push(at);
    for count in counts {
        at += count;
        starts.push(at);
    }
    starts
}

#[cfg(test)]
mod tests;
