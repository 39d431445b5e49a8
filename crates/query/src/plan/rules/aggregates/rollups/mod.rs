//! Roll-ups: grouping sets computed from the groups of a finer set.
//!
//! DataFusion gives every row to the hash table once for each set of ROLLUP, CUBE and GROUPING
//! SETS, with NULL for the columns that the set leaves out. Here rows are grouped once, by all
//! columns. The partial results of these groups are merged into those of the next coarser sets,
//! and so on ([`sets`], [`level`]). The final aggregate is DataFusion's, so that roll-ups have the
//! results, types and errors of any aggregate that several threads compute.

mod exec;
pub(super) mod level;
pub(super) mod sets;

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::error::Result;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode, PhysicalGroupBy};

use crate::plan::rules::aggregates::mergeable::can_merge;
use crate::tree::Tree;
use exec::RollUpExec;
use sets::Set;

/// Replaces aggregates with grouping sets by a [`RollUpExec`] over an aggregate by all columns.
///
/// One of the sets must have all columns, as in ROLLUP and CUBE: its groups are needed anyway, so
/// that there is never more to do than by row.
#[derive(Debug)]
pub(in crate::plan) struct RollUps {
    /// Off, each set is computed from the rows.
    pub is_on: bool,
}

impl PhysicalOptimizerRule for RollUps {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        if !self.is_on {
            return Ok(plan);
        }
        plan.transform_up(|node| {
            let rolled_up = node.downcast_ref::<AggregateExec>().map(rolled_up).transpose()?.flatten();
            Ok(match rolled_up {
                Some(plan) => Transformed::yes(plan),
                None => Transformed::no(node),
            })
        })
        .data()
    }

    fn name(&self) -> &str {
        "roll_ups"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// Returns the plan that computes the aggregate's sets from the finest one; `None` if it can't.
fn rolled_up(aggregate: &AggregateExec) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let (keys, mode) = (aggregate.group_expr(), *aggregate.mode());
    let is_possible = matches!(mode, AggregateMode::Partial | AggregateMode::Single)
        && keys.has_grouping_set()
        && aggregate.limit_options().is_none();
    let Some(sets) = is_possible.then(|| Set::all(keys.groups())).flatten() else { return Ok(None) };
    for value in aggregate.aggr_expr() {
        if !can_merge(value, aggregate.input())? {
            return Ok(None);
        }
    }
    let values = || aggregate.aggr_expr().to_vec();
    let partial = |keys: PhysicalGroupBy| {
        let (filters, input) = (aggregate.filter_expr().to_vec(), aggregate.input().clone());
        AggregateExec::try_new(
            AggregateMode::Partial,
            keys,
            values(),
            filters,
            input,
            aggregate.input_schema(),
        )
    };
    let schema = partial(keys.clone())?.schema();
    let finest = Arc::new(partial(PhysicalGroupBy::new_single(keys.expr().to_vec()))?);
    let rolled_up: Arc<dyn ExecutionPlan> =
        Arc::new(RollUpExec::new(finest, sets, values(), aggregate.input_schema(), schema));
    if mode == AggregateMode::Partial {
        return Ok(Some(rolled_up));
    }
    let filters = vec![None; aggregate.aggr_expr().len()];
    let last = AggregateExec::try_new(
        AggregateMode::Final,
        keys.as_final(),
        values(),
        filters,
        rolled_up,
        aggregate.input_schema(),
    )?;
    Ok((last.schema() == aggregate.schema()).then(|| Arc::new(last) as Arc<dyn ExecutionPlan>))
}

#[cfg(test)]
mod tests;
