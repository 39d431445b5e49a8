//! Queue of batches that an operator emits in pieces.

use std::collections::VecDeque;

use arrow::array::RecordBatch;

/// Batches of any size, taken out in batches of at most `batch_size` rows.
#[derive(Debug)]
pub(super) struct Output {
    batches: VecDeque<RecordBatch>,
    batch_size: usize,
}

impl Output {
    /// Returns an empty queue.
    pub fn new(batch_size: usize) -> Self {
        Self { batches: VecDeque::new(), batch_size: batch_size.max(1) }
    }

    /// Adds a batch.
    pub fn push(&mut self, batch: RecordBatch) {
        self.batches.push_back(batch);
    }

    /// Takes the next rows out; `None` if there are none.
    pub fn next(&mut self) -> Option<RecordBatch> {
        let batch = self.batches.pop_front()?;
        let rows = batch.num_rows();
        if rows <= self.batch_size {
            return Some(batch);
        }
        self.batches.push_front(batch.slice(self.batch_size, rows - self.batch_size));
        Some(batch.slice(0, self.batch_size))
    }
}
