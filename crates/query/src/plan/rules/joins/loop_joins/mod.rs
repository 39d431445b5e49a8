//! Nested loop joins that run out of memory.
//!
//! When its left side does not fit, DataFusion's nested loop join executes that side again, writes
//! it to disk, and joins it chunk by chunk with the right side. In DataFusion 55 the result is
//! right for some joins only:
//!
//! - Operators keep state, so a second execution of a started plan may return other rows, or panic.
//!   Here the second execution runs a fresh copy of the plan.
//! - Each partition of the right side finds the left rows without a match by itself. Here such a
//!   join runs again with a right side of one partition.
//! - Rows of the right side without a match are lost if the last chunk ends with the left side.
//!   Here such a join runs again with its sides swapped.
//!
//! A full join needs both kinds, and fails with the error that memory ran out.

mod build_side;
mod retried;

use std::sync::Arc;

use datafusion::common::JoinType;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::error::Result as DataFusionResult;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::joins::{NestedLoopJoinExec, NestedLoopJoinExecBuilder};
use datafusion::physical_plan::work_table::WorkTableExec;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};

use crate::tree::Tree;
use build_side::{Again, BuildSideExec};
use retried::RetriedJoinExec;

/// Makes nested loop joins return the right rows, or an error, under a memory limit.
#[derive(Debug)]
pub(in crate::plan) struct SpillLoopJoins;

impl PhysicalOptimizerRule for SpillLoopJoins {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        let guard = |node: Arc<dyn ExecutionPlan>| match node.downcast_ref::<NestedLoopJoinExec>() {
            Some(join) => guarded(join).map(Transformed::yes),
            None => Ok(Transformed::no(node)),
        };
        plan.transform_up(guard).map(|transformed| transformed.data)
    }

    fn name(&self) -> &str {
        "spill_loop_joins"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

fn guarded(join: &NestedLoopJoinExec) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
    let right = join.right();
    let runs_again = !reads_work_table(join.left())? && !reads_work_table(right)?;
    let spills = runs_again && spills_correctly(*join.join_type(), right);
    let again = if spills { Again::Fresh } else { Again::Refused };
    let build_side = Arc::new(BuildSideExec::new(join.left().clone(), again));
    let guarded = Arc::new(with_sides(join, build_side, right.clone())?);
    if spills || !runs_again || *join.join_type() == JoinType::Full {
        return Ok(guarded);
    }
    Ok(Arc::new(RetriedJoinExec::new(guarded)?))
}

/// Returns whether DataFusion's result is right when a join does not fit in memory.
fn spills_correctly(join_type: JoinType, right: &Arc<dyn ExecutionPlan>) -> bool {
    match join_type {
        JoinType::Inner => true,
        JoinType::Left | JoinType::LeftSemi | JoinType::LeftAnti | JoinType::LeftMark => {
            right.output_partitioning().partition_count() == 1
        }
        JoinType::Right
        | JoinType::RightSemi
        | JoinType::RightAnti
        | JoinType::RightMark
        | JoinType::Full => false,
    }
}

/// Returns whether a plan reads the rows of a recursive query's last round, which can be read only
/// once.
fn reads_work_table(plan: &Arc<dyn ExecutionPlan>) -> DataFusionResult<bool> {
    plan.exists(|node| Ok(node.downcast_ref::<WorkTableExec>().is_some()))
}

/// Returns the same join over other plans.
fn with_sides(
    join: &NestedLoopJoinExec,
    left: Arc<dyn ExecutionPlan>,
    right: Arc<dyn ExecutionPlan>,
) -> DataFusionResult<NestedLoopJoinExec> {
    NestedLoopJoinExecBuilder::new(left, right, *join.join_type())
        .with_filter(join.filter().cloned())
        .with_projection_ref(join.projection().clone())
        .build()
}
