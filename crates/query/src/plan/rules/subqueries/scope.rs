//! References of subqueries to columns of the queries around them.
//!
//! DataFusion's plans mark such a reference without the query that it refers to, which is the
//! nearest enclosing one with such a column.

use crate::tree::{PlanTree, Tree};
use datafusion::arrow::datatypes::FieldRef;
use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::common::{Column, DFSchema, NullEquality, Result};
use datafusion::logical_expr::expr::{Exists, InSubquery, SetComparison};
use datafusion::logical_expr::logical_plan::{Join, Subquery};
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{Expr, LogicalPlan, Operator, binary_expr};

/// A column of an enclosing query, and its field.
pub(super) type Reference = (Column, FieldRef);

/// Returns the references of a plan that no query inside of it resolves, each once, in their order.
pub(super) fn references(plan: &LogicalPlan) -> Result<Vec<Reference>> {
    let mut found = Vec::new();
    collect(plan, &mut Vec::new(), &mut found)?;
    Ok(found)
}

/// Returns the references of the subqueries of an expression.
pub(super) fn references_of(expression: &Expr) -> Result<Vec<Reference>> {
    let mut found = Vec::new();
    collect_expression(expression, &DFSchema::empty(), &mut Vec::new(), &mut found)?;
    Ok(found)
}

/// Returns whether an expression refers to an enclosing query. `schema` has the columns that its
/// subqueries may refer to.
pub(super) fn is_correlated(expression: &Expr, schema: &DFSchema) -> Result<bool> {
    let mut found = Vec::new();
    collect_expression(expression, schema, &mut Vec::new(), &mut found)?;
    Ok(!found.is_empty())
}

/// Returns the plan of an expression that is a subquery.
pub(super) fn plan_of(expression: &Expr) -> Option<&LogicalPlan> {
    match expression {
        Expr::ScalarSubquery(subquery)
        | Expr::Exists(Exists { subquery, .. })
        | Expr::InSubquery(InSubquery { subquery, .. })
        | Expr::SetComparison(SetComparison { subquery, .. }) => Some(&subquery.subquery),
        _ => None,
    }
}

/// Replaces the plan of an expression that is a subquery.
pub(super) fn map_plan(
    mut expression: Expr,
    map: impl FnOnce(LogicalPlan) -> Result<LogicalPlan>,
) -> Result<Expr> {
    match &mut expression {
        Expr::ScalarSubquery(subquery)
        | Expr::Exists(Exists { subquery, .. })
        | Expr::InSubquery(InSubquery { subquery, .. })
        | Expr::SetComparison(SetComparison { subquery, .. }) => {
            *subquery = with_plan(subquery, map(subquery.subquery.as_ref().clone())?)?;
        }
        _ => {}
    }
    Ok(expression)
}

/// Returns a subquery with another plan.
pub(super) fn with_plan(subquery: &Subquery, plan: LogicalPlan) -> Result<Subquery> {
    let outer = references(&plan)?.into_iter();
    Ok(Subquery {
        outer_ref_columns: outer.map(|(column, field)| Expr::OuterReferenceColumn(field, column)).collect(),
        subquery: plan.into(),
        spans: subquery.spans.clone(),
    })
}

/// Returns whether an expression is or has a subquery.
pub(super) fn has_subquery(expression: &Expr) -> bool {
    let mut found = false;
    // The closure has no error to give.
    let _ = expression.apply(|node| {
        found |= plan_of(node).is_some();
        Ok(if found { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    });
    found
}

/// Returns whether the right side of a join refers to its left one.
pub(super) fn is_lateral(join: &Join) -> Result<bool> {
    Ok(references(&join.right)?.iter().any(|(column, _)| join.left.schema().has_column(column)))
}

/// Returns the columns that the subqueries in a node's expressions may refer to.
pub(super) fn input_schema(plan: &LogicalPlan) -> DFSchema {
    merge_schema(&plan.inputs())
}

fn collect(plan: &LogicalPlan, hidden: &mut Vec<DFSchema>, found: &mut Vec<Reference>) -> Result<()> {
    let schema = input_schema(plan);
    plan.apply_to_expressions(|expression| {
        collect_expression(expression, &schema, hidden, found)?;
        Ok(TreeNodeRecursion::Continue)
    })?;
    if let LogicalPlan::Join(join) = plan {
        collect(&join.left, hidden, found)?;
        hidden.push(join.left.schema().as_ref().clone());
        let result = collect(&join.right, hidden, found);
        hidden.pop();
        return result;
    }
    plan.inputs().into_iter().try_for_each(|input| collect(input, hidden, found))
}

fn collect_expression(
    expression: &Expr,
    schema: &DFSchema,
    hidden: &mut Vec<DFSchema>,
    found: &mut Vec<Reference>,
) -> Result<()> {
    expression.apply(|node| {
        if let Expr::OuterReferenceColumn(field, column) = node
            && !hidden.iter().any(|schema| schema.has_column(column))
            && !found.iter().any(|(known, _)| known == column)
        {
            found.push((column.clone(), field.clone()));
        }
        if let Some(plan) = plan_of(node) {
            hidden.push(schema.clone());
            let result = collect(plan, hidden, found);
            hidden.pop();
            result?;
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(())
}

/// Replacement of the references to one query.
pub(super) trait Replacement {
    /// Returns the column that takes the place of a referenced one; `None` if the reference means
    /// another query.
    fn replace(&self, column: &Column) -> Option<Reference>;
}

/// Turns the references in an expression of the unnested query into columns of its own. `schema`
/// has the columns that the expression's subqueries may refer to.
pub(super) fn bind(expression: Expr, schema: &DFSchema, with: &dyn Replacement) -> Result<Expr> {
    let bound = expression.transform_up(|node| {
        if let Expr::OuterReferenceColumn(_, column) = &node
            && let Some((column, _)) = with.replace(column)
        {
            return Ok(Transformed::yes(Expr::Column(column)));
        }
        if plan_of(&node).is_some() {
            let mut hidden = vec![schema.clone()];
            return map_plan(node, |plan| substitute(plan, &mut hidden, with)).map(Transformed::yes);
        }
        Ok(Transformed::no(node))
    })?;
    Ok(bound.data)
}

/// Replaces the references in a subquery's plan by other columns of the enclosing query. `hidden`
/// has the columns of the queries between the two.
pub(super) fn substitute(
    plan: LogicalPlan,
    hidden: &mut Vec<DFSchema>,
    with: &dyn Replacement,
) -> Result<LogicalPlan> {
    let schema = input_schema(&plan);
    let plan = match plan {
        LogicalPlan::Join(mut join) => {
            hidden.push(join.left.schema().as_ref().clone());
            let right = substitute(join.right.as_ref().clone(), hidden, with);
            hidden.pop();
            join.right = right?.into();
            join.left = substitute(join.left.as_ref().clone(), hidden, with)?.into();
            LogicalPlan::Join(join)
        }
        LogicalPlan::Subquery(subquery) => {
            let inner = substitute(subquery.subquery.as_ref().clone(), hidden, with)?;
            return Ok(LogicalPlan::Subquery(with_plan(&subquery, inner)?));
        }
        plan => plan.map_children(|child| substitute(child, hidden, with).map(Transformed::yes))?.data,
    };
    let names = datafusion::logical_expr::expr_rewriter::NamePreserver::new(&plan);
    let plan = plan.rewrite_expressions(|expression| {
        let name = names.save(&expression);
        let changed = expression.transform_up(|node| {
            if let Expr::OuterReferenceColumn(_, column) = &node
                && !hidden.iter().any(|schema| schema.has_column(column))
                && let Some((column, field)) = with.replace(column)
            {
                return Ok(Transformed::yes(Expr::OuterReferenceColumn(field, column)));
            }
            if plan_of(&node).is_some() {
                hidden.push(schema.clone());
                let changed = map_plan(node, |plan| substitute(plan, hidden, with));
                hidden.pop();
                return changed.map(Transformed::yes);
            }
            Ok(Transformed::no(node))
        })?;
        Ok(changed.update_data(|expression| name.restore(expression)))
    })?;
    Ok(plan.data)
}

/// Returns a join's condition as one expression.
pub(super) fn condition_of(join: &Join) -> Option<Expr> {
    let operator = match join.null_equality {
        NullEquality::NullEqualsNothing => Operator::Eq,
        NullEquality::NullEqualsNull => Operator::IsNotDistinctFrom,
    };
    let pairs = join.on.iter().map(|(left, right)| binary_expr(left.clone(), operator, right.clone()));
    pairs.chain(join.filter.clone()).reduce(Expr::and)
}
