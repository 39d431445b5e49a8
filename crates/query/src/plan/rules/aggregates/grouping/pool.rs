//! Memory pool of one aggregate, which gets the memory that it holds already.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use datafusion::error::Result;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation};

use crate::plan::memory::LimitedPool;

/// The session's pool, for an aggregate of DataFusion's.
///
/// Such an aggregate asks for memory after it has taken it. A refusal has it write its groups to
/// disk, or emit them; it then asks for the tables that it keeps. At the end of its input it asks
/// for the columns of all groups. If groups are on disk, it asks for batches of their files, which
/// may be few, and then for the merged groups. A refusal of tables, columns or merged groups ends
/// the query, so that these requests are given what is free, beyond the operator's share.
pub(super) struct AggregatePool {
    pool: Arc<dyn MemoryPool>,
    files: Box<CountFiles>,
    /// True once the aggregate has read all rows.
    has_ended: Arc<AtomicBool>,
    /// True once memory was refused: groups are on disk, or were emitted.
    has_written: AtomicBool,
    /// True if the latest request was refused.
    was_refused: AtomicBool,
    /// True once groups from disk were merged.
    has_merged: AtomicBool,
    /// Bytes of the aggregate's reservations.
    bytes: AtomicUsize,
}

/// Returns the number of files with groups that an aggregate wrote.
pub(super) type CountFiles = dyn Fn() -> usize + Send + Sync;

impl AggregatePool {
    /// Returns the pool of an aggregate.
    pub fn new(pool: Arc<dyn MemoryPool>, has_ended: Arc<AtomicBool>, files: Box<CountFiles>) -> Self {
        Self {
            pool,
            files,
            has_ended,
            has_written: AtomicBool::new(false),
            was_refused: AtomicBool::new(false),
            has_merged: AtomicBool::new(false),
            bytes: AtomicUsize::new(0),
        }
    }

    /// Returns whether a refusal would end the query.
    fn is_needed(&self) -> bool {
        match (self.has_ended.load(Relaxed), self.has_written.load(Relaxed)) {
            (false, _) => self.was_refused.load(Relaxed),
            (true, false) => true,
            // nothing is reserved for a single file
            (true, true) => self.has_merged.load(Relaxed) || (self.files)() == 1,
        }
    }

    /// Notes whether a request is for merged groups: they are the second reservation, beside that
    /// of the files.
    fn note(&self, reservation: &MemoryReservation) {
        let merges = self.has_ended.load(Relaxed) && self.has_written.load(Relaxed);
        let is_second = self.bytes.load(Relaxed) > reservation.size();
        self.has_merged.fetch_or(merges && is_second, Relaxed);
    }

    /// Gives bytes beyond the share. Returns false, and gives none, if they are taken.
    fn gives(&self, reservation: &MemoryReservation, additional: usize) -> bool {
        let limited = self.pool.downcast_ref::<LimitedPool>();
        limited.is_some_and(|limited| limited.grow_if_free(reservation, additional))
    }
}

impl fmt::Debug for AggregatePool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AggregatePool").field("pool", &self.pool).finish_non_exhaustive()
    }
}

impl fmt::Display for AggregatePool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pool.fmt(f)
    }
}

impl MemoryPool for AggregatePool {
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
        self.bytes.fetch_add(additional, Relaxed);
        self.pool.grow(reservation, additional);
    }

    fn shrink(&self, reservation: &MemoryReservation, shrink: usize) {
        self.was_refused.store(false, Relaxed);
        self.bytes.fetch_sub(shrink, Relaxed);
        self.pool.shrink(reservation, shrink);
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> Result<()> {
        self.note(reservation);
        let result = self.pool.try_grow(reservation, additional);
        let is_given = result.is_ok() || (self.is_needed() && self.gives(reservation, additional));
        self.was_refused.store(!is_given, Relaxed);
        self.has_written.fetch_or(!is_given, Relaxed);
        if is_given {
            self.bytes.fetch_add(additional, Relaxed);
            return Ok(());
        }
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
