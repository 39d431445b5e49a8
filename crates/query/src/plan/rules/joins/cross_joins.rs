//! DataFusion's rule for cross joins, left out of large queries that have none.

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::logical_expr::{JoinType, LogicalPlan};
use datafusion::optimizer::eliminate_cross_join::EliminateCrossJoin;
use datafusion::optimizer::optimizer::{ApplyOrder, OptimizerConfig, OptimizerRule};

use crate::tree::PlanTree;

/// Number of inner joins up to which the rule always runs. Its time grows with the cube of their
/// number.
const FEW_JOINS: usize = 64;

/// Optimizer rule that gives cross joins the keys of conditions above them. A query of many joins
/// that all have keys keeps them: conditions above them become keys when they reach the joins.
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
        match has_many_keyed_joins(&plan)? {
            true => Ok(Transformed::no(plan)),
            false => self.0.rewrite(plan, config),
        }
    }
}

/// Returns whether a plan has more than [`FEW_JOINS`] inner joins, all of them with keys.
fn has_many_keyed_joins(plan: &LogicalPlan) -> Result<bool> {
    let (mut joins, mut have_keys) = (0, true);
    plan.apply_to_all(|node| {
        if let LogicalPlan::Join(join) = node
            && join.join_type == JoinType::Inner
        {
            joins += 1;
            have_keys &= !join.on.is_empty();
        }
        Ok(if have_keys { TreeNodeRecursion::Continue } else { TreeNodeRecursion::Stop })
    })?;
    Ok(have_keys && joins > FEW_JOINS)
}
