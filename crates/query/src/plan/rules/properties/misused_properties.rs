//! Constants and equal columns from which DataFusion draws wrong conclusions.

use std::sync::Arc;

use datafusion::common::JoinType;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::error::Result;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::execution_plan::{ChildrenPropertiesMode, ReplaceChildrenOptions};
use datafusion::physical_plan::joins::{HashJoinExec, NestedLoopJoinExec, SortMergeJoinExec};
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::windows::{BoundedWindowAggExec, WindowAggExec};
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};

use super::hidden_properties::HiddenPropertiesExec;
use crate::tree::Tree;

/// Hides such properties from the operator, and from the operators above it.
///
/// If a side of an outer join has a constant that becomes NULL for rows of the other side,
/// DataFusion takes it for a constant of the result too: it drops the column from sort keys, and
/// takes rows for sorted by it. Where two columns are equal, it sorts the rows of a window by a
/// computed key of one of them, and does not find the key of the other one in the order. A sort by
/// constants alone has no order, which DataFusion's own rules take for a fault.
#[derive(Debug)]
struct HideMisusedProperties;

/// Returns the rules with this one in front, and once more before the removal of sorts: a cross
/// join with swapped sides has new constants.
pub(in crate::plan) fn misused_properties(
    mut rules: Vec<Arc<dyn PhysicalOptimizerRule + Send + Sync>>,
) -> Vec<Arc<dyn PhysicalOptimizerRule + Send + Sync>> {
    let sorts = rules.iter().position(|rule| rule.name() == "EnsureRequirements");
    rules.insert(sorts.unwrap_or(0), Arc::new(HideMisusedProperties));
    rules.insert(0, Arc::new(HideMisusedProperties));
    rules
}

impl PhysicalOptimizerRule for HideMisusedProperties {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(hide).data()
    }

    fn name(&self) -> &str {
        "hide_misused_claims"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

fn hide(plan: Arc<dyn ExecutionPlan>) -> Result<Transformed<Arc<dyn ExecutionPlan>>> {
    let is_hidden = match join_type(plan.as_ref()) {
        Some(join_type) => constants_beside_nulls(&plan, join_type),
        None if has_computed_key(plan.as_ref()) => plan.children().into_iter().map(has_equals).collect(),
        None if is_without_order(plan.as_ref()) => vec![true],
        None => return Ok(Transformed::no(plan)),
    };
    if !is_hidden.contains(&true) {
        return Ok(Transformed::no(plan));
    }
    let inputs = plan.children().into_iter().zip(is_hidden);
    let hidden = inputs.map(|(input, is_hidden)| match is_hidden {
        true => HiddenPropertiesExec::over(input.clone()),
        false => input.clone(),
    });
    let hidden = hidden.collect();
    let recompute = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
    plan.replace_children(hidden, recompute).map(Transformed::yes)
}

/// Returns for each input whether it has constants that become NULL for rows of the other.
fn constants_beside_nulls(join: &Arc<dyn ExecutionPlan>, join_type: JoinType) -> Vec<bool> {
    let has_nulls = [
        matches!(join_type, JoinType::Right | JoinType::Full),
        matches!(join_type, JoinType::Left | JoinType::Full),
    ];
    let inputs = join.children().into_iter().zip(has_nulls);
    let has_constants =
        |input: &Arc<dyn ExecutionPlan>| !input.equivalence_properties().constants().is_empty();
    inputs.map(|(input, has_nulls)| has_nulls && has_constants(input)).collect()
}

/// Returns whether some columns of a plan are equal to others.
fn has_equals(input: &Arc<dyn ExecutionPlan>) -> bool {
    input.equivalence_properties().eq_group().iter().any(|class| class.len() > 1)
}

/// Returns whether a plan is a window over partitions by a key that is not a column.
fn has_computed_key(plan: &dyn ExecutionPlan) -> bool {
    let windows = plan.downcast_ref::<WindowAggExec>().map(WindowAggExec::window_expr);
    let windows =
        windows.or_else(|| plan.downcast_ref::<BoundedWindowAggExec>().map(|plan| plan.window_expr()));
    let mut keys = windows.into_iter().flatten().flat_map(|window| window.partition_by());
    keys.any(|key| key.downcast_ref::<Column>().is_none())
}

/// Returns whether a plan is a sort by constants of its input.
fn is_without_order(plan: &dyn ExecutionPlan) -> bool {
    plan.downcast_ref::<SortExec>().is_some_and(|sort| sort.properties().output_ordering().is_none())
}

fn join_type(plan: &dyn ExecutionPlan) -> Option<JoinType> {
    let hash = plan.downcast_ref::<HashJoinExec>().map(|join| *join.join_type());
    let loops = plan.downcast_ref::<NestedLoopJoinExec>().map(|join| *join.join_type());
    let merge = plan.downcast_ref::<SortMergeJoinExec>().map(|join| join.join_type());
    hash.or(loops).or(merge)
}
