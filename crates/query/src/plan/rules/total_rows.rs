//! Aggregates that have a row over no input: those without groups, and those with an empty set.

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder};
use datafusion::optimizer::AnalyzerRule;

/// Puts a limit above each such aggregate that has a condition above it.
///
/// DataFusion pushes a condition without columns (`false`, NULL, one on a constant of a projection,
/// a part that simplification splits off) below every aggregate. Such an aggregate has its row over
/// no input too, where the condition leaves out the row itself. Nothing is pushed past a limit, not
/// even past one that all rows are within.
#[derive(Debug)]
pub(super) struct TotalRows;

impl AnalyzerRule for TotalRows {
    fn name(&self) -> &str {
        "total_rows"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        Ok(limit(plan, Above::default())?.data)
    }
}

/// Nodes between a plan and the root.
#[derive(Clone, Copy, Default)]
struct Above {
    /// A filter or a join.
    is_conditional: bool,
    /// A condition without columns, or a projection below a condition that has constants.
    has_constants: bool,
}

/// Walks down from the root. A subquery that is left in an expression is correlated, and its
/// aggregate gets groups when it becomes a join.
fn limit(plan: LogicalPlan, above: Above) -> Result<Transformed<LogicalPlan>> {
    let mut below = above;
    match &plan {
        LogicalPlan::Filter(filter) => {
            below.is_conditional = true;
            below.has_constants |= split_conjunction(&filter.predicate).into_iter().any(is_constant);
        }
        LogicalPlan::Join(join) => {
            below.is_conditional = true;
            below.has_constants |= join.filter.iter().flat_map(split_conjunction).any(is_constant);
        }
        LogicalPlan::Projection(projection) => {
            below.has_constants |= above.is_conditional && projection.expr.iter().any(is_constant);
        }
        _ => {}
    }
    let plan = plan.map_children(|child| limit(child, below))?;
    let plan =
        plan.transform_data(|plan| plan.map_subqueries(|subquery| limit(subquery, Above::default())))?;
    let rows = match &plan.data {
        LogicalPlan::Aggregate(aggregate) if aggregate.group_expr.is_empty() => 1,
        LogicalPlan::Aggregate(aggregate)
            if above.has_constants && matches!(aggregate.group_expr.as_slice(), [Expr::GroupingSet(_)]) =>
        {
            usize::MAX >> 1
        }
        _ => return Ok(plan),
    };
    match above.is_conditional {
        true => {
            let limited = LogicalPlanBuilder::new(plan.data).limit(0, Some(rows))?;
            limited.build().map(Transformed::yes)
        }
        false => Ok(plan),
    }
}

fn is_constant(expr: &Expr) -> bool {
    expr.column_refs().is_empty() && !expr.is_volatile()
}
