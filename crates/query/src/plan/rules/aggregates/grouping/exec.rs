//! Operator in place of an aggregate, with a method of its own to find the group of a row.

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

/// DataFusion's aggregates that compute results, one for each partition.
pub(in crate::plan::rules::aggregates) type Running = Arc<Mutex<Vec<Arc<dyn ExecutionPlan>>>>;

/// A method to find the groups of rows.
pub(in crate::plan::rules::aggregates) trait Method:
    fmt::Debug + Send + Sync
{
    /// Returns the name of the operator that groups rows by this method; `None`: it is shown as
    /// DataFusion's.
    fn name(&self) -> Option<&'static str>;

    /// Returns the name of the operator for rows that are passed on, if it isn't DataFusion's.
    fn next(&self) -> Option<&'static str> {
        None
    }

    /// Executes a partition of an aggregate. `running` gets DataFusion's operator if that computes
    /// the results.
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

/// The results of an aggregate. Groups of a partial one may come several times, as from any partial
/// aggregate.
#[derive(Debug)]
pub(in crate::plan::rules::aggregates) struct GroupingExec {
    /// DataFusion's operator, which gets the rows that are passed on.
    aggregate: Arc<AggregateExec>,
    method: Arc<dyn Method>,
    metrics: ExecutionPlanMetricsSet,
    running: Running,
}

impl GroupingExec {
    /// Returns an operator in place of an aggregate.
    pub fn new(aggregate: Arc<AggregateExec>, method: Arc<dyn Method>) -> Self {
        Self { aggregate, method, metrics: ExecutionPlanMetricsSet::new(), running: Running::default() }
    }

    /// Returns the aggregate that this operator stands for.
    pub fn aggregate(&self) -> &AggregateExec {
        &self.aggregate
    }
}

impl DisplayAs for GroupingExec {
    fn fmt_as(&self, form: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(name) = self.method.name().filter(|_| form != DisplayFormatType::TreeRender) else {
            return self.aggregate.fmt_as(form, f);
        };
        let keys: Vec<_> =
            self.aggregate.group_expr().expr().iter().map(|(key, _)| key.to_string()).collect();
        let values: Vec<_> = self.aggregate.aggr_expr().iter().map(|value| value.name()).collect();
        let (mode, keys, values) = (self.aggregate.mode(), keys.join(", "), values.join(", "));
        write!(f, "{name}: mode={mode:?}, gby=[{keys}], aggr=[{values}]")?;
        self.method.next().map_or(Ok(()), |next| write!(f, ", next={next}"))
    }
}

impl ExecutionPlan for GroupingExec {
    fn name(&self) -> &str {
        self.method.name().unwrap_or(self.aggregate.name())
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
            Some(aggregate) => Arc::new(Self::new(Arc::new(aggregate.clone()), self.method.clone())),
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
        self.method.open(&self.aggregate, &self.metrics, &self.running, partition, context)
    }

    fn metrics(&self) -> Option<MetricsSet> {
        let mut metrics = self.metrics.clone_inner();
        let running = self.running.lock();
        let running = running
            .iter()
            .flat_map(|plan| plan.metrics().unwrap_or_default().iter().cloned().collect::<Vec<_>>());
        // beside a method's own metrics, those of DataFusion's operator count the same rows again
        let is_own = self.method.name().is_none();
        let is_shown = |name: &str| is_own || name == "elapsed_compute" || name.starts_with("spill");
        running.filter(|metric| is_shown(metric.value().name())).for_each(|metric| metrics.push(metric));
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
