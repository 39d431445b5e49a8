//! Sort of the rows of partitions without an open file, on disk where memory is short.
//!
//! A lane keeps a few files open. The rows of all further partitions are sorted by partition, in
//! the order in which they came, and reach the lane when its first files are complete: it writes
//! one partition after the other.

use std::sync::{Arc, OnceLock};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion::common::runtime::SpawnedTask;
use datafusion::error::Result as DataFusionResult;
use datafusion::execution::memory_pool::MemoryLimit;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{LexOrdering, PhysicalSortExpr};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::{StreamExt, stream};
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::lane::Message;
use super::partitions::{PartitionRows, failed, runs};
use crate::error::{Error, Result};
use crate::plan::memory::LimitedPool;
use crate::plan::streamed::streamed;

/// Batches that wait for the sort.
const BATCHES_AHEAD: usize = 2;

/// Memory of the sorts of a statement, in bytes a lane, where the session has no limit.
const SORT_BYTES: usize = 128 << 20;

/// Returns the context of sorts: that of the session, with a limit of its own if it has none.
///
/// # Errors
/// There is no folder for temporary files.
pub(super) fn context(session: Arc<TaskContext>, lanes: usize) -> Result<Arc<TaskContext>> {
    if let MemoryLimit::Finite(_) = session.memory_pool().memory_limit() {
        return Ok(session);
    }
    let pool = Arc::new(LimitedPool::new(SORT_BYTES.saturating_mul(lanes)));
    let runtime = RuntimeEnvBuilder::from_runtime_env(&session.runtime_env()).with_memory_pool(pool);
    let context = TaskContext::default().with_session_config(session.session_config().clone());
    Ok(Arc::new(context.with_runtime(runtime.build_arc()?)))
}

/// Folders of all partitions, known when all rows are split.
pub(super) type Folders = Arc<OnceLock<Vec<Arc<str>>>>;

/// The sort of one lane's rows.
pub(super) struct Sorter {
    rows: Sender<RecordBatch>,
    ended: SpawnedTask<Result<()>>,
}

impl Sorter {
    /// Starts a sort of rows by their last column, the keys. They go on to `lane` without it.
    ///
    /// # Errors
    /// The sort can't be planned.
    pub fn start(
        schema: &SchemaRef,
        context: &Arc<TaskContext>,
        folders: Folders,
        lane: Sender<Message>,
    ) -> Result<Self> {
        let (rows, receiver) = channel(BATCHES_AHEAD);
        let input = stream::unfold(receiver, |mut rows: Receiver<RecordBatch>| async {
            let batch: DataFusionResult<RecordBatch> = Ok(rows.recv().await?);
            Some((batch, rows))
        });
        let input = streamed(Box::pin(RecordBatchStreamAdapter::new(schema.clone(), input)))?;
        let last = schema.fields().len().saturating_sub(1);
        let key = PhysicalSortExpr::new_default(Arc::new(Column::new(schema.field(last).name(), last)));
        let order = LexOrdering::new([key]).ok_or_else(|| Error::Internal("a sort without a key".into()))?;
        let sorted = SortExec::new(order, input).execute(0, context.clone())?;
        Ok(Self { rows, ended: SpawnedTask::spawn(hand_over(sorted, folders, lane)) })
    }

    /// Adds rows, with their keys. Returns whether the sort takes them.
    pub async fn push(&self, rows: RecordBatch) -> bool {
        self.rows.send(rows).await.is_ok()
    }

    /// Ends the rows, and waits until the lane has them.
    ///
    /// # Errors
    /// The rows can't be sorted.
    pub async fn finish(self) -> Result<()> {
        drop(self.rows);
        self.ended.join().await.map_err(|e| Error::Internal(format!("a sort of COPY: {e}")))?
    }
}

/// Sends sorted rows to a lane, each partition after the end of the one before.
async fn hand_over(
    mut sorted: SendableRecordBatchStream,
    folders: Folders,
    lane: Sender<Message>,
) -> Result<()> {
    let mut last = None;
    while let Some(batch) = sorted.next().await {
        let batch = batch?;
        let folder = |partition: usize| folders.get().and_then(|all| all.get(partition)).cloned();
        let kept: Vec<usize> = (0..batch.num_columns().saturating_sub(1)).collect();
        let rows = batch.project(&kept).map_err(failed)?;
        for (partition, start, length) in runs(batch.column(kept.len())) {
            let folder =
                folder(partition).ok_or_else(|| Error::Internal(format!("no folder {partition}")))?;
            if last.replace(partition) != Some(partition) && lane.send(Message::Close).await.is_err() {
                // the lane has failed, and says so when it is awaited
                return Ok(());
            }
            let rows = PartitionRows { partition, folder, rows: rows.slice(start, length) };
            if lane.send(Message::Rows(rows)).await.is_err() {
                return Ok(());
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
