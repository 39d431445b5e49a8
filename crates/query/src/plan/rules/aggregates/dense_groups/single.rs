//! Aggregate of one thread: groups by codes, and one final aggregate over them.

use std::sync::Arc;

use arrow::array::RecordBatch;
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, RecordOutput};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::{StreamExt, TryStreamExt, stream};

use super::codes::{self, GroupsByCode, Next};
use crate::plan::rules::aggregates::grouping::{GroupStream, Running, hash_rows};
use crate::plan::rules::aggregates::mergeable::{last, partial};

/// Executes the only partition. `running` gets the plan that computes the results.
///
/// # Errors
/// The input can't start, or an aggregate has no partial results.
pub(super) fn open(
    whole: &Arc<AggregateExec>,
    metrics: &ExecutionPlanMetricsSet,
    running: Running,
    context: Arc<TaskContext>,
) -> Result<SendableRecordBatchStream> {
    let partial = Arc::new(partial(whole)?);
    let output = BaselineMetrics::new(metrics, 0);
    // the groups are no rows of this operator's output
    let groups = codes::open(&partial, Next::NotHashed, metrics, output.intermediate(), 0, context.clone())?;
    let results = stream::once(start(whole.clone(), partial, groups, running, context)).try_flatten();
    let results = results.map(move |batch: Result<RecordBatch>| Ok(batch?.record_output(&output)));
    Ok(Box::pin(RecordBatchStreamAdapter::new(whole.schema(), results)))
}

/// Has DataFusion's operator merge the groups, or group the rows if the first ones have too many
/// groups: these rows are grouped once then.
async fn start(
    whole: Arc<AggregateExec>,
    partial: Arc<AggregateExec>,
    mut groups: GroupStream<GroupsByCode>,
    running: Running,
    context: Arc<TaskContext>,
) -> Result<SendableRecordBatchStream> {
    let (results, plan) = match groups.start().await? {
        Some(rows) => hash_rows(&whole, rows, 0, context)?,
        None => {
            let last = Arc::new(last(&whole, partial.clone())?);
            hash_rows(&last, groups.into_stream(&partial), 0, context)?
        }
    };
    running.lock().push(plan);
    Ok(results)
}
