//! Rewriting of the expressions of a plan's nodes.

use crate::tree::{PlanTree, Tree};
use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{Expr, LogicalPlan};

/// Rewrites the expressions of one node from the innermost on. A column of the node keeps its name.
///
/// # Errors
/// A rewrite fails, or the node can't be made of its new expressions.
pub(in crate::plan) fn rewrite_expressions(
    node: LogicalPlan,
    mut rewrite: impl FnMut(Expr) -> Result<Transformed<Expr>>,
) -> Result<Transformed<LogicalPlan>> {
    let names = NamePreserver::new(&node);
    node.rewrite_expressions(|expression| {
        let name = names.save(&expression);
        let changed = expression.transform_up(&mut rewrite)?;
        Ok(changed.update_data(|expression| name.restore(expression)))
    })
}

/// Rewrites the expressions of all nodes of a plan and of its subqueries, from the innermost on.
/// The schema has the columns that the expressions of a node refer to. Nodes without an expression
/// that is `wanted` stay as they are, which takes a small part of the time of rewriting them.
///
/// # Errors
/// As for [`rewrite_expressions`].
pub(super) fn rewrite_wanted(
    plan: LogicalPlan,
    wanted: fn(&Expr) -> bool,
    mut rewrite: impl FnMut(Expr, &DFSchema) -> Result<Transformed<Expr>>,
) -> Result<Transformed<LogicalPlan>> {
    if !any_node(&plan, |node| has(node, wanted))? {
        return Ok(Transformed::no(plan));
    }
    plan.transform_all_up(|node| {
        if !has(&node, wanted)? {
            return Ok(Transformed::no(node));
        }
        let schema = input_schema(&node)?;
        rewrite_expressions(node, |expression| rewrite(expression, &schema))
    })
}

/// Returns a rewritten plan with the types that its nodes have now.
///
/// # Errors
/// A node can't be made of its inputs.
pub(super) fn retyped(plan: Transformed<LogicalPlan>) -> Result<LogicalPlan> {
    if !plan.transformed {
        return Ok(plan.data);
    }
    let retyped = plan.data.transform_all_up(|node| node.recompute_schema().map(Transformed::yes));
    retyped.map(|transformed| transformed.data)
}

/// Returns whether a test holds for a node of a plan or of its subqueries.
///
/// # Errors
/// The test fails.
pub(super) fn any_node(
    plan: &LogicalPlan,
    mut test: impl FnMut(&LogicalPlan) -> Result<bool>,
) -> Result<bool> {
    let mut found = false;
    plan.apply_to_all(|node| {
        found = test(node)?;
        Ok(if found { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    })?;
    Ok(found)
}

/// Returns whether an expression of a node, or a part of one, is `wanted`.
///
/// # Errors
/// None of its own.
pub(super) fn has(node: &LogicalPlan, wanted: fn(&Expr) -> bool) -> Result<bool> {
    let mut found = false;
    node.apply_to_expressions(|expression| {
        found = expression.exists(|part| Ok(wanted(part)))?;
        Ok(if found { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    })?;
    Ok(found)
}

/// Returns the columns that the expressions of a node refer to: those of its inputs, and for a scan
/// those of its table.
///
/// # Errors
/// A table has a column twice.
pub(super) fn input_schema(node: &LogicalPlan) -> Result<DFSchema> {
    let mut schema = merge_schema(&node.inputs());
    if let LogicalPlan::TableScan(scan) = node {
        let source = scan.source.schema();
        schema.merge(&DFSchema::try_from_qualified_schema(scan.table_name.clone(), &source)?);
    }
    Ok(schema)
}
