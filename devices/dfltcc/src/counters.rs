//! Counters of calls, with which tests verify the sequence that a page took.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::call::Condition;
use crate::hw::Function;

/// Calls of a device since it was made, as a snapshot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// Calls that generated a table.
    pub tables: u64,
    /// Calls that compressed.
    pub compressions: u64,
    /// Calls that expanded.
    pub expansions: u64,
    /// Calls that had to be repeated, with condition code 3.
    pub repeated: u64,
    /// Calls with condition code 1.
    pub target_full: u64,
    /// Calls with condition code 2.
    pub ended: u64,
}

/// The counters of a running device.
#[derive(Default)]
pub(crate) struct CallCounters {
    tables: AtomicU64,
    compressions: AtomicU64,
    expansions: AtomicU64,
    repeated: AtomicU64,
    target_full: AtomicU64,
    ended: AtomicU64,
}

impl CallCounters {
    pub(crate) fn count(&self, function: Function, condition: Condition) {
        match function {
            Function::QueryAvailable => {}
            Function::GenerateTable => add(&self.tables),
            Function::Compress => add(&self.compressions),
            Function::Expand => add(&self.expansions),
        }
        match condition {
            Condition::Done => {}
            Condition::TargetFull => add(&self.target_full),
            Condition::Ended => add(&self.ended),
            Condition::Again => add(&self.repeated),
        }
    }

    pub(crate) fn snapshot(&self) -> Counters {
        Counters {
            tables: self.tables.load(Relaxed),
            compressions: self.compressions.load(Relaxed),
            expansions: self.expansions.load(Relaxed),
            repeated: self.repeated.load(Relaxed),
            target_full: self.target_full.load(Relaxed),
            ended: self.ended.load(Relaxed),
        }
    }
}

fn add(counter: &AtomicU64) {
    counter.fetch_add(1, Relaxed);
}
