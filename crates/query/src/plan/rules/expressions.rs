//! Rewriting of the expressions of a plan's nodes.

use std::sync::Arc;

use arrow::datatypes::DataType;
use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::common::{DFSchema, DFSchemaRef, ExprSchema, Result};
use datafusion::logical_expr::expr::Exists;
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{Expr, ExprSchemable, LogicalPlan, Subquery};

use crate::tree::{PlanTree, Tree, grown};

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
    if any_node(&plan.data, |node| has(node, |part| matches!(part, Expr::OuterReferenceColumn(..))))? {
        return retyped_in(plan.data, &[]);
    }
    let retyped = plan.data.transform_all_up(|node| recomputed(node).map(Transformed::yes));
    retyped.map(|transformed| transformed.data)
}

/// As [`retyped`], for a subquery of queries with these inputs, the outermost first. Its outer
/// columns get the types that they have there.
fn retyped_in(plan: LogicalPlan, around: &[DFSchemaRef]) -> Result<LogicalPlan> {
    let is_join = matches!(plan, LogicalPlan::Join(_));
    let mut scopes = around.to_vec();
    let plan = plan.map_children(|input| {
        let input = grown(|| retyped_in(input, &scopes))?;
        if is_join {
            // the right side of a LATERAL join has columns of the left one
            scopes.push(input.schema().clone());
        }
        Ok(Transformed::yes(input))
    })?;
    let mut plan = plan.data;
    if let LogicalPlan::Subquery(lateral) = &mut plan {
        retype_columns(&mut lateral.outer_ref_columns, around)?;
    }
    let mut within = around.to_vec();
    within.extend(plan.inputs().into_iter().map(|input| input.schema().clone()));
    let plan = plan.map_expressions(|expression| {
        expression.transform_up(|part| match part {
            Expr::OuterReferenceColumn(..) => outer_column(part, around).map(Transformed::yes),
            Expr::ScalarSubquery(subquery) => {
                Ok(Transformed::yes(Expr::ScalarSubquery(retyped_subquery(subquery, &within)?)))
            }
            Expr::Exists(Exists { subquery, negated }) => {
                let subquery = retyped_subquery(subquery, &within)?;
                Ok(Transformed::yes(Expr::Exists(Exists { subquery, negated })))
            }
            Expr::InSubquery(mut tested) => {
                tested.subquery = retyped_subquery(tested.subquery, &within)?;
                Ok(Transformed::yes(Expr::InSubquery(tested)))
            }
            Expr::SetComparison(mut compared) => {
                compared.subquery = retyped_subquery(compared.subquery, &within)?;
                Ok(Transformed::yes(Expr::SetComparison(compared)))
            }
            part => Ok(Transformed::no(part)),
        })
    })?;
    recomputed(plan.data)
}

fn retyped_subquery(mut subquery: Subquery, around: &[DFSchemaRef]) -> Result<Subquery> {
    let plan = Arc::unwrap_or_clone(subquery.subquery);
    subquery.subquery = Arc::new(grown(|| retyped_in(plan, around))?);
    retype_columns(&mut subquery.outer_ref_columns, around)?;
    Ok(subquery)
}

fn retype_columns(columns: &mut [Expr], around: &[DFSchemaRef]) -> Result<()> {
    for column in columns {
        *column = std::mem::take(column)
            .transform_up(|part| outer_column(part, around).map(Transformed::yes))?
            .data;
    }
    Ok(())
}

/// Returns an outer column with the type that it has in the innermost query around that has it.
fn outer_column(part: Expr, around: &[DFSchemaRef]) -> Result<Expr> {
    let Expr::OuterReferenceColumn(field, column) = part else { return Ok(part) };
    let found = around.iter().rev().find(|schema| schema.has_column(&column));
    let field = match found {
        Some(schema) => schema.field_from_column(&column)?.clone(),
        None => field,
    };
    Ok(Expr::OuterReferenceColumn(field, column))
}

/// Returns a node with the types that its inputs and expressions have now.
fn recomputed(node: LogicalPlan) -> Result<LogicalPlan> {
    let LogicalPlan::Values(mut values) = node else { return node.recompute_schema() };
    let none = DFSchema::empty();
    let typed = values.schema.iter().enumerate().map(|(at, (qualifier, field))| {
        let first = values.values.first().and_then(|row| row.get(at)?.get_type(&none).ok());
        let is_everywhere = |of: &DataType| {
            values
                .values
                .iter()
                .all(|row| row.get(at).is_some_and(|value| value.get_type(&none).ok().as_ref() == Some(of)))
        };
        let field = match first {
            Some(of) if of != *field.data_type() && is_everywhere(&of) => {
                Arc::new(field.as_ref().clone().with_data_type(of))
            }
            _ => field.clone(),
        };
        (qualifier.cloned(), field)
    });
    let typed = typed.collect();
    let schema = DFSchema::new_with_metadata(typed, values.schema.as_ref().metadata().clone())?;
    values.schema = Arc::new(schema);
    Ok(LogicalPlan::Values(values))
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
