//! Clustered groups: aggregation of rows with keys in runs, as in files that were written in the
//! order of a key, such as the lines of an order.
//!
//! DataFusion's partial aggregate hashes each row, and gives up where more than a fifth of its rows
//! are groups: the rows are then sent to the threads of the final aggregate one by one. Here the
//! rows of a run become one row with partial results first ([`runs`]), by a comparison of each row
//! with the one before it. The partial results are hashed while this merges many of them.
//!
//! The operator takes the place of a partial aggregate. DataFusion's gets the remaining rows as
//! soon as runs have fewer than two rows on average. The first rows may decide it.

mod runs;

pub(super) use runs::open;

use std::sync::Arc;

use arrow::datatypes::DataType;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode};
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet};
use datafusion::physical_plan::{ExecutionPlan, InputOrderMode};

use super::grouping::{GroupingExec, Method, Running};
use super::mergeable::all_can_merge;
use crate::tree::Tree;

/// Name of the operator.
pub(super) const NAME: &str = "ClusteredAggregateExec";

/// Replaces partial aggregates by a `ClusteredAggregateExec` if results can be merged in any order.
#[derive(Debug)]
pub(in crate::plan) struct ClusteredGroups {
    /// Off, DataFusion groups all rows.
    pub is_on: bool,
}

impl PhysicalOptimizerRule for ClusteredGroups {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        if !self.is_on {
            return Ok(plan);
        }
        plan.transform_up(|node| {
            let Some(aggregate) = node.downcast_ref::<AggregateExec>() else {
                return Ok(Transformed::no(node));
            };
            if !is_possible(aggregate)? {
                return Ok(Transformed::no(node));
            }
            let clustered = GroupingExec::new(Arc::new(aggregate.clone()), Arc::new(ByRun));
            Ok(Transformed::yes(Arc::new(clustered)))
        })
        .data()
    }

    fn name(&self) -> &str {
        "clustered_groups"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// Returns whether an aggregate is a partial one with results that can be merged again.
fn is_possible(aggregate: &AggregateExec) -> Result<bool> {
    let keys = aggregate.group_expr();
    if *aggregate.mode() != AggregateMode::Partial
        || !keys.is_single()
        || keys.is_empty()
        || aggregate.limit_options().is_some()
        || *aggregate.input_order_mode() != InputOrderMode::Linear
    {
        return Ok(false);
    }
    let schema = aggregate.input().schema();
    for (key, _) in keys.expr() {
        if !can_compare(&key.data_type(&schema)?) {
            return Ok(false);
        }
    }
    all_can_merge(aggregate)
}

/// Returns whether rows are compared by a kernel of their type.
fn can_compare(key: &DataType) -> bool {
    key.is_primitive() || key.is_string() || key.is_binary() || *key == DataType::Boolean
}

/// Grouping of clustered rows.
#[derive(Debug)]
struct ByRun;

impl Method for ByRun {
    fn name(&self) -> Option<&'static str> {
        Some(NAME)
    }

    fn open(
        &self,
        aggregate: &Arc<AggregateExec>,
        metrics: &ExecutionPlanMetricsSet,
        _: &Running,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let rows = aggregate.input().execute(partition, context.clone())?;
        let output = BaselineMetrics::new(metrics, partition);
        open(aggregate, rows, metrics, output, partition, context)
    }
}
