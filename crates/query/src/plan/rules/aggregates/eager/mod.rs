//! Eager aggregation: rows grouped by the key of a join before it, and merged behind it.
//!
//! An aggregate over a join to a dimension table looks each row's text up, and hashes it. Here the
//! rows are grouped by the join's key first, and the dimension's columns are looked up once for
//! each of these groups. The partial results pass through the join, and are merged by the columns
//! that the query names (Yan and Larson, "Eager Aggregation and Lazy Aggregation", VLDB 1995).

mod below;
mod exec;
mod gain;

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::error::Result;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateInputMode, AggregateMode};
use datafusion::physical_plan::{ExecutionPlan, InputOrderMode};

use super::mergeable::{can_merge, last};
use crate::tree::Tree;
pub(super) use below::{Grouping, Side, Sides};
use exec::MergeGroupsExec;

/// Puts a partial aggregate by the keys of joins below them, if each row finds its dimension's
/// columns on the other side.
///
/// A partial result passes an inner join once for each row of the other side that it matches, as
/// the rows that it is of would: merging gives the same groups and values.
#[derive(Debug)]
pub(in crate::plan) struct EagerAggregation {
    /// Off, rows are grouped behind all joins.
    pub is_on: bool,
}

impl PhysicalOptimizerRule for EagerAggregation {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        if !self.is_on {
            return Ok(plan);
        }
        plan.transform_down(|node| {
            let eager = node.downcast_ref::<AggregateExec>().map(eager).transpose()?.flatten();
            Ok(match eager {
                Some(plan) => Transformed::yes(plan),
                None => Transformed::no(node),
            })
        })
        .data()
    }

    fn name(&self) -> &str {
        "eager_aggregation"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// Returns the plan that groups rows below joins and merges the groups; `None` if it can't, or if
/// too little would be gained.
fn eager(aggregate: &AggregateExec) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let (keys, mode) = (aggregate.group_expr(), *aggregate.mode());
    let is_possible = mode.input_mode() == AggregateInputMode::Raw
        && !keys.has_grouping_set()
        && !keys.expr().is_empty()
        && aggregate.limit_options().is_none()
        && *aggregate.input_order_mode() == InputOrderMode::Linear;
    if !is_possible {
        return Ok(None);
    }
    for value in aggregate.aggr_expr() {
        if !can_merge(value, aggregate.input())? || !gain::is_exact(value, &aggregate.input_schema())? {
            return Ok(None);
        }
    }
    let Some(groups) = Grouping::of(aggregate).below(aggregate.input())? else { return Ok(None) };
    if mode == AggregateMode::Partial {
        let values = aggregate.aggr_expr().to_vec();
        let (rows, keys) = (aggregate.input_schema(), keys.expr().len());
        let merged = MergeGroupsExec::new(groups, values, rows, keys, aggregate.schema());
        return Ok(Some(Arc::new(merged)));
    }
    let last = last(aggregate, groups)?;
    Ok((last.schema() == aggregate.schema()).then(|| Arc::new(last) as Arc<dyn ExecutionPlan>))
}
