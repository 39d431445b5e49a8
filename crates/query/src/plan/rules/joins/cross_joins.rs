//! DataFusion's rule for cross joins, left out of queries that have none.

use datafusion::common::Result;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::logical_expr::{JoinType, LogicalPlan};
use datafusion::optimizer::eliminate_cross_join::EliminateCrossJoin;

use crate::plan::rules::gated_rule::GatedRule;
use crate::tree::PlanTree;

/// Returns the optimizer rule that gives cross joins the keys of conditions above them.
///
/// A query of joins that all have keys keeps them: conditions above them become keys when they
/// reach the joins. The rule would take such joins apart, in a time that grows with the cube of
/// their number, and put them together along the first tables of FROM, against the order by cost.
pub(super) fn cross_joins() -> GatedRule<EliminateCrossJoin> {
    GatedRule::new(EliminateCrossJoin::new(), has_cross_joins)
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
