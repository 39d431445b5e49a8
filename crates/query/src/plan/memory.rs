//! Memory pool with the limit of a session.

mod accounts;
mod open_file;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use arrow::record_batch::RecordBatch;
use datafusion::common::human_readable_size;
use datafusion::error::{DataFusionError, Result as DataFusionResult};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation};
use parking_lot::Mutex;

use self::accounts::Accounts;
pub(in crate::plan) use self::open_file::OpenFile;
use crate::error::Error;

/// Shares a limit among operators: those that can spill have equal shares, and the others take
/// what is left. Its errors name the operator and the bytes.
#[derive(Debug)]
pub(in crate::plan) struct LimitedPool {
    limit: usize,
    accounts: Mutex<Accounts>,
    /// Set when the first operator spills, which is logged as information; the next ones are logged
    /// for debugging.
    has_spilled: AtomicBool,
}

impl LimitedPool {
    /// Returns a pool of `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { limit, accounts: Mutex::new(Accounts::new(limit)), has_spilled: AtomicBool::new(false) }
    }

    /// Gives bytes beyond its share to an operator that can't do without, if they are free. Returns
    /// false, and gives none, if they are taken.
    pub fn grow_if_free(&self, reservation: &MemoryReservation, additional: usize) -> bool {
        let mut accounts = self.accounts.lock();
        let are_free = accounts.taken().saturating_add(additional) <= self.limit;
        if are_free {
            accounts.add(reservation.consumer(), additional);
        }
        are_free
    }
}

impl fmt::Display for LimitedPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.name(), human_readable_size(self.limit))
    }
}

impl MemoryPool for LimitedPool {
    fn name(&self) -> &str {
        "limited"
    }

    fn register(&self, consumer: &MemoryConsumer) {
        self.accounts.lock().open(consumer);
    }

    fn unregister(&self, consumer: &MemoryConsumer) {
        self.accounts.lock().close(consumer);
    }

    fn grow(&self, reservation: &MemoryReservation, additional: usize) {
        self.accounts.lock().add(reservation.consumer(), additional);
    }

    fn shrink(&self, reservation: &MemoryReservation, shrink: usize) {
        self.accounts.lock().remove(reservation.consumer(), shrink);
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> DataFusionResult<()> {
        let (consumer, held) = (reservation.consumer(), reservation.size());
        let mut accounts = self.accounts.lock();
        if accounts.fits(consumer, held, additional) {
            accounts.add(consumer, additional);
            return Ok(());
        }
        let (taken, sharers, largest) = (accounts.taken(), accounts.sharers(), accounts.largest(operator));
        drop(accounts);
        let name = operator(consumer.name());
        let mut full = format!(
            "{name} holds {} and needs {} more, of {} in all, of which {} are taken",
            human_readable_size(held),
            human_readable_size(additional),
            human_readable_size(self.limit),
            human_readable_size(taken),
        );
        if let Some((largest, bytes)) = largest.filter(|(largest, _)| *largest != name) {
            full += &format!(" ({} by {largest})", human_readable_size(bytes));
        }
        if sharers > 1 && consumer.can_spill() {
            full += &format!(", and {sharers} operators share the rest");
        }
        // operators that can spill do so on this kind of error
        if consumer.can_spill() {
            let level = match self.has_spilled.swap(true, Relaxed) {
                false => log::Level::Info,
                true => log::Level::Debug,
            };
            log::log!(level, "spills to disk: {full}");
        }
        Err(DataFusionError::ResourcesExhausted(full))
    }

    fn reserved(&self) -> usize {
        self.accounts.lock().taken()
    }

    fn memory_limit(&self) -> MemoryLimit {
        MemoryLimit::Finite(self.limit)
    }
}

/// Returns the error of an operator, or a part of one, that does not fit in a pool.
pub(in crate::plan) fn does_not_fit(operator: &str, pool: &Arc<dyn MemoryPool>) -> Error {
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
        "SharedRows" => "the rows of a common subplan",
        "RecursiveQuery" | "RecursiveQueryHashTable" => "a recursive query",
        "GroupJoinExec" | "MergeGroupsExec" | "RollUpExec" => "an aggregate",
        name if name.ends_with("AggregateExec") || name.ends_with("AggregateStream") => "an aggregate",
        _ => return consumer.to_owned(),
    };
    known.to_owned()
}

/// Returns the bytes of a batch's own rows. Batches that are slices of one array, or have views
/// into one page, share memory, which would be counted once for each of them.
pub(in crate::plan) fn bytes_of_rows(batch: &RecordBatch) -> usize {
    let sizes = batch.columns().iter().map(|column| {
        let values = column.to_data();
        values.get_slice_memory_size().unwrap_or_else(|_| column.get_array_memory_size())
    });
    sizes.sum()
}

#[cfg(test)]
mod tests;
