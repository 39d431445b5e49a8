//! Sorts that stay above LIMIT and OFFSET.

use std::fmt;
use std::sync::Arc;

use crate::tree::Tree;
use datafusion::common::Statistics;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::execution_plan::ReplaceChildrenOptions;
use datafusion::physical_plan::limit::GlobalLimitExec;
use datafusion::physical_plan::statistics::StatisticsArgs;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};

/// Runs the placement of sorts on each plan below a limit by itself, and on the rest with these
/// plans hidden.
///
/// The rule moves a sort below a limit as a top-k of the input, without regard to OFFSET: rows of
/// the answer are lost or replaced.
#[derive(Debug)]
struct SortsAboveLimits {
    place: Arc<dyn PhysicalOptimizerRule + Send + Sync>,
}

/// Returns the rules with a placement of sorts that moves none below a limit.
pub(in crate::plan) fn sorts_above_limits(
    rules: Vec<Arc<dyn PhysicalOptimizerRule + Send + Sync>>,
) -> Vec<Arc<dyn PhysicalOptimizerRule + Send + Sync>> {
    let keep = |rule: Arc<dyn PhysicalOptimizerRule + Send + Sync>| match rule.name() {
        "EnsureRequirements" => Arc::new(SortsAboveLimits { place: rule }),
        _ => rule,
    };
    rules.into_iter().map(keep).collect()
}

impl PhysicalOptimizerRule for SortsAboveLimits {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        options: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let close = |node: Arc<dyn ExecutionPlan>| match node.downcast_ref::<GlobalLimitExec>() {
            Some(_) => {
                let plan = self.place.optimize(node, options)?;
                Ok(Transformed::yes(Arc::new(ClosedExec { plan }) as Arc<dyn ExecutionPlan>))
            }
            None => Ok(Transformed::no(node)),
        };
        let closed = plan.transform_up(close)?;
        let placed = self.place.optimize(closed.data, options)?;
        match closed.transformed {
            true => open(placed),
            false => Ok(placed),
        }
    }

    fn name(&self) -> &str {
        self.place.name()
    }

    fn schema_check(&self) -> bool {
        self.place.schema_check()
    }
}

/// Replaces all closed nodes, also nested ones, by their plans.
fn open(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    let opened = plan.transform_up(|node| match node.downcast_ref::<ClosedExec>() {
        Some(closed) => open(closed.plan.clone()).map(Transformed::yes),
        None => Ok(Transformed::no(node)),
    })?;
    Ok(opened.data)
}

/// A plan that shows a rule its properties and hides its inputs.
#[derive(Debug, Clone)]
struct ClosedExec {
    plan: Arc<dyn ExecutionPlan>,
}

impl DisplayAs for ClosedExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ClosedExec")
    }
}

impl ExecutionPlan for ClosedExec {
    fn name(&self) -> &str {
        "ClosedExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.plan.properties()
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

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        self.plan.execute(partition, context)
    }

    fn statistics_from_inputs(&self, _: &[Arc<Statistics>], _: &StatisticsArgs) -> Result<Arc<Statistics>> {
        Ok(Arc::new(Statistics::new_unknown(&self.plan.schema())))
    }
}
