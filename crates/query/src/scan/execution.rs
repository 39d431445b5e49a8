//! Execution of a scan's partition: the order in which it takes morsels.

use std::collections::VecDeque;
use std::sync::Arc;

use datafusion::error::Result as DataFusionResult;
use tokio::sync::Mutex;

use super::queue::{Morsel, MorselQueue, Next};
use super::source::RowRange;

/// Takes the morsels of one execution from the queue: first those of the partition's earlier
/// executions, then its share of the rest.
#[derive(Debug)]
pub(super) struct Execution {
    queue: Arc<MorselQueue>,
    partition: usize,
    /// The ranges of a partition with fixed rows, as in a scan in file order.
    own: Option<Vec<RowRange>>,
    cursor: Mutex<Cursor>,
}

#[derive(Debug, Default)]
struct Cursor {
    /// Entries of the partition's log that this execution has read.
    position: usize,
    /// Unread morsels of the last entry, if it was not a new morsel.
    again: VecDeque<Morsel>,
}

impl Execution {
    /// Begins an execution of a partition.
    pub fn new(queue: Arc<MorselQueue>, partition: usize) -> Self {
        queue.begin(partition);
        Self { queue, partition, own: None, cursor: Mutex::default() }
    }

    /// Begins an execution of a partition with fixed rows.
    pub fn of(queue: Arc<MorselQueue>, partition: usize, ranges: Vec<RowRange>) -> Self {
        Self { own: Some(ranges), ..Self::new(queue, partition) }
    }

    /// Returns the next morsel; `None` at the end of the execution.
    pub async fn next(&self) -> DataFusionResult<Option<Morsel>> {
        let mut cursor = self.cursor.lock().await;
        loop {
            if let Some(morsel) = cursor.again.pop_front() {
                return Ok(Some(morsel));
            }
            if let Some(own) = &self.own {
                let Some(range) = own.get(cursor.position) else { return Ok(None) };
                cursor.again = self.queue.first(range).await?.into();
                cursor.position += 1;
                continue;
            }
            match self.queue.next(self.partition, cursor.position).await? {
                Next::New(morsel, position) => {
                    cursor.position = position;
                    return Ok(Some(morsel));
                }
                Next::Again(range) => {
                    cursor.again = self.queue.again(&range).await?.into();
                    cursor.position += 1;
                }
                Next::End => return Ok(None),
            }
        }
    }

    pub fn queue(&self) -> &MorselQueue {
        &self.queue
    }
}

#[cfg(test)]
mod tests;
