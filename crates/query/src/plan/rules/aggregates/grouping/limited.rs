//! Aggregates under a memory limit: final ones split groups that don't fit, and DataFusion's others
//! have a pool that gives them the memory that they hold already.

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::metrics::ExecutionPlanMetricsSet;
use datafusion::physical_plan::{ExecutionPlan, InputOrderMode};

use super::partitions::ByPartition;
use super::{GroupingExec, Method, Running, hash_rows};
use crate::tree::Tree;

/// Has the final aggregates of a session with a limit run by [`ByPartition`], and the others by
/// [`hash_rows`].
#[derive(Debug)]
pub(in crate::plan) struct LimitedAggregates {
    /// On if the session's memory has a limit.
    pub is_on: bool,
    /// Off, all run by [`hash_rows`].
    pub is_split: bool,
}

impl PhysicalOptimizerRule for LimitedAggregates {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        if !self.is_on {
            return Ok(plan);
        }
        plan.transform_up(|node| {
            let hashing = node.downcast_ref::<AggregateExec>().filter(|aggregate| hashes(aggregate));
            let Some(aggregate) = hashing else { return Ok(Transformed::no(node)) };
            let method: Arc<dyn Method> = match self.is_split && ByPartition::is_possible(aggregate)? {
                true => Arc::new(ByPartition),
                false => Arc::new(ByHash),
            };
            Ok(Transformed::yes(Arc::new(GroupingExec::new(Arc::new(aggregate.clone()), method))))
        })
        .data()
    }

    fn name(&self) -> &str {
        "limited_aggregates"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// Returns whether an aggregate hashes rows.
fn hashes(aggregate: &AggregateExec) -> bool {
    !aggregate.group_expr().is_true_no_grouping()
        && aggregate.limit_options().is_none()
        && *aggregate.input_order_mode() == InputOrderMode::Linear
}

/// DataFusion's method.
#[derive(Debug)]
struct ByHash;

impl Method for ByHash {
    fn name(&self) -> Option<&'static str> {
        None
    }

    fn open(
        &self,
        aggregate: &Arc<AggregateExec>,
        _: &ExecutionPlanMetricsSet,
        running: &Running,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let rows = aggregate.input().execute(partition, context.clone())?;
        let (results, plan) = hash_rows(aggregate, rows, partition, context)?;
        running.lock().push(plan);
        Ok(results)
    }
}
