//! Memory pool of one aggregate, which gets the memory that it holds already.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use datafusion::error::Result;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation};

use crate::plan::memory::LimitedPool;

/// The session's pool, for an aggregate of DataFusion's.
///
/// Such an aggregate asks for memory after it has taken it. A refusal has it write its groups to
/// disk, or emit them. It then asks for the tables that remain, and at the end of its input for the
/// columns of all groups, or for a batch of each of the files that it merges: a refusal ends the
/// query. These requests are given what is free, beyond the operator's share.
#[derive(Debug)]
pub(super) struct OutputPool {
    pool: Arc<dyn MemoryPool>,
    /// True once the aggregate has read all rows.
    has_ended: Arc<AtomicBool>,
    /// True once memory was refused: groups are on disk, or were emitted.
    has_written: AtomicBool,
    /// True if the latest request was refused.
    was_refused: AtomicBool,
}

impl OutputPool {
    /// Returns the pool of an aggregate.
    pub fn new(pool: Arc<dyn MemoryPool>, has_ended: Arc<AtomicBool>) -> Self {
        let (has_written, was_refused) = (AtomicBool::new(false), AtomicBool::new(false));
        Self { pool, has_ended, has_written, was_refused }
    }

    /// Gives bytes that the aggregate can't do without. Returns false, and gives none, if it can,
    /// or if they are taken.
    fn gives(&self, reservation: &MemoryReservation, additional: usize) -> bool {
        let Some(limited) = self.pool.downcast_ref::<LimitedPool>() else { return false };
        let has_ended = self.has_ended.load(Relaxed);
        let merges = has_ended && self.has_written.load(Relaxed);
        let is_needed = has_ended || self.was_refused.load(Relaxed);
        is_needed && limited.grow_if_free(reservation, additional, merges)
    }
}

impl fmt::Display for OutputPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pool.fmt(f)
    }
}

impl MemoryPool for OutputPool {
    fn name(&self) -> &str {
        self.pool.name()
    }

    fn register(&self, consumer: &MemoryConsumer) {
        self.pool.register(consumer);
    }

    fn unregister(&self, consumer: &MemoryConsumer) {
        self.pool.unregister(consumer);
    }

    fn grow(&self, reservation: &MemoryReservation, additional: usize) {
        self.pool.grow(reservation, additional);
    }

    fn shrink(&self, reservation: &MemoryReservation, shrink: usize) {
        self.pool.shrink(reservation, shrink);
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> Result<()> {
        let result = self.pool.try_grow(reservation, additional);
        let is_given = result.is_err() && self.gives(reservation, additional);
        let result = if is_given { Ok(()) } else { result };
        self.was_refused.store(result.is_err(), Relaxed);
        self.has_written.fetch_or(result.is_err(), Relaxed);
        result
    }

    fn reserved(&self) -> usize {
        self.pool.reserved()
    }

    fn memory_limit(&self) -> MemoryLimit {
        self.pool.memory_limit()
    }
}

#[cfg(test)]
mod tests;
