//! Limits that aggregates were given before their input had an order.

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::error::Result;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::AggregateExec;

/// Takes the limit of a DISTINCT away whose input turned out to be sorted, as below a window.
/// DataFusion can't execute such an aggregate.
#[derive(Debug)]
pub(in crate::plan) struct UnlimitSortedDistinct;

impl PhysicalOptimizerRule for UnlimitSortedDistinct {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        let unlimit = |node: Arc<dyn ExecutionPlan>| {
            let Some(aggregate) = node.downcast_ref::<AggregateExec>() else {
                return Ok(Transformed::no(node));
            };
            let is_possible = aggregate.is_unordered_unfiltered_group_by_distinct();
            match aggregate.limit_options() {
                Some(limit) if limit.descending().is_none() && !is_possible => {
                    let plan: Arc<dyn ExecutionPlan> = Arc::new(aggregate.with_new_limit_options(None));
                    Ok(Transformed::yes(plan))
                }
                _ => Ok(Transformed::no(node)),
            }
        };
        plan.transform_up(unlimit).map(|unlimited| unlimited.data)
    }

    fn name(&self) -> &str {
        "UnlimitSortedDistinct"
    }

    fn schema_check(&self) -> bool {
        true
    }
}
