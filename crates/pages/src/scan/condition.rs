//! Conditions on a file's columns.

use std::sync::Arc;

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
