//! DataFusion's rule for repeated keys, left out of aggregates that have none.

use std::collections::HashSet;

use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;
use datafusion::optimizer::eliminate_duplicated_expr::EliminateDuplicatedExpr;

use crate::plan::rules::gated_rule::GatedRule;

/// Returns the optimizer rule that removes repeated keys of sorts and aggregates.
///
/// DataFusion's rule makes every aggregate anew, with names and types of all its columns, which
/// was a tenth of the optimizer's time for a query of forty sums.
pub(in crate::plan::rules) fn repeated_keys() -> GatedRule<EliminateDuplicatedExpr> {
    GatedRule::new(EliminateDuplicatedExpr::new(), may_have_repeated_keys)
}

fn may_have_repeated_keys(plan: &LogicalPlan) -> Result<bool> {
    let LogicalPlan::Aggregate(aggregate) = plan else { return Ok(true) };
    let mut keys = HashSet::with_capacity(aggregate.group_expr.len());
    Ok(!aggregate.group_expr.iter().all(|key| keys.insert(key)))
}
