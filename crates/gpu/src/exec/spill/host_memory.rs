//! Host memory for spilled rows, with one budget for all queries on a GPU.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use bytes::Bytes;

/// Number of parts that rows are partitioned into: `SPILL_PARTS` of query/spill.cuh.
pub(super) const PARTS: u64 = 64;

/// Limit on the bytes of spilled rows, and the bytes in use.
#[derive(Debug)]
pub(in crate::exec) struct HostBudget {
    limit: u64,
    taken: AtomicU64,
}

/// Reserved bytes, released when dropped.
#[derive(Debug)]
pub(in crate::exec) struct HostReservation {
    of: Arc<HostBudget>,
    pub bytes: u64,
}

impl HostBudget {
    pub fn new(limit: u64) -> Arc<Self> {
        Arc::new(Self { limit, taken: AtomicU64::new(0) })
    }

    /// Returns whether rows may be spilled at all.
    pub fn is_allowed(&self) -> bool {
        self.limit > 0
    }

    /// Reserves bytes. `None` if the limit would be passed.
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

/// Rows of one launch, partitioned. The parts lie one after the other.
#[derive(Debug)]
pub(in crate::exec) struct Piece {
    /// The first row of each part, and the end of the last; then the same for the bytes of strings.
    pub rows: Vec<u64>,
    pub strings: Vec<u64>,
    /// For each column its values and, if it can be null, its valid flags, a byte for each row.
    pub columns: Vec<(Bytes, Option<Bytes>)>,
    /// The bytes of all strings. Their addresses are offsets into it.
    pub heap: Bytes,
    /// The memory that it takes of the budget.
    pub room: HostReservation,
}

impl Piece {
    /// Returns the rows of all parts.
    pub fn all_rows(&self) -> u64 {
        self.rows.last().copied().unwrap_or(0)
    }

    /// Returns the rows of some parts, and the bytes of their strings.
    pub fn part(&self, places: &Range<usize>) -> (Range<u64>, Range<u64>) {
        (self.rows[places.start]..self.rows[places.end], self.strings[places.start]..self.strings[places.end])
    }
}

/// Returns the beginning of each part, and the end of the last, from the parts' counts.
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
