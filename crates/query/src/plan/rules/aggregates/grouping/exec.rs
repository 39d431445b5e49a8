//! Operator that groups rows by the codes of their keys.

use std::fmt;
use std::sync::Arc;

use datafusion::common::Statistics;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode};
use datafusion::physical_plan::execution_plan::{
    CardinalityEffect, ChildrenPropertiesMode, ReplaceChildrenOptions,
};
use datafusion::physical_plan::metrics::{ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::statistics::{ChildStats, StatisticsArgs};
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, Distribution, ExecutionPlan, InputDistributionRequirements, PlanProperties,
};

use super::single::{self, Running};
use super::stream;

/// The groups of a partial aggregate, which may come several times, as from any partial aggregate;
/// or the results of an aggregate of one thread.
#[derive(Debug)]
pub(super) struct DenseAggregateExec {
    /// DataFusion's operator, which takes the remaining rows if there are too many groups.
    aggregate: Arc<AggregateExec>,
    metrics: ExecutionPlanMetricsSet,
    /// The operator below that computes the results of one thread.
    running: Running,
}

impl DenseAggregateExec {
    /// Returns an operator in place of a partial aggregate, or of one of one thread.
    pub fn new(aggregate: Arc<AggregateExec>) -> Self {
        Self { aggregate, metrics: ExecutionPlanMetricsSet::new(), running: Running::default() }
    }

    fn is_partial(&self) -> bool {
        *self.aggregate.mode() == AggregateMode::Partial
    }
}

impl DisplayAs for DenseAggregateExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keys: Vec<_> =
            self.aggregate.group_expr().expr().iter().map(|(key, _)| key.to_string()).collect();
        let values: Vec<_> = self.aggregate.aggr_expr().iter().map(|value| value.name()).collect();
        let (mode, keys, values) = (self.aggregate.mode(), keys.join(", "), values.join(", "));
        write!(f, "DenseAggregateExec: mode={mode:?}, gby=[{keys}], aggr=[{values}]")
    }
}

impl ExecutionPlan for DenseAggregateExec {
    fn name(&self) -> &str {
        "DenseAggregateExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.aggregate.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        self.aggregate.children()
    }

    fn required_input_distribution(&self) -> Vec<Distribution> {
        self.input_distribution_requirements().into_per_child()
    }

    fn input_distribution_requirements(&self) -> InputDistributionRequirements {
        self.aggregate.input_distribution_requirements()
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        self.aggregate.apply_expressions(f)
    }

    fn replace_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
        options: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let replaced = self.aggregate.clone().replace_children(children, options)?;
        Ok(match replaced.downcast_ref::<AggregateExec>() {
            Some(aggregate) => Arc::new(Self::new(Arc::new(aggregate.clone()))),
            None => replaced,
        })
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.replace_children(children, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        match self.is_partial() {
            true => stream::open(&self.aggregate, &self.metrics, partition, context),
            false => single::open(&self.aggregate, &self.metrics, self.running.clone(), context),
        }
    }

    fn metrics(&self) -> Option<MetricsSet> {
        let mut metrics = self.metrics.clone_inner();
        let running = self.running.lock().as_ref().and_then(|plan| plan.metrics()).unwrap_or_default();
        // the others count the rows of this operator again
        let is_shown = |name: &str| name == "elapsed_compute" || name.starts_with("spill");
        let shown = running.iter().filter(|metric| is_shown(metric.value().name()));
        shown.for_each(|metric| metrics.push(metric.clone()));
        Some(metrics)
    }

    fn child_stats_requests(&self, partition: Option<usize>) -> Vec<ChildStats> {
        self.aggregate.child_stats_requests(partition)
    }

    fn statistics_from_inputs(
        &self,
        inputs: &[Arc<Statistics>],
        args: &StatisticsArgs,
    ) -> Result<Arc<Statistics>> {
        self.aggregate.statistics_from_inputs(inputs, args)
    }

    fn cardinality_effect(&self) -> CardinalityEffect {
        self.aggregate.cardinality_effect()
    }
}
