//! Operator that passes rows on and hides their order, or also their constants and partitioning.

use std::fmt;
use std::sync::Arc;

use datafusion::common::Statistics;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, Partitioning};
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;
use datafusion::physical_plan::execution_plan::{CardinalityEffect, ReplaceChildrenOptions};
use datafusion::physical_plan::filter_pushdown::{
    ChildPushdownResult, FilterDescription, FilterPushdownPhase, FilterPushdownPropagation,
};
use datafusion::physical_plan::statistics::{ChildStats, StatisticsArgs};
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, PlanProperties,
};

/// The properties that the operator keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Visible {
    Nothing,
    AllButOrder,
}

/// The rows of another plan, in the same partitions.
#[derive(Debug, Clone)]
pub(in crate::plan::rules) struct HiddenPropertiesExec {
    input: Arc<dyn ExecutionPlan>,
    visible: Visible,
    properties: Arc<PlanProperties>,
}

impl HiddenPropertiesExec {
    /// Returns a plan with the rows of `input` and without properties; `input` itself if it has
    /// none.
    pub fn over(input: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
        match input.downcast_ref::<Self>().is_some_and(|input| input.visible == Visible::Nothing) {
            true => input,
            false => Arc::new(Self::new(input, Visible::Nothing)),
        }
    }

    /// Returns a plan with the rows of `input` that hides only their order.
    pub fn without_order(input: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
        match input.downcast_ref::<Self>().is_some() {
            true => input,
            false => Arc::new(Self::new(input, Visible::AllButOrder)),
        }
    }

    /// Returns the plan that makes the rows.
    pub fn input(&self) -> &Arc<dyn ExecutionPlan> {
        &self.input
    }

    fn new(input: Arc<dyn ExecutionPlan>, visible: Visible) -> Self {
        let properties = PlanProperties::clone(input.properties());
        let properties = match visible {
            Visible::Nothing => {
                let partitions = input.output_partitioning().partition_count();
                properties
                    .with_eq_properties(EquivalenceProperties::new(input.schema()))
                    .with_partitioning(Partitioning::UnknownPartitioning(partitions))
            }
            Visible::AllButOrder => {
                let mut equivalences = input.equivalence_properties().clone();
                equivalences.clear_orderings();
                properties.with_eq_properties(equivalences)
            }
        };
        Self { input, visible, properties: Arc::new(properties) }
    }

    fn above(&self, mut children: Vec<Arc<dyn ExecutionPlan>>) -> Arc<dyn ExecutionPlan> {
        Arc::new(Self::new(children.pop().unwrap_or_else(|| self.input.clone()), self.visible))
    }
}

impl DisplayAs for HiddenPropertiesExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UnclaimedExec")
    }
}

impl ExecutionPlan for HiddenPropertiesExec {
    fn name(&self) -> &str {
        "UnclaimedExec"
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
        children: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self.above(children))
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self.above(children))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        self.input.execute(partition, context)
    }

    fn child_stats_requests(&self, partition: Option<usize>) -> Vec<ChildStats> {
        vec![ChildStats::At(partition)]
    }

    fn statistics_from_inputs(
        &self,
        inputs: &[Arc<Statistics>],
        _: &StatisticsArgs,
    ) -> Result<Arc<Statistics>> {
        Ok(inputs[0].clone())
    }

    fn supports_limit_pushdown(&self) -> bool {
        true
    }

    fn cardinality_effect(&self) -> CardinalityEffect {
        CardinalityEffect::Equal
    }

    fn gather_filters_for_pushdown(
        &self,
        _: FilterPushdownPhase,
        parent_filters: Vec<Arc<dyn PhysicalExpr>>,
        _: &ConfigOptions,
    ) -> Result<FilterDescription> {
        FilterDescription::from_children(parent_filters, &self.children())
    }

    fn handle_child_pushdown_result(
        &self,
        _: FilterPushdownPhase,
        result: ChildPushdownResult,
        _: &ConfigOptions,
    ) -> Result<FilterPushdownPropagation<Arc<dyn ExecutionPlan>>> {
        Ok(FilterPushdownPropagation::if_all(result))
    }
}
