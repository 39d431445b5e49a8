//! Windows of a scan for readers other than [`PeltonSource`]'s own stream, such as a GPU.

use std::sync::Arc;

use datafusion::error::Result as DataFusionResult;
use pelton_pages::{ScanCounters, Window};

use super::execution::Execution;
use super::queue::MorselQueue;
use super::source::PeltonSource;

/// Windows of the rows that remain after pruning, one after the other. Several readers may share
/// them.
#[derive(Debug)]
pub struct ScanWindows {
    execution: Execution,
    counters: Arc<ScanCounters>,
}

impl ScanWindows {
    /// Returns the windows of a scan with its conditions.
    pub fn new(source: &PeltonSource) -> Self {
        let execution = Execution::new(Arc::new(MorselQueue::new(source)), 0);
        Self { execution, counters: source.counters().clone() }
    }

    /// Returns the next window, with the number of its file in the table; `None` when all have been
    /// handed out.
    ///
    /// # Errors
    /// A bloom filter or an index can't be read.
    pub async fn next(&self) -> DataFusionResult<Option<(usize, Window)>> {
        Ok(self.execution.next().await?.map(|morsel| (morsel.file, morsel.window)))
    }

    /// Returns the scan's counters.
    pub fn counters(&self) -> &Arc<ScanCounters> {
        &self.counters
    }
}
