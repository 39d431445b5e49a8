//! Dense groups: aggregation by few groups without a hash of each row.
//!
//! DataFusion hashes the keys of each row and compares them with those of a group. Here each key's
//! values get codes ([`keys`]): the views of one dictionary are told apart by their 128 bits, and
//! integers of a small range by their place in it. The codes of a row are the index of its group in
//! a table ([`pelton_dense::GroupNumbers`]). Sums, means and counts share the totals of an argument
//! ([`super::grouping`]); other aggregates are DataFusion's.
//!
//! The operator takes the place of a partial aggregate, so that it may give up at any time: it
//! emits its groups, and the next operator gets the remaining rows: DataFusion's, or that of
//! [clustered groups](super::clustered_groups). On one thread ([`single`]), it has a final
//! aggregate of its own, which it leaves out if it gives up at the first rows.

mod codes;
mod keys;
mod single;

use std::sync::Arc;

use arrow::datatypes::DataType;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode, PhysicalGroupBy};
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet};
use datafusion::physical_plan::{ExecutionPlan, InputOrderMode};

use super::clustered_groups;
use super::grouping::{GroupingExec, Method, Running};
use super::mergeable::{all_can_merge, last, partial};
use crate::tree::Tree;
use codes::Next;
use keys::KeyCodes;

/// Replaces partial aggregates, and those of one thread, by a `DenseAggregateExec` if all keys have
/// types with codes. Runs behind the rule for clustered groups.
#[derive(Debug)]
pub(in crate::plan) struct DenseGroups {
    /// Off, DataFusion groups all rows.
    pub is_on: bool,
}

impl PhysicalOptimizerRule for DenseGroups {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        if !self.is_on {
            return Ok(plan);
        }
        plan.transform_up(|node| {
            let clustered = node.downcast_ref::<GroupingExec>();
            let clustered = clustered.filter(|operator| operator.name() == clustered_groups::NAME);
            let (aggregate, next) = match clustered {
                Some(clustered) => (Some(clustered.aggregate()), Next::Clustered),
                None => (node.downcast_ref::<AggregateExec>(), Next::Hashed),
            };
            let dense = aggregate.map(|aggregate| dense(aggregate, next)).transpose()?.flatten();
            Ok(match dense {
                Some(plan) => Transformed::yes(plan),
                None => Transformed::no(node),
            })
        })
        .data()
    }

    fn name(&self) -> &str {
        "dense_groups"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// Grouping by codes.
#[derive(Debug)]
struct ByCode {
    /// Operator for the remaining rows of a partial aggregate.
    next: Next,
}

impl Method for ByCode {
    fn name(&self) -> Option<&'static str> {
        Some("DenseAggregateExec")
    }

    fn next(&self) -> Option<&'static str> {
        (self.next == Next::Clustered).then_some(clustered_groups::NAME)
    }

    fn open(
        &self,
        aggregate: &Arc<AggregateExec>,
        metrics: &ExecutionPlanMetricsSet,
        running: &Running,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        if *aggregate.mode() != AggregateMode::Partial {
            return single::open(aggregate, metrics, running.clone(), context);
        }
        let output = BaselineMetrics::new(metrics, partition);
        let groups = codes::open(aggregate, self.next, metrics, output, partition, context)?;
        Ok(groups.into_stream(aggregate))
    }
}

/// Returns the plan that groups by codes; `None` if a key has no codes, or results depend on the
/// order of rows.
fn dense(aggregate: &AggregateExec, next: Next) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let (keys, mode) = (aggregate.group_expr(), *aggregate.mode());
    let is_possible = matches!(mode, AggregateMode::Partial | AggregateMode::Single)
        && keys.is_single()
        && !keys.is_empty()
        && aggregate.limit_options().is_none()
        && *aggregate.input_order_mode() == InputOrderMode::Linear;
    if !is_possible || !have_codes(keys, aggregate.input())? || !all_can_merge(aggregate)? {
        return Ok(None);
    }
    let method = Arc::new(ByCode { next });
    let dense: Arc<dyn ExecutionPlan> = Arc::new(GroupingExec::new(Arc::new(aggregate.clone()), method));
    if mode == AggregateMode::Partial {
        return Ok(Some(dense));
    }
    let groups = Arc::new(partial(aggregate)?);
    Ok((last(aggregate, groups)?.schema() == aggregate.schema()).then_some(dense))
}

/// Returns whether keys have codes that are found faster than a hash: that of a single number is
/// not, as DataFusion keeps such keys in an array of their own type.
fn have_codes(keys: &PhysicalGroupBy, input: &Arc<dyn ExecutionPlan>) -> Result<bool> {
    let types = keys.expr().iter().map(|(key, _)| key.data_type(&input.schema()));
    let types = types.collect::<Result<Vec<_>>>()?;
    Ok(match &types[..] {
        [one] => matches!(one, DataType::Utf8View | DataType::BinaryView),
        several => several.iter().all(KeyCodes::exist),
    })
}
