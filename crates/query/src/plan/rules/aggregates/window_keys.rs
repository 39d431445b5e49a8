//! Keys of windows that are computed below the window.

use std::sync::Arc;

use datafusion::common::tree_node::Transformed;
use datafusion::common::{Column, DFSchema, Result};
use datafusion::logical_expr::{Aggregate, Expr, LogicalPlan, LogicalPlanBuilder, Window};

use crate::tree::Tree;

/// Computes keys of PARTITION BY and ORDER BY in one projection below the windows that are inputs
/// of a node and those directly below them, with a projection above that gives the same columns as
/// before.
///
/// DataFusion looks for the order of a computed key in the orders of its parts. It takes the range
/// of most functions for a NULL, fails to compare this with a number, as `abs(a) > 1` does, and
/// takes the failure for no order: a check after the sort refuses the plan. A column has no parts.
///
/// # Errors
/// A node can't be made of its new expressions.
pub(super) fn keys_below_windows(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let is_window = |input: &&LogicalPlan| matches!(input, LogicalPlan::Window(_));
    if is_window(&&plan) || !plan.inputs().iter().any(is_window) {
        return Ok(Transformed::no(plan));
    }
    plan.map_children(|input| match input {
        LogicalPlan::Window(window) => compute_below(window),
        other => Ok(Transformed::no(other)),
    })
}

fn compute_below(top: Window) -> Result<Transformed<LogicalPlan>> {
    let mut windows = vec![top.window_expr.clone()];
    let mut base = &top.input;
    while let LogicalPlan::Window(window) = base.as_ref() {
        windows.push(window.window_expr.clone());
        base = &window.input;
    }
    let mut keys = Keys { columns: columns(base.schema()), named: Vec::new() };
    for call in windows.iter_mut().flatten() {
        let Expr::WindowFunction(call) = call else { continue };
        let order = call.params.order_by.iter_mut().map(|key| &mut key.expr);
        call.params.partition_by.iter_mut().chain(order).for_each(|key| keys.take(key));
    }
    if keys.named.is_empty() {
        return Ok(Transformed::no(LogicalPlan::Window(top)));
    }
    let (columns_below, keys_below) = (keys.columns.len(), keys.named.len());
    let named = keys.named.into_iter().map(|(name, key)| key.alias(name));
    let below: Vec<Expr> = keys.columns.into_iter().map(Expr::Column).chain(named).collect();
    let mut plan = LogicalPlanBuilder::new_from_arc(Arc::clone(base)).project(below)?.build()?;
    for calls in windows.into_iter().rev() {
        plan = LogicalPlan::Window(Window::try_new(calls, Arc::new(plan))?);
    }
    let mut now = columns(plan.schema());
    now.drain(columns_below..columns_below + keys_below);
    // a call whose key was an alias has another name
    let above = now.into_iter().zip(columns(&top.schema)).map(|(now, before)| match now == before {
        true => Expr::Column(now),
        false => Expr::Column(now).alias_qualified(before.relation, before.name),
    });
    let above: Vec<Expr> = above.collect();
    LogicalPlanBuilder::new(plan).project(above)?.build().map(Transformed::yes)
}

/// Returns the columns that a query can name: not the number of the grouping set, which a later
/// rule replaces.
fn columns(schema: &DFSchema) -> Vec<Column> {
    let mut columns = schema.columns();
    columns.retain(|column| column.name != Aggregate::INTERNAL_GROUPING_ID);
    columns
}

/// The keys that are computed below windows.
struct Keys {
    /// Columns of the windows' input.
    columns: Vec<Column>,
    /// Distinct keys with their names.
    named: Vec<(String, Expr)>,
}

impl Keys {
    /// Replaces a key by its column, unless it is a column, a constant, or needs a query or another
    /// window.
    fn take(&mut self, key: &mut Expr) {
        let columns = key.column_refs();
        let is_constant = columns.is_empty() && !key.is_volatile();
        let is_below = columns.iter().all(|column| self.columns.contains(column));
        let needs_query = key.contains_outer() || key.exists(|part| Ok(is_subquery(part))).unwrap_or(true);
        if matches!(key, Expr::Column(_)) || is_constant || !is_below || needs_query {
            return;
        }
        let name = key.schema_name().to_string();
        // the cast of a column has the column's name
        let is_column = self.columns.iter().any(|column| column.flat_name() == name);
        let known = self.named.iter().find(|(known, _)| *known == name);
        if is_column || known.is_some_and(|(_, known)| known != key) {
            return;
        }
        let is_new = known.is_none();
        let computed = std::mem::replace(key, Expr::Column(Column::new_unqualified(name.clone())));
        if is_new {
            self.named.push((name, computed));
        }
    }
}

fn is_subquery(part: &Expr) -> bool {
    matches!(part, Expr::ScalarSubquery(_) | Expr::Exists(_) | Expr::InSubquery(_) | Expr::SetComparison(_))
}
