//! Barrier that makes scans wait for the dynamic filters of the joins above them.

use std::collections::HashSet;
use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::datasource::source::DataSourceExec;
use datafusion::error::Result as DataFusionResult;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::joins::HashJoinExec;
use datafusion::physical_plan::recursive_query::RecursiveQueryExec;

use crate::scan::PeltonSource;
use crate::tree::Tree;

/// Makes a scan wait for the joins above it that will send a filter.
///
/// A hash join reads its build side whole, and then pushes its keys into the scan of the probe side
/// as a dynamic filter. A join asks for rows of its probe side after that; but a merge of
/// partitions in between starts its inputs at once, and the scan would read everything before the
/// filter is there. Waiting costs no work: the build side never depends on the probe side.
///
/// A recursive query starts the same plan again in every round, and its joins make new filters that
/// the scans don't have. Its scans do not wait.
#[derive(Debug)]
pub(in crate::plan) struct JoinFilterBarrier;

impl PhysicalOptimizerRule for JoinFilterBarrier {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        let mut from_joins = HashSet::new();
        let mut recursive = false;
        plan.apply(|node| {
            recursive |= node.downcast_ref::<RecursiveQueryExec>().is_some();
            if node.downcast_ref::<HashJoinExec>().is_some() {
                let filters = node.dynamic_expressions_produced();
                from_joins.extend(filters.iter().filter_map(|filter| filter.expression_id()));
            }
            Ok(TreeNodeRecursion::Continue)
        })?;
        if recursive {
            return Ok(plan);
        }
        let wait = |node: Arc<dyn ExecutionPlan>| {
            let source = node.downcast_ref::<DataSourceExec>();
            let Some(source) = source.and_then(|exec| exec.data_source().downcast_ref::<PeltonSource>())
            else {
                return Ok(Transformed::no(node));
            };
            let source = source.clone().awaiting(&from_joins);
            Ok(Transformed::yes(DataSourceExec::from_data_source(source) as Arc<dyn ExecutionPlan>))
        };
        plan.transform_up(wait).map(|transformed| transformed.data)
    }

    fn name(&self) -> &str {
        "await_joins"
    }

    fn schema_check(&self) -> bool {
        true
    }
}
