//! Accounts of the operators that share a memory limit.
//!
//! An operator that can spill has an even share of the limit, less what the others hold. It
//! collects rows in one reservation, of at most half of the share. The other half is for writing
//! them: to sort and merge rows takes copies and keys of them, in further reservations. Both halves
//! stay the operator's while others fill theirs, so that each can spill whatever the others do.

use std::collections::HashMap;
use std::thread::{self, ThreadId};

use datafusion::execution::memory_pool::MemoryConsumer;

/// Divisor of the limit for a part that operators which can spill leave free. They would fill the
/// memory before a merge of their rows begins.
const KEPT_SHARE: usize = 16;

/// Divisor of a share for the rows that an operator collects.
const COLLECTED: usize = 2;

/// Divisor of a share for an operator that has hardly begun. An aggregate takes two megabytes at
/// once for the first long text of a key.
const BEGUN: usize = 4;

/// Most shares of an operator that merges its rows from disk, and can't write them again.
const MERGING: usize = 2;

/// Names of a sort's two consumers, before the partition's number. The second one, of its merges,
/// is registered after the first, by the same thread.
const SORT: &str = "ExternalSorter[";
const MERGE: &str = "ExternalSorterMerge[";

/// Name of the consumers of rows between threads, which go to disk beyond the part that others
/// leave free. Most are few, and shares for them would be kept from operators that hold many.
const BETWEEN_THREADS: &str = "RepartitionExec[";

/// Bytes of the operators of a session.
#[derive(Debug)]
pub(super) struct Accounts {
    limit: usize,
    /// Bytes of operators that can't spill.
    plain: usize,
    /// Operators that can spill.
    spilling: HashMap<AccountId, Account>,
    /// Consumers that hold bytes, with their names.
    holders: HashMap<ConsumerId, (String, usize)>,
    /// The accounts of consumers, if they have one.
    owners: HashMap<ConsumerId, AccountId>,
    /// Sorts whose second consumer is missing.
    sorts: HashMap<ThreadId, AccountId>,
}

/// The consumer with which an operator's account was opened.
type AccountId = usize;
type ConsumerId = usize;

#[derive(Debug, Default)]
struct Account {
    bytes: usize,
    consumers: usize,
}

impl Accounts {
    /// Returns accounts under a limit, in bytes.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            plain: 0,
            spilling: HashMap::new(),
            holders: HashMap::new(),
            owners: HashMap::new(),
            sorts: HashMap::new(),
        }
    }

    /// Gives a consumer an account, if its operator can spill.
    pub fn open(&mut self, consumer: &MemoryConsumer) {
        let thread = thread::current().id();
        let account = match consumer {
            sort if sort.name().starts_with(SORT) => {
                self.sorts.insert(thread, sort.id());
                Some(sort.id())
            }
            merge if merge.name().starts_with(MERGE) => self.sorts.remove(&thread),
            rows if rows.name().starts_with(BETWEEN_THREADS) => None,
            other => other.can_spill().then_some(other.id()),
        };
        if let Some(account) = account {
            self.owners.insert(consumer.id(), account);
            self.spilling.entry(account).or_default().consumers += 1;
        }
    }

    /// Ends what [`Self::open`] began.
    pub fn close(&mut self, consumer: &MemoryConsumer) {
        self.sorts.retain(|_, sort| *sort != consumer.id());
        self.holders.remove(&consumer.id());
        let Some(id) = self.owners.remove(&consumer.id()) else { return };
        if let Some(account) = self.spilling.get_mut(&id) {
            account.consumers -= 1;
            if account.consumers == 0 {
                self.spilling.remove(&id);
            }
        }
    }

    /// Returns whether `additional` bytes fit for a reservation that has `held`.
    pub fn fits(&self, consumer: &MemoryConsumer, held: usize, additional: usize) -> bool {
        let taken = self.taken().saturating_add(additional);
        if consumer.name().starts_with(BETWEEN_THREADS) {
            let held = self.holders.values().filter(|(name, _)| name.starts_with(BETWEEN_THREADS));
            let held = held.fold(additional, |sum, (_, bytes)| sum.saturating_add(*bytes));
            return held <= self.limit / KEPT_SHARE && taken <= self.limit;
        }
        let Some(account) = self.account(consumer) else { return taken <= self.limit };
        let kept = (self.limit / KEPT_SHARE).max(self.plain);
        let share = (self.limit - kept.min(self.limit)) / self.sharers();
        // the first rows, and groups beside the files that they are merged from, may take more,
        // where there is room
        let all = account.bytes.saturating_add(additional);
        let may_exceed = match account.bytes > held {
            true => all <= share.saturating_mul(MERGING),
            false => held <= share / BEGUN,
        };
        let is_collected = held.saturating_add(additional) <= share / COLLECTED;
        let is_free = taken - self.plain + kept <= self.limit;
        match is_collected {
            true => is_free || all <= share,
            false => is_free && may_exceed,
        }
    }

    /// Adds bytes to what a consumer holds.
    pub fn add(&mut self, consumer: &MemoryConsumer, bytes: usize) {
        let sum = self.sum(consumer);
        *sum = sum.saturating_add(bytes);
        let named = || (consumer.name().to_owned(), 0);
        let (_, held) = self.holders.entry(consumer.id()).or_insert_with(named);
        *held = held.saturating_add(bytes);
    }

    /// Removes bytes from what a consumer holds.
    pub fn remove(&mut self, consumer: &MemoryConsumer, bytes: usize) {
        let sum = self.sum(consumer);
        *sum = sum.saturating_sub(bytes);
        if let Some((_, held)) = self.holders.get_mut(&consumer.id()) {
            *held = held.saturating_sub(bytes);
        }
    }

    /// Returns the kind of operators that hold the most, with their bytes. `kind` makes it of a
    /// consumer's name.
    pub fn largest(&self, kind: impl Fn(&str) -> String) -> Option<(String, usize)> {
        let mut kinds: HashMap<String, usize> = HashMap::new();
        for (name, held) in self.holders.values() {
            let sum = kinds.entry(kind(name)).or_default();
            *sum = sum.saturating_add(*held);
        }
        kinds.into_iter().max_by_key(|(_, bytes)| *bytes)
    }

    /// Returns the bytes of all operators.
    pub fn taken(&self) -> usize {
        self.spilling.values().fold(self.plain, |sum, account| sum.saturating_add(account.bytes))
    }

    /// Returns the number of operators that have a share, at least 1.
    pub fn sharers(&self) -> usize {
        self.spilling.len().max(1)
    }

    fn account(&self, consumer: &MemoryConsumer) -> Option<&Account> {
        self.spilling.get(self.owners.get(&consumer.id())?)
    }

    /// Returns the sum that a consumer's bytes belong to.
    fn sum(&mut self, consumer: &MemoryConsumer) -> &mut usize {
        let account = self.owners.get(&consumer.id()).and_then(|id| self.spilling.get_mut(id));
        account.map_or(&mut self.plain, |account| &mut account.bytes)
    }
}

#[cfg(test)]
mod tests;
