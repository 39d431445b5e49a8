//! Operator in place of an aggregate, with a way of its own to find the group of a row.

use std::fmt;
use std::sync::Arc;

use datafusion::common::Statistics;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::execution_plan::{
    CardinalityEffect, ChildrenPropertiesMode, ReplaceChildrenOptions,
};
use datafusion::physical_plan::metrics::{ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::statistics::{ChildStats, StatisticsArgs};
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, Distribution, ExecutionPlan, InputDistributionRequirements, PlanProperties,
};
use parking_lot::Mutex;

/// DataFusion's aggregate that computes the results, while it runs.
pub(in crate::plan::rules::aggregates) type Running = Arc<Mutex<Option<Arc<dyn ExecutionPlan>>>>;

/// A way to find the groups of rows.
pub(in crate::plan::rules::aggregates) trait Way:
    fmt::Debug + Send + Sync
{
    /// Returns the name of the operator that groups rows this way.
    fn name(&self) -> &'static str;

    /// Executes a partition of an aggregate. `running` gets the operator below that computes the
    /// results, if there is one.
    ///
    /// # Errors
    /// The input can't start, or an aggregate has no partial results.
    fn open(
        &self,
        aggregate: &Arc<AggregateExec>,
        metrics: &ExecutionPlanMetricsSet,
        running: &Running,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream>;
}

/// The groups of a partial aggregate, which may come several times, as from any partial aggregate;
/// or the results of an aggregate of one thread.
#[derive(Debug)]
pub(in crate::plan::rules::aggregates) struct GroupingExec {
    /// DataFusion's operator, which takes the remaining rows where the way does not pay.
    aggregate: Arc<AggregateExec>,
    way: Arc<dyn Way>,
    metrics: ExecutionPlanMetricsSet,
    /// The operator below that computes the results of one thread.
    running: Running,
}

impl GroupingExec {
    /// Returns an operator in place of an aggregate.
    pub fn new(aggregate: Arc<AggregateExec>, way: Arc<dyn Way>) -> Self {
        Self { aggregate, way, metrics: ExecutionPlanMetricsSet::new(), running: Running::default() }
    }

    /// Returns the aggregate that this operator stands for.
    pub fn aggregate(&self) -> &AggregateExec {
        &self.aggregate
    }
}

impl DisplayAs for GroupingExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keys: Vec<_> =
            self.aggregate.group_expr().expr().iter().map(|(key, _)| key.to_string()).collect();
        let values: Vec<_> = self.aggregate.aggr_expr().iter().map(|value| value.name()).collect();
        let (mode, keys, values) = (self.aggregate.mode(), keys.join(", "), values.join(", "));
        write!(f, "{}: mode={mode:?}, gby=[{keys}], aggr=[{values}]", self.way.name())
    }
}

impl ExecutionPlan for GroupingExec {
    fn name(&self) -> &str {
        self.way.name()
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
            Some(aggregate) => Arc::new(Self::new(Arc::new(aggregate.clone()), self.way.clone())),
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
        self.way.open(&self.aggregate, &self.metrics, &self.running, partition, context)
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
