//! Rewriting of the expressions of a plan's nodes.

use crate::tree::{PlanTree, Tree};
use datafusion::common::tree_node::Transformed;
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
