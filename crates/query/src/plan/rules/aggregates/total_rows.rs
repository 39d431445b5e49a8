//! Aggregates that have a row over no input: those without groups, and those with an empty set.

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder};
use datafusion::optimizer::AnalyzerRule;

/// Puts a limit above each such aggregate that has a condition above it.
///
/// DataFusion pushes a condition without columns (`false`, NULL, one on a constant of a projection,
/// a part that simplification splits off) below every aggregate. Such an aggregate has its row over
/// no input too, where the condition leaves out the row itself. Nothing is pushed past a limit, not
/// even past one that all rows are within.
#[derive(Debug)]
pub(in crate::plan::rules) struct TotalRows;

impl AnalyzerRule for TotalRows {
    fn name(&self) -> &str {
        "total_rows"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        Ok(limit(plan, false)?.data)
    }
}

/// Walks down from the root. `is_conditional`: a filter or a join is above the plan. A subquery
/// that is left in an expression is correlated: its aggregate gets groups when it becomes a join.
fn limit(plan: LogicalPlan, is_conditional: bool) -> Result<Transformed<LogicalPlan>> {
    let has_condition = matches!(plan, LogicalPlan::Filter(_) | LogicalPlan::Join(_));
    let below = is_conditional || has_condition;
    let plan = plan.map_children(|child| limit(child, below))?;
    let plan = plan.transform_data(|plan| plan.map_subqueries(|subquery| limit(subquery, false)))?;
    let rows = match &plan.data {
        LogicalPlan::Aggregate(aggregate) if is_conditional => match aggregate.group_expr.as_slice() {
            [] => 1,
            [Expr::GroupingSet(_)] => usize::MAX >> 1,
            _ => return Ok(plan),
        },
        _ => return Ok(plan),
    };
    LogicalPlanBuilder::new(plan.data).limit(0, Some(rows))?.build().map(Transformed::yes)
}
