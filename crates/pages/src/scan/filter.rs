//! Filters over decoded columns.

use std::sync::Arc;

use arrow::array::BooleanArray;
use arrow::record_batch::RecordBatch;

/// A condition on some columns of a file, evaluated on decoded batches.
pub trait Filter: Send + Sync + std::fmt::Debug {
    /// Which rows pass; null counts as no. The batch has the columns of the stage, in the file's order.
    ///
    /// # Errors
    /// One line that says why the condition can't be evaluated.
    fn evaluate(&self, batch: &RecordBatch) -> Result<BooleanArray, String>;
}

/// A filter and the columns that it reads.
#[derive(Debug, Clone)]
pub struct FilterStage {
    /// Top-level columns of the file, ascending. Every leaf of them is read.
    pub columns: Vec<usize>,
    /// The condition.
    pub filter: Arc<dyn Filter>,
}
