//! Operator that merges partial results by the keys of their aggregate.

use std::fmt;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion::common::Statistics;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::aggregate::AggregateFunctionExpr;
use datafusion::physical_expr::{EquivalenceProperties, Partitioning};
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;
use datafusion::physical_plan::execution_plan::{
    ChildrenPropertiesMode, EmissionType, ReplaceChildrenOptions,
};
use datafusion::physical_plan::filter_pushdown::{
    ChildFilterDescription, FilterDescription, FilterPushdownPhase,
};
use datafusion::physical_plan::metrics::{
    BaselineMetrics, Count, ExecutionPlanMetricsSet, MetricBuilder, MetricsSet, RecordOutput,
};
use datafusion::physical_plan::statistics::{ChildStats, StatisticsArgs};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, PlanProperties,
};
use futures::{StreamExt, stream};

use crate::plan::rules::aggregates::output::Output;
use crate::plan::rules::aggregates::rollups::level::Level;
use crate::plan::rules::aggregates::rollups::sets::Set;

/// The groups of an aggregate with their partial results, as a partial aggregate emits them.
///
/// Its input has the same columns, with several partial results for a group.
#[derive(Debug, Clone)]
pub(super) struct MergeGroupsExec {
    input: Arc<dyn ExecutionPlan>,
    aggregates: Arc<[Arc<AggregateFunctionExpr>]>,
    /// Columns that the aggregates' arguments are over.
    rows: SchemaRef,
    keys: usize,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

impl MergeGroupsExec {
    /// Returns an operator with a schema of keys and partial results. Arguments of the aggregates
    /// are over `rows`.
    pub fn new(
        input: Arc<dyn ExecutionPlan>,
        aggregates: Vec<Arc<AggregateFunctionExpr>>,
        rows: SchemaRef,
        keys: usize,
        schema: SchemaRef,
    ) -> Self {
        let partitions = input.output_partitioning().partition_count();
        let properties = PlanProperties::new(
            EquivalenceProperties::new(schema),
            Partitioning::UnknownPartitioning(partitions),
            EmissionType::Final,
            input.boundedness(),
        );
        let (properties, metrics) = (Arc::new(properties), ExecutionPlanMetricsSet::new());
        Self { input, aggregates: aggregates.into(), rows, keys, properties, metrics }
    }
}

impl DisplayAs for MergeGroupsExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MergeGroupsExec: ")?;
        for (number, field) in self.schema().fields().iter().take(self.keys).enumerate() {
            let comma = if number == 0 { "" } else { ", " };
            write!(f, "{comma}{}", field.name())?;
        }
        Ok(())
    }
}

impl ExecutionPlan for MergeGroupsExec {
    fn name(&self) -> &str {
        "MergeGroupsExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let input = children.pop().unwrap_or_else(|| self.input.clone());
        let (aggregates, rows) = (self.aggregates.to_vec(), self.rows.clone());
        Ok(Arc::new(Self::new(input, aggregates, rows, self.keys, self.schema())))
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.replace_children(children, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
    }

    /// Conditions on keys hold for all rows of a group or for none.
    fn gather_filters_for_pushdown(
        &self,
        _: FilterPushdownPhase,
        filters: Vec<Arc<dyn PhysicalExpr>>,
        _: &ConfigOptions,
    ) -> Result<FilterDescription> {
        let keys = (0..self.keys).collect();
        let child = ChildFilterDescription::from_child_with_allowed_indices(&filters, keys, &self.input)?;
        Ok(FilterDescription::new().with_child(child))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let metrics = BaselineMetrics::new(&self.metrics, partition);
        let passed_on = MetricBuilder::new(&self.metrics).counter("groups_not_merged", partition);
        let input = self.input.execute(partition, context.clone())?;
        let memory = MemoryConsumer::new(format!("MergeGroupsExec[{partition}]")).with_can_spill(true);
        let set = Set { omits: vec![false; self.keys], ids: vec![0], from: None };
        let merge = Merge {
            input: Some(input),
            level: Some(Level::new(&set, &self.aggregates, &self.schema(), &self.rows)?),
            schema: self.schema(),
            output: Output::new(context.session_config().batch_size()),
            memory: memory.register(context.memory_pool()),
            metrics,
            passed_on,
        };
        let batches = stream::try_unfold(merge, |mut state| async move {
            let batch = state.next().await?;
            Ok(batch.map(|batch| (batch, state)))
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), batches)))
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
    ) -> Result<Arc<Statistics>> {
        let groups = inputs.first().map(|groups| groups.as_ref().clone()).unwrap_or_default();
        Ok(Arc::new(groups.to_inexact()))
    }
}

/// A running [`MergeGroupsExec`].
struct Merge {
    /// `None` at its end.
    input: Option<SendableRecordBatchStream>,
    /// `None` if merging is in vain.
    level: Option<Level>,
    schema: SchemaRef,
    output: Output,
    memory: MemoryReservation,
    metrics: BaselineMetrics,
    /// Groups that came when merging was in vain.
    passed_on: Count,
}

impl Merge {
    async fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(batch) = self.output.next() {
                return Ok(Some(batch.record_output(&self.metrics)));
            }
            let Some(input) = &mut self.input else { return Ok(None) };
            let batch = input.next().await;
            let compute = self.metrics.elapsed_compute().clone();
            let _timer = compute.timer();
            match batch {
                Some(batch) => self.merge(batch?)?,
                None => {
                    self.input = None;
                    self.emit()?;
                    self.memory.free();
                }
            }
        }
    }

    fn merge(&mut self, batch: RecordBatch) -> Result<()> {
        let rows = batch.num_rows();
        let Some(level) = self.level.as_mut().filter(|_| rows > 0) else {
            self.passed_on.add(rows);
            self.output.push(batch.with_schema(self.schema.clone())?);
            return Ok(());
        };
        level.merge(&batch.columns().to_vec(), rows)?;
        let is_in_vain = level.is_in_vain();
        if is_in_vain || self.memory.try_resize(level.size()).is_err() {
            self.emit()?;
        }
        if is_in_vain {
            self.level = None;
        }
        Ok(())
    }

    /// Emits all groups. Their memory stays reserved until the next ones are merged.
    fn emit(&mut self) -> Result<()> {
        let groups = self.level.as_mut().map(Level::take).transpose()?.flatten();
        if let Some(columns) = groups {
            self.output.push(RecordBatch::try_new(self.schema.clone(), columns)?);
        }
        Ok(())
    }
}
