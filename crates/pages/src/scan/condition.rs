//! Conditions on a file's columns.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use arrow::array::BooleanArray;
use arrow::record_batch::RecordBatch;

/// Evaluation of a condition. The result may depend on the values only: a condition may be
/// evaluated on the values of a dictionary instead of the rows.
pub trait Filter: Send + Sync + std::fmt::Debug {
    /// Returns the rows that pass; null counts as false. The batch has the columns of the
    /// condition, in the file's order.
    ///
    /// # Errors
    /// A line with the reason for the failure.
    fn evaluate(&self, batch: &RecordBatch) -> Result<BooleanArray, String>;

    /// Counts the rows that were tested, and those that passed.
    fn note(&self, rows: usize, passed: usize);
}

/// A filter and the columns that it reads.
#[derive(Debug, Clone)]
pub struct Condition {
    /// Top-level columns of the file, ascending. Every leaf of them is read.
    pub columns: Vec<usize>,
    /// The condition on their values.
    pub filter: Arc<dyn Filter>,
}

/// Filter stage: conditions with columns that are read together. A row passes if all hold. A
/// condition is evaluated only on rows that passed the previous ones, if that saves time.
#[derive(Debug, Clone)]
pub struct FilterStage {
    /// The columns of all conditions, ascending.
    pub columns: Vec<usize>,
    /// The conditions in the order of evaluation. Dictionary filters run before the others.
    pub conditions: Vec<Condition>,
}

/// Counts the rows that an optional condition sees and lets pass, over all threads.
#[derive(Debug, Default)]
pub struct FilterEffectiveness {
    seen: AtomicU64,
    passed: AtomicU64,
}

impl FilterEffectiveness {
    /// Rows after which a condition is judged. Fewer give a noisy share; more waste work on a
    /// useless condition.
    const ENOUGH: u64 = 128 * 1024;

    /// Adds rows that were tested, and those that passed.
    pub fn note(&self, seen: usize, passed: usize) {
        self.seen.fetch_add(seen as u64, Relaxed);
        self.passed.fetch_add(passed as u64, Relaxed);
    }

    /// Returns whether the condition costs more than it saves. A probe costs about a quarter of the
    /// work that the operator behind the scan spends on a row; with the copying of the rest, it has
    /// to drop a fifth of them.
    pub fn is_ineffective(&self) -> bool {
        let (seen, passed) = (self.seen.load(Relaxed), self.passed.load(Relaxed));
        seen >= Self::ENOUGH && passed * 5 > seen * 4
    }
}
