//! Broadcasts of large build sides: hash joins with one table of millions of rows
//! for all threads.

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::error::Result;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::joins::{HashJoinExec, PartitionMode};
use datafusion::physical_plan::statistics::{StatisticsArgs, StatisticsContext};

use crate::tree::Tree;

/// Largest build side in rows: 4M rows take about 100 MB, and a third of a second of one thread.
const MOST_ROWS: usize = 4 << 20;

/// Probed rows for each row of the build side and each thread, from which one table pays: one
/// thread builds it while the others wait, and no probed row is copied to the thread of its hash.
const PROBED: usize = 8;

/// Makes one table for such joins before the rule that chooses sides and modes, which decides by
/// the rows of the build side alone.
#[derive(Debug)]
pub(in crate::plan) struct LargeBroadcasts {
    /// Off, DataFusion's rule decides all joins.
    pub is_on: bool,
}

impl LargeBroadcasts {
    /// Returns the rules with this one in front of the choice.
    pub fn placed(
        self,
        mut rules: Vec<Arc<dyn PhysicalOptimizerRule + Send + Sync>>,
    ) -> Vec<Arc<dyn PhysicalOptimizerRule + Send + Sync>> {
        let choice = rules.iter().position(|rule| rule.name() == "join_selection");
        rules.insert(choice.unwrap_or_default(), Arc::new(self));
        rules
    }
}

impl PhysicalOptimizerRule for LargeBroadcasts {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        config: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        if !self.is_on {
            return Ok(plan);
        }
        let statistics = StatisticsContext::new();
        let rows = |plan: &Arc<dyn ExecutionPlan>| {
            let statistics = statistics.compute(plan.as_ref(), &StatisticsArgs::new()).ok()?;
            statistics.num_rows.get_value().copied()
        };
        let plan = plan.transform_up(|plan| {
            let Some(join) = plan.downcast_ref::<HashJoinExec>() else { return Ok(Transformed::no(plan)) };
            if *join.partition_mode() != PartitionMode::Auto || join.null_aware {
                return Ok(Transformed::no(plan));
            }
            let (Some(left), Some(right)) = (rows(join.left()), rows(join.right())) else {
                return Ok(Transformed::no(plan));
            };
            if !pays(left.min(right), left.max(right), config.execution.target_partitions) {
                return Ok(Transformed::no(plan));
            }
            join.builder().with_partition_mode(PartitionMode::CollectLeft).build_exec().map(Transformed::yes)
        });
        plan.data()
    }

    fn name(&self) -> &str {
        "large_broadcasts"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// Returns whether one table of `built` rows pays for `probed` rows and so many threads.
fn pays(built: usize, probed: usize, threads: usize) -> bool {
    built <= MOST_ROWS && probed / PROBED / threads.max(1) >= built
}

#[cfg(test)]
mod tests;
