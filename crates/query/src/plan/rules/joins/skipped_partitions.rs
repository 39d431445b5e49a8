//! Joins with partitions that are never executed.

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::error::Result;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::joins::{
    CrossJoinExec, HashJoinExec, NestedLoopJoinExec, PartitionMode, SortMergeJoinExec,
};
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties, replace_children_if_necessary};

/// Removes the dynamic filters of a join with one hash table for all partitions if a join above
/// executes only some of these.
///
/// A partition of a hash-partitioned join without rows on its build side drops the stream of its
/// probe side. The partitions of a shared table wait until each of them has seen the table, to make
/// their filter; with a dropped one they wait forever.
#[derive(Debug)]
pub(in crate::plan) struct SkippedPartitions;

impl PhysicalOptimizerRule for SkippedPartitions {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        without_filters(plan, false)
    }

    fn name(&self) -> &str {
        "skipped_partitions"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// Walks down the plan. `skips`: an operator above may drop the stream of a partition before its
/// first row, and no operator between reads all partitions.
fn without_filters(plan: Arc<dyn ExecutionPlan>, skips: bool) -> Result<Arc<dyn ExecutionPlan>> {
    let skipped = skipped_inputs(&plan, skips);
    let inputs = plan.children().into_iter().zip(skipped);
    let inputs = inputs.map(|(input, skips)| without_filters(input.clone(), skips));
    let inputs = inputs.collect::<Result<Vec<_>>>()?;
    let plan = replace_children_if_necessary(plan, inputs)?;
    match plan.downcast_ref::<HashJoinExec>() {
        Some(join)
            if skips
                && *join.partition_mode() == PartitionMode::CollectLeft
                && !plan.dynamic_expressions_produced().is_empty()
                && plan.output_partitioning().partition_count() > 1 =>
        {
            join.builder().reset_state().build_exec()
        }
        _ => Ok(plan),
    }
}

/// Returns for each input whether its partitions may be skipped.
fn skipped_inputs(plan: &Arc<dyn ExecutionPlan>, skips: bool) -> Vec<bool> {
    if let Some(join) = plan.downcast_ref::<HashJoinExec>() {
        return match join.partition_mode() {
            PartitionMode::CollectLeft => vec![false, skips],
            _ => vec![skips, true],
        };
    }
    if plan.downcast_ref::<SortMergeJoinExec>().is_some() {
        return vec![true, true];
    }
    if plan.downcast_ref::<NestedLoopJoinExec>().is_some() || plan.downcast_ref::<CrossJoinExec>().is_some() {
        return vec![false, skips];
    }
    vec![skips && !reads_all_partitions(plan); plan.children().len()]
}

/// Returns whether an operator reads all partitions of its input for each one of its own.
pub(in crate::plan::rules) fn reads_all_partitions(plan: &Arc<dyn ExecutionPlan>) -> bool {
    plan.downcast_ref::<RepartitionExec>().is_some()
        || plan.downcast_ref::<CoalescePartitionsExec>().is_some()
        || plan.downcast_ref::<SortPreservingMergeExec>().is_some()
}
