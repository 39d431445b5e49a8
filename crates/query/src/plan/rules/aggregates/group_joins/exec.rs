//! Operator that adds the rows of a join's probe side up to the groups of its build side.

use std::fmt;
use std::sync::Arc;

use arrow::datatypes::{Schema, SchemaRef};
use datafusion::common::JoinType;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::execution_plan::{ChildrenPropertiesMode, ReplaceChildrenOptions};
use datafusion::physical_plan::metrics::{
    BaselineMetrics, ExecutionPlanMetricsSet, MetricBuilder, MetricsSet,
};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, Distribution, ExecutionPlan, PlanProperties};
use futures::{TryStreamExt, stream};

use super::Expr;
use super::groups::GroupsByKey;
use crate::plan::rules::aggregates::grouping::GroupStream;
use crate::plan::rules::joins::{BuildSide, KeyedJoin};

/// Name of the operator.
const NAME: &str = "GroupJoinExec";

/// Groups of a partial aggregate over a join, one for each row of the build side with rows of the
/// probe side.
pub(super) struct GroupJoinExec {
    join: KeyedJoin,
    /// The aggregate over the joined rows, for the names and types of its groups.
    partial: Arc<AggregateExec>,
    /// Its keys, over the build side.
    keys: Vec<Expr>,
    /// Its aggregates, over the probe side.
    values: Arc<AggregateExec>,
    build_side: BuildSide,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

impl GroupJoinExec {
    /// Returns the operator for an aggregate over a join, with its keys over the build side, and
    /// its aggregates over the probe side.
    pub fn new(join: KeyedJoin, partial: AggregateExec, keys: Vec<Expr>, values: AggregateExec) -> Self {
        let properties = partial.properties().clone();
        Self::of(join, Arc::new(partial), keys, Arc::new(values), properties)
    }

    fn of(
        join: KeyedJoin,
        partial: Arc<AggregateExec>,
        keys: Vec<Expr>,
        values: Arc<AggregateExec>,
        properties: Arc<PlanProperties>,
    ) -> Self {
        let metrics = ExecutionPlanMetricsSet::new();
        Self { join, partial, keys, values, build_side: BuildSide::default(), properties, metrics }
    }

    /// Returns the operator over another join.
    fn over(&self, join: KeyedJoin) -> Self {
        let (partial, values) = (self.partial.clone(), self.values.clone());
        Self::of(join, partial, self.keys.clone(), values, self.properties.clone())
    }
}

/// Returns a schema with the same columns, which may all be NULL.
pub(super) fn nullable(schema: &Schema) -> SchemaRef {
    let fields = schema.fields().iter().map(|field| field.as_ref().clone().with_nullable(true));
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

impl fmt::Debug for GroupJoinExec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(NAME).field("join", &self.join).finish_non_exhaustive()
    }
}

impl DisplayAs for GroupJoinExec {
    fn fmt_as(&self, form: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (build, probe) = &self.join.on;
        let kind = self.join.join_type;
        let keys: Vec<_> = self.keys.iter().map(ToString::to_string).collect();
        let values: Vec<_> = self.partial.aggr_expr().iter().map(|value| value.name()).collect();
        let (keys, values) = (keys.join(", "), values.join(", "));
        match form {
            DisplayFormatType::TreeRender => write!(f, "on={build} = {probe}\ngby={keys}\naggr={values}"),
            DisplayFormatType::Default | DisplayFormatType::Verbose => {
                write!(f, "{NAME}: join_type={kind}, on=[({build}, {probe})], gby=[{keys}], aggr=[{values}]")
            }
        }
    }
}

impl ExecutionPlan for GroupJoinExec {
    fn name(&self) -> &str {
        NAME
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        self.join.children()
    }

    fn required_input_distribution(&self) -> Vec<Distribution> {
        vec![Distribution::SinglePartition, Distribution::UnspecifiedDistribution]
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false, false]
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        self.values.apply_expressions(f)
    }

    fn replace_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(self.over(self.join.with_children(children))))
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.replace_children(children, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
    }

    fn reset_state(self: Arc<Self>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(self.over(self.join.again())))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let is_outer = self.join.join_type == JoinType::Left;
        let keys = self.keys.clone();
        let built = self.build_side.collected(&self.join, keys, is_outer, &self.metrics, &context)?;
        let rows = self.join.right.execute(partition, context.clone())?;
        let counted = |name: &'static str| MetricBuilder::new(&self.metrics).counter(name, partition);
        let (matched, passed_on) = (counted("rows_matched"), counted("rows_passed_on"));
        let output = BaselineMetrics::new(&self.metrics, partition);
        let (partial, values, key) = (self.partial.clone(), self.values.clone(), self.join.on.1.clone());
        let groups = async move {
            let built = built.await.map_err(|error| DataFusionError::from(&error))?;
            let groups = GroupsByKey::new(built, partial.clone(), &values, key, matched)?;
            let name = format!("{NAME}[{partition}]");
            let groups = GroupStream::new(groups, rows, name, output, passed_on, &context);
            Ok::<_, DataFusionError>(groups.into_stream(&partial))
        };
        let groups = stream::once(groups).try_flatten();
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), groups)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }
}
