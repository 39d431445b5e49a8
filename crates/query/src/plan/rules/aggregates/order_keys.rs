//! Keys of windows, sorts and ordered aggregates that are computed below the operator.

use std::sync::Arc;

use datafusion::common::tree_node::Transformed;
use datafusion::common::{Column, DFSchema, Result};
use datafusion::logical_expr::expr::{AggregateFunction, WindowFunction};
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::{
    Aggregate, BinaryExpr, Expr, LogicalPlan, LogicalPlanBuilder, Operator, Sort, Window,
};

use crate::tree::Tree;

/// Computes keys with comparisons in a projection below a sort, or below the windows that are
/// inputs of a node and those directly below them. A projection above gives the same columns as
/// before.
///
/// DataFusion looks for the order of a computed key in the orders of its parts. It takes the range
/// of most functions for a NULL, fails to compare this with a number, as in `abs(a) > 1`, and takes
/// the failure for no order: a check after the sort refuses the plan. A column has no parts.
///
/// # Errors
/// A node can't be made of its new expressions.
pub(super) fn order_keys_below(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    match plan {
        LogicalPlan::Sort(sort) => below_sort(sort),
        LogicalPlan::Window(_) => Ok(Transformed::no(plan)),
        _ if plan.inputs().iter().any(|input| matches!(input, LogicalPlan::Window(_))) => {
            plan.map_children(|input| match input {
                LogicalPlan::Window(window) => below_windows(window),
                other => Ok(Transformed::no(other)),
            })
        }
        _ => Ok(Transformed::no(plan)),
    }
}

fn below_sort(mut sort: Sort) -> Result<Transformed<LogicalPlan>> {
    if !sort.expr.iter().any(|key| compares(&key.expr)) {
        return Ok(Transformed::no(LogicalPlan::Sort(sort)));
    }
    let mut keys = Keys::of(sort.input.schema());
    sort.expr.iter_mut().for_each(|key| keys.take(&mut key.expr));
    if keys.named.is_empty() {
        return Ok(Transformed::no(LogicalPlan::Sort(sort)));
    }
    let above: Vec<Expr> = keys.columns.iter().cloned().map(Expr::Column).collect();
    let input = Arc::new(keys.computed(sort.input)?);
    let sorted = LogicalPlan::Sort(Sort { input, ..sort });
    LogicalPlanBuilder::new(sorted).project(above)?.build().map(Transformed::yes)
}

fn below_windows(top: Window) -> Result<Transformed<LogicalPlan>> {
    let mut windows = vec![top.window_expr.clone()];
    let mut base = &top.input;
    while let LogicalPlan::Window(window) = base.as_ref() {
        windows.push(window.window_expr.clone());
        base = &window.input;
    }
    let mut keys = Keys::of(base.schema());
    for call in windows.iter_mut().flatten() {
        let Expr::WindowFunction(call) = call else { continue };
        let WindowFunction { params, .. } = call.as_mut();
        let order = params.order_by.iter_mut().map(|key| &mut key.expr);
        params.partition_by.iter_mut().chain(order).for_each(|key| keys.take(key));
    }
    if keys.named.is_empty() {
        return Ok(Transformed::no(LogicalPlan::Window(top)));
    }
    let (columns_below, keys_below) = (keys.columns.len(), keys.named.len());
    let mut plan = keys.computed(Arc::clone(base))?;
    for calls in windows.into_iter().rev() {
        plan = LogicalPlan::Window(Window::try_new(calls, Arc::new(plan))?);
    }
    let mut now = columns(plan.schema());
    now.drain(columns_below..columns_below + keys_below);
    // a call has the names of its keys in its own
    let above = now.into_iter().zip(columns(&top.schema)).map(|(now, before)| match now == before {
        true => Expr::Column(now),
        false => Expr::Column(now).alias_qualified(before.relation, before.name),
    });
    let above: Vec<Expr> = above.collect();
    LogicalPlanBuilder::new(plan).project(above)?.build().map(Transformed::yes)
}

/// Computes such keys of calls like `list(a ORDER BY abs(a) > 1)` in a projection below their
/// aggregate.
///
/// # Errors
/// As for [`order_keys_below`].
pub(super) fn order_keys_of_calls(aggregate: Aggregate) -> Result<Transformed<Aggregate>> {
    let has_keys = |call: &Expr| match call {
        Expr::AggregateFunction(call) => call.params.order_by.iter().any(|key| compares(&key.expr)),
        _ => false,
    };
    if !aggregate.aggr_expr.iter().any(has_keys) {
        return Ok(Transformed::no(aggregate));
    }
    let mut keys = Keys::of(aggregate.input.schema());
    let mut calls = aggregate.aggr_expr.clone();
    for call in &mut calls {
        let name = NamePreserver::new_for_projection().save(call);
        if let Expr::AggregateFunction(AggregateFunction { params, .. }) = call {
            params.order_by.iter_mut().for_each(|key| keys.take(&mut key.expr));
        }
        *call = name.restore(std::mem::take(call));
    }
    if keys.named.is_empty() {
        return Ok(Transformed::no(aggregate));
    }
    let input = keys.computed(aggregate.input)?;
    Aggregate::try_new(Arc::new(input), aggregate.group_expr, calls).map(Transformed::yes)
}

/// Returns the columns that a query can name: not the number of the grouping set, which a later
/// rule replaces.
fn columns(schema: &DFSchema) -> Vec<Column> {
    let mut columns = schema.columns();
    columns.retain(|column| column.name != Aggregate::INTERNAL_GROUPING_ID);
    columns
}

/// The keys that are computed below an operator.
struct Keys {
    /// Columns of the operator's input.
    columns: Vec<Column>,
    /// Distinct keys with their names.
    named: Vec<(String, Expr)>,
}

impl Keys {
    fn of(input: &DFSchema) -> Self {
        Self { columns: columns(input), named: Vec::new() }
    }

    /// Replaces a key by its column if it has a comparison, and can be computed from the columns.
    fn take(&mut self, key: &mut Expr) {
        if !compares(key) || !self.have_all_parts_of(key) {
            return;
        }
        let known = self.named.iter().find(|(_, known)| known == key);
        let name = known.map_or_else(|| self.free_name(key), |(name, _)| name.clone());
        let is_new = known.is_none();
        let computed = std::mem::replace(key, Expr::Column(Column::new_unqualified(name.clone())));
        if is_new {
            self.named.push((name, computed));
        }
    }

    fn have_all_parts_of(&self, key: &Expr) -> bool {
        let needs_other_rows = |part: &Expr| {
            matches!(
                part,
                Expr::ScalarSubquery(_)
                    | Expr::Exists(_)
                    | Expr::InSubquery(_)
                    | Expr::SetComparison(_)
                    | Expr::OuterReferenceColumn(..)
                    | Expr::AggregateFunction(_)
                    | Expr::WindowFunction(_)
            )
        };
        let is_here = |column: &&Column| self.columns.contains(column);
        key.column_refs().iter().all(is_here)
            && !key.exists(|part| Ok(needs_other_rows(part))).unwrap_or(true)
    }

    /// Returns a name that no column has: that of the key, with a number if it is taken. The name
    /// of a key has none of its casts.
    fn free_name(&self, key: &Expr) -> String {
        let name = key.schema_name().to_string();
        let is_taken = |name: &String| {
            self.named.iter().any(|(known, _)| known == name)
                || self.columns.iter().any(|column| column.name == *name || column.flat_name() == *name)
        };
        let numbered = (2..).map(|number: usize| format!("{name} {number}"));
        let free = std::iter::once(name.clone()).chain(numbered).find(|name| !is_taken(name));
        free.unwrap_or(name)
    }

    /// Returns a projection of the columns and the keys.
    fn computed(self, input: Arc<LogicalPlan>) -> Result<LogicalPlan> {
        let keys = self.named.into_iter().map(|(name, key)| key.alias(name));
        let all: Vec<Expr> = self.columns.into_iter().map(Expr::Column).chain(keys).collect();
        LogicalPlanBuilder::new_from_arc(input).project(all)?.build()
    }
}

/// Returns whether DataFusion compares the ranges of operands in a key.
fn compares(key: &Expr) -> bool {
    let is_comparison = |part: &Expr| match part {
        Expr::Between(_) => true,
        Expr::BinaryExpr(BinaryExpr { op, .. }) => {
            matches!(op, Operator::Lt | Operator::LtEq | Operator::Gt | Operator::GtEq)
        }
        _ => false,
    };
    key.exists(|part| Ok(is_comparison(part))).unwrap_or(false)
}
