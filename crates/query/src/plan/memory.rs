//! Memory pool with the limit of a session.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use datafusion::common::human_readable_size;
use datafusion::error::{DataFusionError, Result as DataFusionResult};
use datafusion::execution::memory_pool::{
    FairSpillPool, MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation,
};

use crate::error::Error;

/// Divisor of the memory limit for operators that can't spill: those that can leave it free. They
/// would fill the memory before a merge of their rows begins.
const KEPT_SHARE: usize = 16;

/// Shares a limit among operators as [`FairSpillPool`] does, and keeps a part of it from those
/// that can spill. Its errors name the operator and the bytes.
#[derive(Debug)]
pub(super) struct LimitedPool {
    pool: FairSpillPool,
    limit: usize,
    /// Operators that can spill. Each gets an even share.
    spilling: AtomicUsize,
    /// Set when the first operator spills, which is logged as information; the next ones are logged
    /// for debugging.
    has_spilled: AtomicBool,
}

impl LimitedPool {
    /// Returns a pool of `limit` bytes.
    pub fn new(limit: usize) -> Self {
        let pool = FairSpillPool::new(limit);
        Self { pool, limit, spilling: AtomicUsize::new(0), has_spilled: AtomicBool::new(false) }
    }
}

impl fmt::Display for LimitedPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pool.fmt(f)
    }
}

impl MemoryPool for LimitedPool {
    fn name(&self) -> &str {
        self.pool.name()
    }

    fn register(&self, consumer: &MemoryConsumer) {
        self.spilling.fetch_add(usize::from(consumer.can_spill()), Relaxed);
        self.pool.register(consumer);
    }

    fn unregister(&self, consumer: &MemoryConsumer) {
        self.spilling.fetch_sub(usize::from(consumer.can_spill()), Relaxed);
        self.pool.unregister(consumer);
    }

    fn grow(&self, reservation: &MemoryReservation, additional: usize) {
        self.pool.grow(reservation, additional);
    }

    fn shrink(&self, reservation: &MemoryReservation, shrink: usize) {
        self.pool.shrink(reservation, shrink);
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> DataFusionResult<()> {
        let may_fill = !reservation.consumer().can_spill()
            || self.reserved().saturating_add(additional) <= self.limit - self.limit / KEPT_SHARE;
        // operators that can spill do so on this kind of error
        let grown = match may_fill {
            true => self.pool.try_grow(reservation, additional).is_ok(),
            false => false,
        };
        grown.then_some(()).ok_or_else(|| {
            let shares = match self.spilling.load(Relaxed) {
                count if count > 1 && reservation.consumer().can_spill() => {
                    format!(", and {count} operators share the rest")
                }
                _ => String::new(),
            };
            let full = format!(
                "{} holds {} and needs {} more, of {} in all, of which {} are taken{shares}",
                operator(reservation.consumer().name()),
                human_readable_size(reservation.size()),
                human_readable_size(additional),
                human_readable_size(self.limit),
                human_readable_size(self.reserved()),
            );
            if reservation.consumer().can_spill() {
                let level = match self.has_spilled.swap(true, Relaxed) {
                    false => log::Level::Info,
                    true => log::Level::Debug,
                };
                log::log!(level, "spills to disk: {full}");
            }
            DataFusionError::ResourcesExhausted(full)
        })
    }

    fn reserved(&self) -> usize {
        self.pool.reserved()
    }

    fn memory_limit(&self) -> MemoryLimit {
        MemoryLimit::Finite(self.limit)
    }
}

/// Returns the error of an operator, or a part of one, that does not fit in a pool.
pub(super) fn does_not_fit(operator: &str, pool: &std::sync::Arc<dyn MemoryPool>) -> Error {
    let limit = match pool.memory_limit() {
        MemoryLimit::Finite(limit) => human_readable_size(limit),
        MemoryLimit::Infinite | MemoryLimit::Unknown => "the memory".to_owned(),
    };
    Error::Memory(format!("{operator} does not fit in {limit}"))
}

/// Returns an operator's name for errors: the name of its reservation without the partition's
/// number.
fn operator(consumer: &str) -> String {
    let name = consumer.split('[').next().unwrap_or(consumer);
    let known = match name {
        "HashJoinInput" => "the table of a hash join",
        "NestedLoopJoinLoad" | "NestedLoopJoinGlobalRightBitmaps" => {
            "the left side of a join without equal keys"
        }
        "CrossJoinExec" => "the left side of a cross join",
        "ExternalSorter" | "ExternalSorterMerge" => "a sort",
        "TopK" | "PartitionedTopK" | "PartitionedTopKRank" => "a sort with a limit",
        "SortPreservingMergeExec" => "a merge of sorted rows",
        "RepartitionExec" => "rows on their way between threads",
        "RecursiveQuery" | "RecursiveQueryHashTable" => "a recursive query",
        name if name.ends_with("AggregateStream") => "an aggregate",
        _ => return consumer.to_owned(),
    };
    known.to_owned()
}

#[cfg(test)]
mod tests;
