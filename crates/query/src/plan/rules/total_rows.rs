//! Aggregates without groups, which have one row over any input.

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder};
use datafusion::optimizer::AnalyzerRule;

/// Puts LIMIT 1 above each aggregate without groups that has a condition above it.
///
/// DataFusion pushes a condition without columns (`false`, NULL, one on a constant of a projection,
/// a part that simplification splits off) below every aggregate. An aggregate without groups has
/// its row over no input too, where the condition leaves out the row itself. Nothing is pushed past
/// a limit.
#[derive(Debug)]
pub(super) struct TotalRows;

impl AnalyzerRule for TotalRows {
    fn name(&self) -> &str {
        "total_rows"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        Ok(limit(plan, false)?.data)
    }
}

/// Walks down from the root. `is_conditional`: a filter or a join is above the plan. A subquery
/// that is left in an expression is correlated, and its aggregate gets groups when it becomes a join.
fn limit(plan: LogicalPlan, is_conditional: bool) -> Result<Transformed<LogicalPlan>> {
    let has_condition = matches!(plan, LogicalPlan::Filter(_) | LogicalPlan::Join(_));
    let below = is_conditional || has_condition;
    let plan = plan.map_children(|child| limit(child, below))?;
    let plan = plan.transform_data(|plan| plan.map_subqueries(|subquery| limit(subquery, false)))?;
    let is_total = matches!(&plan.data, LogicalPlan::Aggregate(aggregate)
        if aggregate.group_expr.is_empty());
    if !(is_conditional && is_total) {
        return Ok(plan);
    }
    let limited = LogicalPlanBuilder::new(plan.data).limit(0, Some(1))?.build()?;
    Ok(Transformed::yes(limited))
}
