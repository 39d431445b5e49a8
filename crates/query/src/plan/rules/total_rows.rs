//! Aggregates without groups, which have one row whatever their input is.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder};
use datafusion::optimizer::AnalyzerRule;

/// Puts LIMIT 1 above an aggregate without groups where a projection adds constants to its row.
///
/// A condition on such a constant has no column of the aggregate, and DataFusion pushes it below:
/// the aggregate then has its row over no input, where the condition leaves out the row itself.
/// Nothing is pushed past a limit.
#[derive(Debug)]
pub(super) struct TotalRows;

impl AnalyzerRule for TotalRows {
    fn name(&self) -> &str {
        "total_rows"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        plan.transform_up(limit).map(|transformed| transformed.data)
    }
}

fn limit(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let LogicalPlan::Projection(mut projection) = plan else { return Ok(Transformed::no(plan)) };
    let is_changed = projection.expr.iter().any(is_constant) && is_total(&projection.input);
    if is_changed {
        let input = LogicalPlanBuilder::new_from_arc(projection.input.clone()).limit(0, Some(1))?;
        projection.input = Arc::new(input.build()?);
    }
    Ok(Transformed::new_transformed(LogicalPlan::Projection(projection), is_changed))
}

fn is_constant(expr: &Expr) -> bool {
    expr.column_refs().is_empty() && !expr.is_volatile()
}

/// Whether the rows of a plan are those of an aggregate without groups.
fn is_total(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::Aggregate(aggregate) => aggregate.group_expr.is_empty(),
        LogicalPlan::Projection(projection) => is_total(&projection.input),
        LogicalPlan::SubqueryAlias(alias) => is_total(&alias.input),
        LogicalPlan::Filter(filter) => is_total(&filter.input),
        _ => false,
    }
}
