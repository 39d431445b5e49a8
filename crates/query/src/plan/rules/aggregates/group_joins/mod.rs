//! Group-joins: aggregates by the key of the join that their rows come of.
//!
//! A hash join finds the row of its build side for each row of the probe side, and an aggregate by
//! the same key hashes the joined row again, to find its group. Here the key of the build side is
//! the group: each row of the probe side is looked up once, and added to the group that it finds.
//! No joined row is made; the columns of the build side are taken once for each group (G. Moerkotte
//! and T. Neumann, "Accelerating Queries with Group-By and Join by Groupjoin", PVLDB 2011).
//!
//! The groups are those of a partial aggregate, one for each row of the build side that has rows of
//! the probe side. So the key may occur several times on the build side, and each thread has groups
//! of its own. For the same reason the key need not be among the aggregate's, if all of these are
//! columns of the build side: wide ones are then hashed once for a row of the build side.

mod exec;
mod groups;

use std::sync::Arc;

use datafusion::common::JoinType;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::error::Result;
use datafusion::physical_expr::aggregate::AggregateExprBuilder;
use datafusion::physical_expr_common::physical_expr::{PhysicalExpr, is_volatile};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::aggregates::{
    AggregateExec, AggregateInputMode, AggregateMode, PhysicalGroupBy,
};
use datafusion::physical_plan::joins::HashJoinExec;
use datafusion::physical_plan::recursive_query::RecursiveQueryExec;
use datafusion::physical_plan::{ExecutionPlan, InputOrderMode};

use super::eager::{Grouping, Side, Sides};
use super::grouping::GroupingExec;
use super::mergeable::{all_can_merge, last, partial};
use crate::fallible::never_fails;
use crate::plan::rules::joins::KeyedJoin;
use crate::tree::Tree;
use exec::{GroupJoinExec, nullable};

type Expr = Arc<dyn PhysicalExpr>;

/// Replaces partial aggregates over hash joins with one table for all threads by a `GroupJoinExec`,
/// if the key of the join is among theirs, or theirs are wide.
///
/// A recursive query starts the same plan again in every round, and is left as it is.
#[derive(Debug)]
pub(in crate::plan) struct GroupJoins {
    /// Off, rows are joined first and grouped then.
    pub is_on: bool,
}

impl PhysicalOptimizerRule for GroupJoins {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        let is_recursive =
            |node: &Arc<dyn ExecutionPlan>| Ok(node.downcast_ref::<RecursiveQueryExec>().is_some());
        if !self.is_on || plan.exists(is_recursive)? {
            return Ok(plan);
        }
        plan.transform_down(|node| {
            let aggregate = match node.downcast_ref::<GroupingExec>() {
                Some(operator) => Some(operator.aggregate()),
                None => node.downcast_ref::<AggregateExec>(),
            };
            let joined = aggregate.map(group_join).transpose()?.flatten();
            Ok(match joined {
                Some(plan) => Transformed::yes(plan),
                None => Transformed::no(node),
            })
        })
        .data()
    }

    fn name(&self) -> &str {
        "group_joins"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// Returns the plan that adds rows up to the groups of the join that they come of; `None` if they
/// come of no such join.
fn group_join(aggregate: &AggregateExec) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let keys = aggregate.group_expr();
    let is_possible = aggregate.mode().input_mode() == AggregateInputMode::Raw
        && keys.is_single()
        && !keys.is_empty()
        && aggregate.limit_options().is_none()
        && *aggregate.input_order_mode() == InputOrderMode::Linear;
    if !is_possible || !all_can_merge(aggregate)? {
        return Ok(None);
    }
    let Some((grouping, join)) = Grouping::of(aggregate).over_join(aggregate.input())? else {
        return Ok(None);
    };
    let keyed =
        KeyedJoin::of(join)?.filter(|join| [JoinType::Inner, JoinType::Left].contains(&join.join_type));
    let Some(keyed) = keyed else { return Ok(None) };
    let (build, probe) = &keyed.on;
    let sides = Sides::of_join(join);
    let values = || grouping.arguments.iter().flatten().chain(grouping.filters.iter().flatten());
    if !values().all(|value| matches!(sides.of(value), Side::Probe | Side::Neither) && !is_volatile(value)) {
        return Ok(None);
    }
    let (mut over_build, mut has_key) = (Vec::new(), false);
    for (key, _) in &grouping.keys {
        let key = match sides.of(key) {
            Side::Build => sides.over_build(key)?,
            // rows without a match have NULL there
            Side::Probe if *join.join_type() == JoinType::Inner && sides.over_probe(key)?.eq(probe) => {
                build.clone()
            }
            _ => return Ok(None),
        };
        has_key |= key.eq(build);
        over_build.push(key);
    }
    if !(has_key || grouping.has_wide_keys())
        || !over_build.iter().all(|key| never_fails(key, &join.left().schema()))
    {
        return Ok(None);
    }
    let Some(values) = over_probe(aggregate, &grouping, &sides, join)? else { return Ok(None) };
    let partial = match *aggregate.mode() == AggregateMode::Partial {
        true => aggregate.clone(),
        false => partial(aggregate)?,
    };
    let groups = Arc::new(GroupJoinExec::new(keyed, partial, over_build, values));
    if *aggregate.mode() == AggregateMode::Partial {
        return Ok(Some(groups));
    }
    let last = last(aggregate, groups)?;
    Ok((last.schema() == aggregate.schema()).then(|| Arc::new(last) as Arc<dyn ExecutionPlan>))
}

/// Returns the aggregates of the rows of the probe side; `None` if their partial results have other
/// types than those of the joined rows.
fn over_probe(
    aggregate: &AggregateExec,
    grouping: &Grouping,
    sides: &Sides,
    join: &HashJoinExec,
) -> Result<Option<AggregateExec>> {
    let schema = nullable(&join.right().schema());
    let mut values = Vec::new();
    for (value, arguments) in aggregate.aggr_expr().iter().zip(&grouping.arguments) {
        let arguments = arguments.iter().map(|argument| sides.over_probe(argument)).collect::<Result<_>>()?;
        let builder = AggregateExprBuilder::new(Arc::new(value.fun().clone()), arguments);
        let builder = builder.schema(schema.clone()).alias(value.name());
        let own = Arc::new(builder.with_ignore_nulls(value.ignore_nulls()).build()?);
        let (states, own_states) = (value.state_fields()?, own.state_fields()?);
        let mut pairs = states.iter().zip(&own_states);
        if states.len() != own_states.len() || !pairs.all(|(one, other)| one.data_type() == other.data_type())
        {
            return Ok(None);
        }
        values.push(own);
    }
    let filters = grouping.filters.iter();
    let filters = filters.map(|filter| filter.as_ref().map(|filter| sides.over_probe(filter)).transpose());
    let (filters, keys) = (filters.collect::<Result<_>>()?, PhysicalGroupBy::new_single(Vec::new()));
    let input = join.right().clone();
    AggregateExec::try_new(AggregateMode::Partial, keys, values, filters, input, schema).map(Some)
}
