//! DataFusion's rule for cross joins, left out of queries that have none.

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::logical_expr::{JoinType, LogicalPlan};
use datafusion::optimizer::eliminate_cross_join::EliminateCrossJoin;
use datafusion::optimizer::optimizer::{ApplyOrder, OptimizerConfig, OptimizerRule};

use crate::tree::PlanTree;

/// Optimizer rule that gives cross joins the keys of conditions above them.
///
/// A query of joins that all have keys keeps them: conditions above them become keys when they
/// reach the joins. The rule would take such joins apart, in a time that grows with the cube of
/// their number, and put them together along the first tables of FROM, against the order by cost.
#[derive(Debug, Default)]
pub(super) struct CrossJoins(EliminateCrossJoin);

impl OptimizerRule for CrossJoins {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        self.0.apply_order()
    }

    fn supports_rewrite(&self) -> bool {
        true
    }

    fn rewrite(&self, plan: LogicalPlan, config: &dyn OptimizerConfig) -> Result<Transformed<LogicalPlan>> {
        match has_cross_joins(&plan)? {
            true => self.0.rewrite(plan, config),
            false => Ok(Transformed::no(plan)),
        }
    }
}

/// Returns whether a plan has an inner join without keys.
fn has_cross_joins(plan: &LogicalPlan) -> Result<bool> {
    let mut found = false;
    plan.apply_to_all(|node| {
        found |= matches!(node, LogicalPlan::Join(join) if join.join_type == JoinType::Inner && join.on.is_empty());
        Ok(if found { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    })?;
    Ok(found)
}
