//! Cooperative yield of operators that emit many rows for few.

use std::sync::Arc;

use crate::tree::Tree;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::error::Result as DataFusionResult;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::coop::CooperativeExec;
use datafusion::physical_plan::joins::{
    CrossJoinExec, HashJoinExec, NestedLoopJoinExec, PiecewiseMergeJoinExec, SortMergeJoinExec,
};
use datafusion::physical_plan::unnest::UnnestExec;

/// Makes operators that emit many rows for few return to the async runtime regularly, so that a
/// cancelled query ends.
///
/// DataFusion yields at sources, when the operators above ask them for rows. A join of a few
/// thousand rows with themselves asks once and then emits rows for hours, so that its consumer
/// never returns to the executor.
#[derive(Debug)]
pub(in crate::plan) struct CooperativeYield;

impl PhysicalOptimizerRule for CooperativeYield {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        let wrap = |node: Arc<dyn ExecutionPlan>| {
            Ok(if multiplies(&node) {
                Transformed::yes(Arc::new(CooperativeExec::new(node)) as Arc<dyn ExecutionPlan>)
            } else {
                Transformed::no(node)
            })
        };
        plan.transform_up(wrap).map(|transformed| transformed.data)
    }

    fn name(&self) -> &str {
        "yield_in_joins"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// Returns whether an operator may emit more rows than it reads.
fn multiplies(node: &Arc<dyn ExecutionPlan>) -> bool {
    node.downcast_ref::<HashJoinExec>().is_some()
        || node.downcast_ref::<NestedLoopJoinExec>().is_some()
        || node.downcast_ref::<CrossJoinExec>().is_some()
        || node.downcast_ref::<SortMergeJoinExec>().is_some()
        || node.downcast_ref::<PiecewiseMergeJoinExec>().is_some()
        || node.downcast_ref::<UnnestExec>().is_some()
}
