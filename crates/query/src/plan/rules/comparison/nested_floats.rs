//! Comparisons and keys of lists and structs with floats in them.

use std::collections::HashSet;
use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{Column, DFSchema, Result};
use datafusion::logical_expr::expr::InList;
use datafusion::logical_expr::{
    Aggregate, BinaryExpr, Expr, ExprSchemable, GroupingSet, LogicalPlan, LogicalPlanBuilder, Operator,
};
use datafusion::optimizer::AnalyzerRule;

use crate::plan::rules::expressions::{has, input_schema, rewrite_expressions};

use crate::floats::has_floats;
use crate::functions::{CANONICAL_FLOAT, canonical_float};
use crate::tree::PlanTree;

/// Functions of lists that compare elements.
const COMPARING: [&str; 16] = [
    "array_distinct",
    "array_except",
    "array_has",
    "array_has_all",
    "array_has_any",
    "array_intersect",
    "array_position",
    "array_positions",
    "array_remove",
    "array_remove_all",
    "array_remove_n",
    "array_replace",
    "array_replace_all",
    "array_replace_n",
    "array_union",
    "arrays_overlap",
];

/// Makes lists and structs compare, group and join with 0.0 for each -0.0 in them.
///
/// Arrow compares nested values by the bits of their floats, in which the two zeros differ. A key
/// of GROUP BY is returned with 0.0.
#[derive(Debug)]
pub(in crate::plan::rules) struct NestedFloats;

impl AnalyzerRule for NestedFloats {
    fn name(&self) -> &str {
        "nested_floats"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        plan.transform_all_up(rewrite).map(|transformed| transformed.data)
    }
}

fn rewrite(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let plan = match has(&plan, is_compared)? {
        true => {
            let schema = input_schema(&plan)?;
            rewrite_expressions(plan, |node| in_expression(node, &schema))?
        }
        false => Transformed::no(plan),
    };
    plan.transform_data(|plan| match plan {
        LogicalPlan::Aggregate(aggregate) => in_aggregate(aggregate),
        LogicalPlan::Join(mut join) => {
            let mut is_changed = false;
            for (left, right) in &mut join.on {
                is_changed |= make_canonical(left, join.left.schema());
                is_changed |= make_canonical(right, join.right.schema());
            }
            Ok(Transformed::new_transformed(LogicalPlan::Join(join), is_changed))
        }
        other => Ok(Transformed::no(other)),
    })
}

/// Returns whether [`in_expression`] may change an expression.
fn is_compared(part: &Expr) -> bool {
    match part {
        Expr::BinaryExpr(BinaryExpr { op, .. }) => compares(*op),
        Expr::InList(_) | Expr::WindowFunction(_) => true,
        Expr::ScalarFunction(call) => COMPARING.contains(&call.name()),
        Expr::AggregateFunction(call) => call.params.distinct,
        _ => false,
    }
}

fn in_expression(node: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    match node {
        Expr::BinaryExpr(BinaryExpr { mut left, op, mut right }) => {
            let is_changed =
                compares(op) && (make_canonical(&mut left, schema) | make_canonical(&mut right, schema));
            Ok(Transformed::new_transformed(Expr::BinaryExpr(BinaryExpr { left, op, right }), is_changed))
        }
        Expr::InList(InList { mut expr, mut list, negated }) => {
            // floats that are constants are looked up before the rule that adds the other zero
            let is_constant = expr.column_refs().is_empty() && is_float(&expr, schema);
            let mut is_changed = false;
            for value in std::iter::once(&mut *expr).chain(&mut list) {
                is_changed |= match is_constant {
                    true => wrap(value),
                    false => make_canonical(value, schema),
                };
            }
            Ok(Transformed::new_transformed(Expr::InList(InList { expr, list, negated }), is_changed))
        }
        Expr::ScalarFunction(mut call) if COMPARING.contains(&call.name()) => {
            let is_changed = call.args.first().is_some_and(|list| is_nested(list, schema));
            for value in call.args.iter_mut().filter(|_| is_changed) {
                if is_nested(value, schema) || is_float(value, schema) {
                    wrap(value);
                }
            }
            Ok(Transformed::new_transformed(Expr::ScalarFunction(call), is_changed))
        }
        Expr::AggregateFunction(mut call) if call.params.distinct => {
            let mut is_changed = false;
            for value in &mut call.params.args {
                is_changed |= (is_float(value, schema) || is_nested(value, schema)) && wrap(value);
            }
            Ok(Transformed::new_transformed(Expr::AggregateFunction(call), is_changed))
        }
        Expr::WindowFunction(mut call) => {
            let mut is_changed = false;
            if call.params.distinct {
                for value in &mut call.params.args {
                    is_changed |= (is_float(value, schema) || is_nested(value, schema)) && wrap(value);
                }
            }
            let keys = call.params.order_by.iter_mut().map(|key| &mut key.expr);
            for key in call.params.partition_by.iter_mut().chain(keys) {
                is_changed |= make_canonical(key, schema);
            }
            Ok(Transformed::new_transformed(Expr::WindowFunction(call), is_changed))
        }
        other => Ok(Transformed::no(other)),
    }
}

fn compares(op: Operator) -> bool {
    use Operator::{ArrowAt, AtArrow, Eq, Gt, GtEq, IsDistinctFrom, IsNotDistinctFrom, Lt, LtEq, NotEq};
    matches!(op, Eq | NotEq | Lt | LtEq | Gt | GtEq | IsDistinctFrom | IsNotDistinctFrom | AtArrow | ArrowAt)
}

/// Makes keys that are computed canonical, and groups by the columns of a projection in which the
/// others are.
fn in_aggregate(mut aggregate: Aggregate) -> Result<Transformed<LogicalPlan>> {
    let schema = aggregate.input.schema().clone();
    let mut is_computed = false;
    for expr in &mut aggregate.group_expr {
        is_computed |=
            for_each_key(expr, &mut |key| !matches!(key, Expr::Column(_)) && make_canonical(key, &schema));
    }
    let mut keys: HashSet<&Column> = HashSet::new();
    for expr in &aggregate.group_expr {
        keys.extend(expr.column_refs());
    }
    let is_key = |column: &Column| keys.contains(column) && is_nested(&Expr::Column(column.clone()), &schema);
    let columns = schema.columns();
    if !columns.iter().any(is_key) {
        let plan = LogicalPlan::Aggregate(aggregate);
        return Ok(Transformed::new_transformed(plan, is_computed));
    }
    let projected = columns.iter().map(|column| match is_key(column) {
        true => canonical_float(Expr::Column(column.clone()))
            .alias_qualified(column.relation.clone(), column.name.clone()),
        false => Expr::Column(column.clone()),
    });
    let projected: Vec<Expr> = projected.collect();
    let input = LogicalPlanBuilder::new_from_arc(aggregate.input.clone()).project(projected)?.build()?;
    let aggregate = Aggregate::try_new(Arc::new(input), aggregate.group_expr, aggregate.aggr_expr)?;
    Ok(Transformed::yes(LogicalPlan::Aggregate(aggregate)))
}

/// Changes the keys in a part of GROUP BY. Returns whether one changed.
fn for_each_key(expr: &mut Expr, change: &mut dyn FnMut(&mut Expr) -> bool) -> bool {
    let keys: Vec<&mut Expr> = match expr {
        Expr::GroupingSet(GroupingSet::Rollup(keys) | GroupingSet::Cube(keys)) => keys.iter_mut().collect(),
        Expr::GroupingSet(GroupingSet::GroupingSets(sets)) => sets.iter_mut().flatten().collect(),
        Expr::Alias(alias) => return for_each_key(&mut alias.expr, change),
        key => vec![key],
    };
    keys.into_iter().fold(false, |is_changed, key| is_changed | change(key))
}

/// Wraps an expression of nested floats. Returns whether it was one.
fn make_canonical(expr: &mut Expr, schema: &DFSchema) -> bool {
    is_nested(expr, schema) && wrap(expr)
}

fn wrap(expr: &mut Expr) -> bool {
    let is_done = matches!(expr, Expr::ScalarFunction(call) if call.name() == CANONICAL_FLOAT);
    if !is_done {
        *expr = canonical_float(std::mem::take(expr));
    }
    !is_done
}

/// Returns whether an expression has floats inside of others.
fn is_nested(expr: &Expr, schema: &DFSchema) -> bool {
    expr.get_type(schema).is_ok_and(|data_type| !data_type.is_floating() && has_floats(&data_type))
}

fn is_float(expr: &Expr, schema: &DFSchema) -> bool {
    expr.get_type(schema).is_ok_and(|data_type| data_type.is_floating())
}
