//! File of batches that is being written to disk.

use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use datafusion::error::Result;
use datafusion::execution::SpillFile;
use datafusion::physical_plan::spill::SpillManager;

/// A file that batches are added to, removed if it is not closed.
pub(in crate::plan) struct OpenFile(Box<Write>);

/// Adds a batch to a file, or ends it without one. DataFusion's type has no public name.
type Write = dyn FnMut(Option<&RecordBatch>) -> Result<Option<Arc<dyn SpillFile>>> + Send;

impl OpenFile {
    /// Creates an empty file. `rows` says for errors what its rows are.
    ///
    /// # Errors
    /// There is no place for files.
    pub fn create(spill: &SpillManager, rows: &str) -> Result<Self> {
        let mut started = spill.create_in_progress_file(rows)?;
        Ok(Self(Box::new(move |batch| match batch {
            Some(batch) => started.append_batch(batch).map(|_| None),
            None => started.finish(),
        })))
    }

    /// Adds a batch.
    ///
    /// # Errors
    /// The disk is full, or can't be written.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<()> {
        (self.0)(Some(batch)).map(|_| ())
    }

    /// Ends the file. `None` if it has no batch.
    ///
    /// # Errors
    /// The disk is full, or can't be written.
    pub fn close(mut self) -> Result<Option<Arc<dyn SpillFile>>> {
        (self.0)(None)
    }
}
