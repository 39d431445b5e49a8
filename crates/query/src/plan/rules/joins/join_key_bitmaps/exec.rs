//! Operator that collects the keys of a join's build side.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion::common::Statistics;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result as DataFusionResult;
use datafusion::execution::{RecordBatchStream, SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;
use datafusion::physical_plan::execution_plan::{
    CardinalityEffect, ChildrenPropertiesMode, ReplaceChildrenOptions,
};
use datafusion::physical_plan::metrics::{Count, ExecutionPlanMetricsSet, MetricBuilder, MetricsSet, Time};
use datafusion::physical_plan::statistics::{ChildStats, StatisticsArgs};
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::{Stream, StreamExt};

use crate::scan::{JoinKeys, KeyCollector};

/// The rows of its input. Their keys are noted, so that scans can look them up.
#[derive(Debug, Clone)]
pub(super) struct JoinKeysExec {
    input: Arc<dyn ExecutionPlan>,
    keys: Arc<JoinKeys>,
    metrics: ExecutionPlanMetricsSet,
}

impl JoinKeysExec {
    /// Returns an operator that notes `keys`.
    pub fn new(input: Arc<dyn ExecutionPlan>, keys: Arc<JoinKeys>) -> Self {
        Self { input, keys, metrics: ExecutionPlanMetricsSet::new() }
    }
}

impl DisplayAs for JoinKeysExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let schema = self.schema();
        let names: Vec<&str> = self.keys.columns().map(|key| schema.field(key).name().as_str()).collect();
        write!(f, "JoinKeysExec: keys=[{}]", names.join(", "))
    }
}

impl ExecutionPlan for JoinKeysExec {
    fn name(&self) -> &str {
        "JoinKeysExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.input.properties()
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![true]
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> DataFusionResult<TreeNodeRecursion>,
    ) -> DataFusionResult<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        let input = children.pop().unwrap_or_else(|| self.input.clone());
        Ok(Arc::new(Self::new(input, self.keys.clone())))
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        self.replace_children(children, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
    }

    /// Returns the input: a join that is reset sends no filter.
    fn reset_state(self: Arc<Self>) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        Ok(self.input.clone())
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> DataFusionResult<SendableRecordBatchStream> {
        let collector = Some(self.keys.collector(context.memory_pool()));
        Ok(Box::pin(Collecting {
            input: self.input.execute(partition, context)?,
            collector,
            bytes: MetricBuilder::new(&self.metrics).counter("bitmap_bytes", partition),
            time: MetricBuilder::new(&self.metrics).subset_time("bitmap_time", partition),
        }))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }

    fn child_stats_requests(&self, partition: Option<usize>) -> Vec<ChildStats> {
        vec![ChildStats::At(partition)]
    }

    fn statistics_from_inputs(
        &self,
        inputs: &[Arc<Statistics>],
        _: &StatisticsArgs,
    ) -> DataFusionResult<Arc<Statistics>> {
        let unknown = || Arc::new(Statistics::new_unknown(&self.schema()));
        Ok(inputs.first().cloned().unwrap_or_else(unknown))
    }

    fn cardinality_effect(&self) -> CardinalityEffect {
        CardinalityEffect::Equal
    }
}

/// The stream of a [`JoinKeysExec`].
struct Collecting {
    input: SendableRecordBatchStream,
    /// `None` after the end of the input.
    collector: Option<KeyCollector>,
    bytes: Count,
    time: Time,
}

impl Stream for Collecting {
    type Item = DataFusionResult<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let batch = ready!(self.input.poll_next_unpin(context));
        let time = self.time.clone();
        let _timer = time.timer();
        match &batch {
            Some(Ok(batch)) => {
                if let Some(collector) = &mut self.collector {
                    collector.add(batch);
                }
            }
            // the keys of a partition that fails are unknown
            Some(Err(_)) => self.collector = None,
            None => {
                if let Some(collector) = self.collector.take() {
                    self.bytes.add(collector.finish());
                }
            }
        }
        Poll::Ready(batch)
    }
}

impl RecordBatchStream for Collecting {
    fn schema(&self) -> SchemaRef {
        self.input.schema()
    }
}
