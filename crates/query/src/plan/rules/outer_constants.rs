//! Constants of a side of an outer join that has NULL in rows of the other side.

use std::sync::Arc;

use datafusion::common::JoinType;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::error::Result;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::execution_plan::{ChildrenPropertiesMode, ReplaceChildrenOptions};
use datafusion::physical_plan::joins::{HashJoinExec, NestedLoopJoinExec, SortMergeJoinExec};
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};

use super::unclaimed::UnclaimedExec;

/// Hides such constants from the join, and from the operators above it.
///
/// DataFusion takes the column for a constant behind the join too: it leaves the column out of the
/// keys of sorts, and takes rows for sorted by it.
#[derive(Debug)]
pub(in crate::plan) struct HideOuterConstants;

impl PhysicalOptimizerRule for HideOuterConstants {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(hide).data()
    }

    fn name(&self) -> &str {
        "hide_constants_of_outer_joins"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

fn hide(plan: Arc<dyn ExecutionPlan>) -> Result<Transformed<Arc<dyn ExecutionPlan>>> {
    let Some(join_type) = join_type(plan.as_ref()) else { return Ok(Transformed::no(plan)) };
    let has_nulls = [
        matches!(join_type, JoinType::Right | JoinType::Full),
        matches!(join_type, JoinType::Left | JoinType::Full),
    ];
    let inputs = plan.children().into_iter().zip(has_nulls);
    let mut is_changed = false;
    let hidden = inputs.map(|(input, has_nulls)| {
        match has_nulls && !input.equivalence_properties().constants().is_empty() {
            true => {
                is_changed = true;
                UnclaimedExec::over(input.clone())
            }
            false => input.clone(),
        }
    });
    let hidden: Vec<_> = hidden.collect();
    match is_changed {
        true => {
            let recompute = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
            plan.replace_children(hidden, recompute).map(Transformed::yes)
        }
        false => Ok(Transformed::no(plan)),
    }
}

fn join_type(plan: &dyn ExecutionPlan) -> Option<JoinType> {
    let hash = plan.downcast_ref::<HashJoinExec>().map(|join| *join.join_type());
    let loops = plan.downcast_ref::<NestedLoopJoinExec>().map(|join| *join.join_type());
    let merge = plan.downcast_ref::<SortMergeJoinExec>().map(|join| join.join_type());
    hash.or(loops).or(merge)
}
