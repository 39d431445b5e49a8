//! Keys that are computed below their operator: keys of grouping sets, volatile keys of GROUP BY
//! such as `random()`, and keys by which rows are ordered.

use std::collections::HashSet;
use std::sync::Arc;

use crate::tree::{PlanTree, Tree};
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNodeRecursion};
use datafusion::common::{Column, Result, plan_err};
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::{Aggregate, Expr, GroupingSet, LogicalPlan, LogicalPlanBuilder};

use super::order_keys::{order_keys_below, order_keys_of_calls};

/// Computes such keys in projections below the operators of a plan that is not analyzed yet.
///
/// DataFusion pushes a condition on a volatile key below the aggregate with the key's expression in
/// it, which has another value there. It pushes none below a projection of such an expression. If a
/// rule changes an expression within grouping sets, DataFusion gives all sets together one name,
/// and an aggregate takes sets with a name for one key. Functions are rewritten before the first
/// analyzer rule, so this is a separate pass.
///
/// # Errors
/// A node can't be made of its new expressions.
pub(in crate::plan) fn computed_keys(plan: LogicalPlan) -> Result<LogicalPlan> {
    plan.transform_all_up(|plan| match plan {
        LogicalPlan::Aggregate(aggregate) => {
            let ordered = order_keys_of_calls(aggregate)?;
            let is_changed = ordered.transformed;
            let computed = compute_below(ordered.data)?;
            Ok(Transformed::new_transformed(computed.data, is_changed || computed.transformed))
        }
        other => order_keys_below(other),
    })
    .data()
}

fn compute_below(mut aggregate: Aggregate) -> Result<Transformed<LogicalPlan>> {
    let mut below = Below::default();
    for key in &mut aggregate.group_expr {
        match key {
            Expr::GroupingSet(GroupingSet::Rollup(keys) | GroupingSet::Cube(keys)) => {
                keys.iter_mut().for_each(|key| below.take(key));
            }
            Expr::GroupingSet(GroupingSet::GroupingSets(sets)) => {
                sets.iter_mut().flatten().for_each(|key| below.take(key));
            }
            key if key.is_volatile() => below.take(key),
            _ => {}
        }
    }
    if below.keys.is_empty() {
        return Ok(Transformed::no(LogicalPlan::Aggregate(aggregate)));
    }
    let keys = aggregate.group_expr.iter().flat_map(Expr::column_refs);
    if let Some(key) = keys.into_iter().find(|key| key.relation.is_some() && below.hides(key)) {
        return plan_err!(
            "{key} and a cast of it are keys of grouping sets: give one of them another name in a subquery"
        );
    }
    let parts = aggregate.group_expr.iter().chain(&aggregate.aggr_expr);
    let needed: HashSet<Column> = parts.flat_map(Expr::column_refs).cloned().collect();
    let columns = aggregate.input.schema().columns().into_iter().filter(|column| needed.contains(column));
    let columns = columns.map(|column| match below.hides(&column) {
        true => Expr::Column(column.clone()).alias(beside_key(&column).name),
        false => Expr::Column(column),
    });
    let named = below.keys.iter().map(|(name, key)| key.clone().alias(name));
    let projected: Vec<Expr> = columns.chain(named).collect();
    // grouping(key) depends on the key
    let is_key = |part: &Expr| below.keys.iter().any(|(_, key)| key == part);
    let by_name = |part: Expr| match is_key(&part) {
        true => Transformed::yes(column(&part)),
        false => Transformed::no(part),
    };
    let rewrite = |part: Expr| match &part {
        Expr::AggregateFunction(call) if call.func.name() == "grouping" => {
            let told = part.map_children(|argument| Ok(by_name(argument)))?;
            Ok(Transformed { tnr: TreeNodeRecursion::Jump, ..told })
        }
        Expr::Column(column) if below.hides(column) => Ok(Transformed::yes(Expr::Column(beside_key(column)))),
        _ => Ok(Transformed::no(part)),
    };
    let values = aggregate.aggr_expr.into_iter().map(|value| {
        let name = NamePreserver::new_for_projection().save(&value);
        Ok(name.restore(value.transform_down(rewrite)?.data))
    });
    let values = values.collect::<Result<Vec<_>>>()?;
    let input = LogicalPlanBuilder::new_from_arc(aggregate.input).project(projected)?.build()?;
    let aggregate = Aggregate::try_new(Arc::new(input), aggregate.group_expr, values)?;
    Ok(Transformed::yes(LogicalPlan::Aggregate(aggregate)))
}

/// Returns the column of a computed key, by the name that the key has in the aggregate's result.
fn column(key: &Expr) -> Expr {
    Expr::Column(Column::new_unqualified(key.schema_name().to_string()))
}

/// Returns the new name of a column that shares its name with a key.
fn beside_key(column: &Column) -> Column {
    Column::new_unqualified(format!("{} beside a key", column.flat_name()))
}

/// The keys that are computed below an aggregate.
#[derive(Default)]
struct Below {
    /// Distinct keys with their names.
    keys: Vec<(String, Expr)>,
    names: HashSet<String>,
}

impl Below {
    /// Returns whether a key has the name of a column, as the cast of that column does.
    fn hides(&self, column: &Column) -> bool {
        self.names.contains(&column.flat_name())
    }

    /// Replaces a key by its column.
    fn take(&mut self, key: &mut Expr) {
        if matches!(key, Expr::Column(_)) {
            return;
        }
        let name = key.schema_name().to_string();
        let column = column(key);
        let key = std::mem::replace(key, column);
        if self.names.insert(name.clone()) {
            self.keys.push((name, key.unalias()));
        }
    }
}
