//! Lateral joins, and subqueries in the conditions of joins.

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::common::{Column, ExprSchema, Result, plan_err};
use datafusion::logical_expr::logical_plan::{Join, SubqueryAlias};
use datafusion::logical_expr::utils::{conjunction, split_conjunction_owned};
use datafusion::logical_expr::{Expr, JoinType, LogicalPlan, LogicalPlanBuilder};

use super::dependent_join::{key_columns, same};
use super::domain::Domain;
use super::scope::{
    Reference, Replacement, condition_of, has_subquery, map_plan, plan_of, references, substitute,
};
use super::values::Joined;
use super::{Subqueries, only};
use crate::tree::Tree;

impl Subqueries {
    /// Rewrites a join with a subquery on its right side that refers to the left side.
    pub fn lateral(&self, join: Join) -> Result<LogicalPlan> {
        let left = self.rewritten(join.left.as_ref().clone())?;
        let references = references(&join.right)?;
        let condition = condition_of(&join);
        let columns = join.schema.columns();
        let is_row_by_row = join.join_type == JoinType::Inner && is_row_by_row(&join.right)?;
        if is_row_by_row {
            let domain = self.rows(left)?;
            let pushed = self.push(&join.right, &domain)?;
            let keys = key_columns(&domain, pushed.schema())?;
            let own = keys.into_iter().zip(&domain.keys).map(|(key, named)| {
                let outer = &named.outer;
                Expr::Column(key).alias_qualified(outer.relation.clone(), outer.name())
            });
            let columns: Vec<Expr> =
                own.chain(join.right.schema().columns().into_iter().map(Expr::Column)).collect();
            let mut plan = LogicalPlanBuilder::from(pushed).project(columns)?;
            if let Some(condition) = condition {
                plan = plan.filter(condition)?;
            }
            return self.rewritten(plan.build()?);
        }
        let domain = self.domain(&left, &references)?;
        let pushed = self.rewritten(self.push(&join.right, &domain)?)?;
        let keys = key_columns(&domain, pushed.schema())?;
        let outer: Vec<Column> = domain.keys.iter().map(|key| key.outer.clone()).collect();
        let condition = same(&outer, &keys).into_iter().chain(condition);
        let joined = LogicalPlanBuilder::from(left).join_on(pushed, join.join_type, condition)?.build()?;
        only(self.rewritten(joined)?, columns)
    }

    /// Rewrites a join with subqueries in its condition.
    pub fn join(&self, join: Join) -> Result<LogicalPlan> {
        let columns = join.schema.columns();
        let Some(condition) = condition_of(&join) else { return Ok(LogicalPlan::Join(join)) };
        let (left, right) = (join.left.as_ref().clone(), join.right.as_ref().clone());
        if join.join_type == JoinType::Inner {
            let both = LogicalPlanBuilder::from(left).cross_join(right)?.filter(condition)?.build()?;
            let LogicalPlan::Filter(filter) = both else { return Ok(both) };
            return self.filter(filter);
        }
        let mut sides =
            Sides { kind: join.join_type, left: Joined::new(left), right: Joined::new(right), on: None };
        let mut parts = Vec::new();
        for part in split_conjunction_owned(condition) {
            parts.push(self.on_sides(&mut sides, part, true)?);
        }
        parts.extend(sides.on);
        let joined = LogicalPlanBuilder::from(sides.left.plan)
            .join_on(sides.right.plan, join.join_type, conjunction(parts))?
            .build()?;
        only(joined, columns)
    }

    /// Replaces each subquery by a column of the side that it refers to.
    fn on_sides(&self, sides: &mut Sides, expression: Expr, is_condition: bool) -> Result<Expr> {
        if !has_subquery(&expression) {
            return Ok(expression);
        }
        let Some(plan) = plan_of(&expression) else {
            let is_condition = is_condition
                && matches!(&expression, Expr::BinaryExpr(binary) if binary.op.is_logic_operator());
            let changed = expression
                .map_children(|child| self.on_sides(sides, child, is_condition).map(Transformed::yes))?;
            return Ok(changed.data);
        };
        let mut wanted = references(plan)?;
        for column in expression.column_refs() {
            if !wanted.iter().any(|(known, _)| known == column) {
                let schema = match sides.left.plan.schema().has_column(column) {
                    true => sides.left.plan.schema(),
                    false => sides.right.plan.schema(),
                };
                wanted.push((column.clone(), schema.field_from_column(column)?.clone()));
            }
        }
        let (of_left, of_right): (Vec<_>, Vec<_>) =
            wanted.into_iter().partition(|(column, _)| sides.left.plan.schema().has_column(column));
        match (of_left.is_empty(), of_right.is_empty()) {
            (false, false) => self.on_pairs(sides, expression, is_condition, &of_left, &of_right),
            (false, true) => self.replaced(&mut sides.left, expression, is_condition),
            _ => self.replaced(&mut sides.right, expression, is_condition),
        }
    }

    /// Turns a subquery that refers to both sides of an outer join into a column: its values for
    /// all pairs of the referenced columns' values are joined with the side that may lose rows, and
    /// each row of the other side takes the values made for it.
    fn on_pairs(
        &self,
        sides: &mut Sides,
        expression: Expr,
        is_condition: bool,
        of_left: &[Reference],
        of_right: &[Reference],
    ) -> Result<Expr> {
        let is_left_kept = match sides.kind {
            JoinType::Left | JoinType::LeftSemi | JoinType::LeftAnti => true,
            JoinType::Right | JoinType::RightSemi | JoinType::RightAnti => false,
            _ => {
                return plan_err!(
                    "a subquery in the condition of a full join refers to both of its sides: write the left join and \
                     the rows of the right side that match nothing, and connect the two by UNION ALL"
                );
            }
        };
        let (left, right) =
            (self.domain(&sides.left.base, of_left)?, self.domain(&sides.right.base, of_right)?);
        let pairs = LogicalPlanBuilder::from(left.plan.clone()).cross_join(right.plan.clone())?.build()?;
        let mut joined = Joined::new(pairs.clone());
        let keys = Pairs(&left, &right);
        let own = expression.transform_up(|node| match &node {
            Expr::Column(column) => Ok(match keys.replace(column) {
                Some((column, _)) => Transformed::yes(Expr::Column(column)),
                None => Transformed::no(node),
            }),
            _ if plan_of(&node).is_some() => {
                map_plan(node, |plan| substitute(plan, &mut Vec::new(), &keys)).map(Transformed::yes)
            }
            _ => Ok(Transformed::no(node)),
        })?;
        let value = self.replaced(&mut joined, own.data, is_condition)?;
        let (table, name) = (self.name("pairs"), self.name("value"));
        let columns = pairs.schema().columns().into_iter().map(Expr::Column);
        let columns: Vec<Expr> = columns.chain([value.alias(&name)]).collect();
        let values =
            LogicalPlanBuilder::from(joined.plan).project(columns)?.alias(table.as_str())?.build()?;
        let matched = |domain: &Domain| {
            let outer: Vec<Column> = domain.keys.iter().map(|key| key.outer.clone()).collect();
            let inner: Vec<Column> =
                domain.keys.iter().map(|key| Column::new(Some(table.clone()), &key.name)).collect();
            same(&outer, &inner)
        };
        let (side, with, kept) = match is_left_kept {
            true => (&mut sides.right, matched(&right), matched(&left)),
            false => (&mut sides.left, matched(&left), matched(&right)),
        };
        side.join(values, with)?;
        sides.on = sides.on.take().into_iter().chain(kept).reduce(Expr::and);
        Ok(Expr::Column(Column::new(Some(table), name)))
    }
}

/// The sides of a join with subqueries in its condition.
struct Sides {
    kind: JoinType,
    left: Joined,
    right: Joined,
    /// Additional condition of the join.
    on: Option<Expr>,
}

/// Columns of two domains in place of the columns of their sides.
struct Pairs<'a>(&'a Domain, &'a Domain);

impl Replacement for Pairs<'_> {
    fn replace(&self, column: &Column) -> Option<Reference> {
        let key = self.0.keys.iter().chain(&self.1.keys).find(|key| key.outer == *column)?;
        Some((Column::new_unqualified(key.name.clone()), key.field.clone()))
    }
}

/// Returns whether a plan makes its rows from each outer row alone, so that duplicate outer rows do
/// no harm.
fn is_row_by_row(plan: &LogicalPlan) -> Result<bool> {
    let mut result = true;
    plan.apply(|node| {
        if references(node)?.is_empty() {
            return Ok(TreeNodeRecursion::Jump);
        }
        result &= match node {
            LogicalPlan::Projection(_)
            | LogicalPlan::Filter(_)
            | LogicalPlan::SubqueryAlias(SubqueryAlias { .. })
            | LogicalPlan::Subquery(_)
            | LogicalPlan::Unnest(_)
            | LogicalPlan::Union(_)
            | LogicalPlan::Values(_) => true,
            LogicalPlan::Join(join) => {
                let sides: [&Arc<LogicalPlan>; 2] = [&join.left, &join.right];
                let correlated =
                    sides.into_iter().map(|side| references(side).map(|found| !found.is_empty()));
                let both =
                    correlated.collect::<Result<Vec<_>>>()?.into_iter().all(|is_correlated| is_correlated);
                join.join_type == JoinType::Inner && !both
            }
            _ => false,
        };
        Ok(if result { TreeNodeRecursion::Continue } else { TreeNodeRecursion::Stop })
    })?;
    Ok(result)
}
