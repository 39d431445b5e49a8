//! Conditions on a file's columns.

use std::sync::Arc;

use arrow::array::BooleanArray;
use arrow::record_batch::RecordBatch;

/// What a condition says of values. It has to depend on the values alone: it may be evaluated once
/// on the values of a dictionary in place of the rows.
pub trait Filter: Send + Sync + std::fmt::Debug {
    /// Which rows pass; null counts as no. The batch has the columns of the condition, in the
    /// file's order.
    ///
    /// # Errors
    /// One line that says why the condition can't be evaluated.
    fn evaluate(&self, batch: &RecordBatch) -> Result<BooleanArray, String>;

    /// Takes note of how many rows were looked at, and how many passed.
    fn note(&self, rows: usize, passed: usize);
}

/// A filter and the columns that it reads.
#[derive(Debug, Clone)]
pub struct Condition {
    /// Top-level columns of the file, ascending. Every leaf of them is read.
    pub columns: Vec<usize>,
    /// What they have to be like.
    pub filter: Arc<dyn Filter>,
}

/// Conditions whose columns are read together. A row passes if all hold; none is evaluated on a row
/// of which another has said no already, if that is worth the while.
#[derive(Debug, Clone)]
pub struct FilterStage {
    /// The columns of all conditions, ascending.
    pub columns: Vec<usize>,
    /// The conditions; those on encoded data come first, apart from that this is their order.
    pub conditions: Vec<Condition>,
}
