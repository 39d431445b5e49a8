//! Rows that DataFusion's aggregate groups in place of those of its input.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::task::Poll;

use arrow::array::RecordBatch;
use datafusion::common::DataFusionError;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::execution_plan::{ChildrenPropertiesMode, ReplaceChildrenOptions};
use datafusion::physical_plan::metrics::Count;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use datafusion::prelude::SessionConfig;
use futures::{StreamExt, stream};
use parking_lot::Mutex;

use super::pool::AggregatePool;
use crate::plan::memory::LimitedPool;

/// Returns a batch and those behind it as one stream, which counts its rows.
pub(in crate::plan::rules::aggregates) fn remaining(
    first: Option<RecordBatch>,
    input: SendableRecordBatchStream,
    passed_on: Count,
) -> SendableRecordBatchStream {
    let schema = input.schema();
    let rows = stream::iter(first.map(Ok)).chain(input);
    let rows = rows.inspect(move |batch| {
        passed_on.add(batch.as_ref().map_or(0, RecordBatch::num_rows));
    });
    Box::pin(RecordBatchStreamAdapter::new(schema, rows))
}

/// Executes a partition of DataFusion's aggregate over rows in place of its input. Under a memory
/// limit, it has an [`AggregatePool`]. Returns the plan, too, for its metrics.
///
/// # Errors
/// The aggregate can't have another input, or can't start.
pub(in crate::plan::rules::aggregates) fn hash_rows(
    aggregate: &Arc<AggregateExec>,
    mut rows: SendableRecordBatchStream,
    partition: usize,
    mut context: Arc<TaskContext>,
) -> Result<(SendableRecordBatchStream, Arc<dyn ExecutionPlan>)> {
    let has_ended = Arc::new(AtomicBool::new(false));
    let is_limited = context.memory_pool().is::<LimitedPool>();
    if is_limited {
        let (schema, has_ended) = (rows.schema(), has_ended.clone());
        let end = stream::poll_fn(move |_| {
            has_ended.store(true, Relaxed);
            Poll::Ready(None)
        });
        rows = Box::pin(RecordBatchStreamAdapter::new(schema, rows.chain(end)));
    }
    let input = PassedOnExec::new(rows, aggregate.input().properties().clone());
    let keep = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Keep);
    let plan = aggregate.clone().replace_children(vec![Arc::new(input)], keep)?;
    if is_limited {
        let counted = plan.clone();
        let files = move || counted.metrics().and_then(|metrics| metrics.spill_count()).unwrap_or(0);
        let pool = AggregatePool::new(context.memory_pool().clone(), has_ended, Box::new(files));
        let runtime = RuntimeEnv { memory_pool: Arc::new(pool), ..context.runtime_env().as_ref().clone() };
        context = with_parts(&context, context.session_config().clone(), Arc::new(runtime));
    }
    Ok((plan.execute(partition, context)?, plan))
}

/// Returns a context with another configuration and runtime.
pub(in crate::plan::rules::aggregates) fn with_parts(
    context: &TaskContext,
    config: SessionConfig,
    runtime: Arc<RuntimeEnv>,
) -> Arc<TaskContext> {
    Arc::new(TaskContext::new(
        context.task_id(),
        context.session_id(),
        config,
        context.scalar_functions().clone(),
        context.higher_order_functions().clone(),
        context.aggregate_functions().clone(),
        context.window_functions().clone(),
        runtime,
    ))
}

/// A stream as a plan, which is executed once.
struct PassedOnExec {
    stream: Mutex<Option<SendableRecordBatchStream>>,
    properties: Arc<PlanProperties>,
}

impl PassedOnExec {
    /// Returns a plan with the properties of the one that the stream is of.
    fn new(stream: SendableRecordBatchStream, properties: Arc<PlanProperties>) -> Self {
        Self { stream: Mutex::new(Some(stream)), properties }
    }
}

impl fmt::Debug for PassedOnExec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PassedOnExec").finish_non_exhaustive()
    }
}

impl DisplayAs for PassedOnExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PassedOnExec")
    }
}

impl ExecutionPlan for PassedOnExec {
    fn name(&self) -> &str {
        "PassedOnExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        _: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn with_new_children(self: Arc<Self>, _: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn execute(&self, _: usize, _: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let stream = self.stream.lock().take();
        stream.ok_or_else(|| DataFusionError::Internal("rows were passed on twice".to_owned()))
    }
}
