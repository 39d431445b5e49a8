//! Execution of a scan's partition: the order in which it takes its work.

use std::collections::VecDeque;
use std::sync::Arc;

use datafusion::error::Result as DataFusionResult;
use tokio::sync::Mutex;

use super::queue::{Next, Work, WorkQueue};
use super::source::Part;

/// Takes the work of one execution from the queue: first the work of the partition's earlier
/// executions, then its share of the rest.
#[derive(Debug)]
pub(super) struct Execution {
    queue: Arc<WorkQueue>,
    partition: usize,
    /// The parts of a partition with fixed rows, as in a scan in file order.
    own: Option<Vec<Part>>,
    cursor: Mutex<Cursor>,
}

#[derive(Debug, Default)]
struct Cursor {
    /// Entries of the partition's log that this execution has read.
    position: usize,
    /// Unread windows of the last entry, if it did not come from the queue as a window.
    again: VecDeque<Work>,
}

impl Execution {
    /// Begins an execution of a partition.
    pub fn new(queue: Arc<WorkQueue>, partition: usize) -> Self {
        queue.begin(partition);
        Self { queue, partition, own: None, cursor: Mutex::default() }
    }

    /// Begins an execution of a partition with fixed rows.
    pub fn of(queue: Arc<WorkQueue>, partition: usize, parts: Vec<Part>) -> Self {
        Self { own: Some(parts), ..Self::new(queue, partition) }
    }

    /// Returns the next window; `None` when the execution has had all of its rows.
    pub async fn next(&self) -> DataFusionResult<Option<Work>> {
        let mut cursor = self.cursor.lock().await;
        loop {
            if let Some(work) = cursor.again.pop_front() {
                return Ok(Some(work));
            }
            if let Some(own) = &self.own {
                let Some(part) = own.get(cursor.position) else { return Ok(None) };
                cursor.again = self.queue.first(part).await?.into();
                cursor.position += 1;
                continue;
            }
            match self.queue.next(self.partition, cursor.position).await? {
                Next::New(work, position) => {
                    cursor.position = position;
                    return Ok(Some(work));
                }
                Next::Again(part) => {
                    cursor.again = self.queue.again(&part).await?.into();
                    cursor.position += 1;
                }
                Next::End => return Ok(None),
            }
        }
    }

    pub fn queue(&self) -> &WorkQueue {
        &self.queue
    }
}

#[cfg(test)]
mod tests;
