//! Subqueries that DataFusion plans correctly itself, as fast joins.
//!
//! It makes semi, anti and mark joins of EXISTS and IN, and left joins of scalar aggregates that
//! are correlated by equality. Only these are left to it.

use std::collections::HashSet;

use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::expr::{AggregateFunction, BinaryExpr, Cast, Exists, InSubquery};
use datafusion::logical_expr::logical_plan::{Aggregate, Distinct, Filter, Projection};
use datafusion::logical_expr::utils::{can_hash, split_conjunction};
use datafusion::logical_expr::{Expr, ExprSchemable, LogicalPlan, Operator};

use super::Subqueries;
use super::scope::{has_subquery, plan_of, references};
use crate::tree::{PlanTree, Tree};

impl Subqueries {
    /// Returns whether DataFusion plans all subqueries of a part of a condition correctly. `schema`
    /// has the columns of the outer rows.
    pub fn is_native_condition(&self, part: &Expr, schema: &DFSchema) -> Result<bool> {
        match part {
            Expr::InSubquery(InSubquery { expr, subquery, negated: true }) => {
                self.is_native_not_in(expr, &subquery.subquery, schema)
            }
            Expr::InSubquery(InSubquery { expr, subquery, .. }) => Ok(!expr.column_refs().is_empty()
                && !has_subquery(expr)
                && selects(&subquery.subquery)
                && self.is_native_rows(&subquery.subquery)?),
            part => self.is_native_within(part),
        }
    }

    /// Returns whether DataFusion plans all subqueries of a value correctly.
    pub fn is_native_value(&self, value: &Expr) -> Result<bool> {
        let mut is_native = true;
        value.apply(|node| {
            if let Some(plan) = plan_of(node) {
                // DataFusion takes the value to be NULL only where an inner row's is.
                let is_scalar = matches!(node, Expr::ScalarSubquery(_))
                    && (references(plan)?.is_empty() || plan.schema().field(0).is_nullable());
                is_native &= is_scalar && self.is_native_scalar(plan)?;
            }
            Ok(if is_native { TreeNodeRecursion::Continue } else { TreeNodeRecursion::Stop })
        })?;
        Ok(is_native)
    }

    /// Returns whether an expression has no IN within others: mark joins do not distinguish false
    /// from NULL.
    fn is_native_within(&self, expression: &Expr) -> Result<bool> {
        match expression {
            Expr::Exists(Exists { subquery, .. }) => self.is_native_rows(&subquery.subquery),
            Expr::InSubquery(_) | Expr::SetComparison(_) => Ok(false),
            Expr::ScalarSubquery(subquery) => self.is_native_scalar(&subquery.subquery),
            other => {
                let mut is_native = true;
                other.apply_children(|child| {
                    is_native &= self.is_native_within(child)?;
                    Ok(if is_native { TreeNodeRecursion::Continue } else { TreeNodeRecursion::Stop })
                })?;
                Ok(is_native)
            }
        }
    }

    /// Returns whether NOT IN fits DataFusion's null-aware join, which needs one key that is a
    /// nullable column: otherwise it prunes NULL from the other side.
    fn is_native_not_in(&self, value: &Expr, plan: &LogicalPlan, schema: &DFSchema) -> Result<bool> {
        Ok(references(plan)?.is_empty()
            && selects(plan)
            && !value.column_refs().is_empty()
            && !has_subquery(value)
            && can_hash(&value.get_type(schema)?)
            && (value.nullable(schema)? || !plan.schema().field(0).is_nullable()))
    }

    /// Returns whether a join with the correlated conditions finds the rows of a subquery.
    fn is_native_rows(&self, plan: &LogicalPlan) -> Result<bool> {
        if references(plan)?.is_empty() {
            return Ok(true);
        }
        let mut columns = Vec::new();
        let mut names = Vec::new();
        let mut node = plan;
        loop {
            node = match node {
                LogicalPlan::Distinct(Distinct::All(input)) => input,
                LogicalPlan::Projection(projection) => {
                    if !is_plain(projection) {
                        return Ok(false);
                    }
                    let fields = projection.schema.iter().zip(&projection.expr);
                    names.extend(fields.map(|((_, field), expression)| (field.name(), expression)));
                    &projection.input
                }
                LogicalPlan::Filter(filter) => {
                    if !self.is_native_filter(filter, &mut columns)? {
                        return Ok(false);
                    }
                    &filter.input
                }
                other if references(other)?.is_empty() => break,
                _ => return Ok(false),
            };
        }
        let inner: HashSet<_> = columns.iter().collect();
        let short: HashSet<&str> = inner.iter().map(|column| column.name()).collect();
        // DataFusion adds the compared columns to the subquery's projection, by their names alone.
        let long: HashSet<String> = inner.iter().map(|column| column.flat_name()).collect();
        let clashes = |(name, expression): &(&String, &Expr)| {
            let is_same = matches!(expression, Expr::Column(column) if inner.contains(&column));
            !is_same
                && (short.contains(name.as_str()) || long.contains(&expression.schema_name().to_string()))
        };
        let unique: HashSet<&String> = names.iter().map(|(name, _)| *name).collect();
        let are_unique = unique.len() == names.len() || names.is_empty();
        Ok(short.len() == inner.len() && are_unique && !names.iter().any(clashes))
    }

    /// Returns whether each correlated part compares inner columns, which it collects, with outer
    /// ones.
    fn is_native_filter(
        &self,
        filter: &Filter,
        columns: &mut Vec<datafusion::common::Column>,
    ) -> Result<bool> {
        let schema = filter.input.schema();
        for part in split_conjunction(&filter.predicate) {
            if has_subquery(part) {
                if super::scope::is_correlated(part, schema)? || !self.is_native_condition(part, schema)? {
                    return Ok(false);
                }
            } else if part.contains_outer() {
                let inner = part.column_refs();
                if inner.is_empty() || part.is_volatile() {
                    return Ok(false);
                }
                columns.extend(inner.into_iter().cloned());
            }
        }
        Ok(true)
    }

    /// Returns whether a scalar subquery is uncorrelated, or an aggregate over rows that are found
    /// by equality.
    fn is_native_scalar(&self, plan: &LogicalPlan) -> Result<bool> {
        if references(plan)?.is_empty() {
            return Ok(true);
        }
        let mut counts = false;
        let mut names = HashSet::new();
        let mut node = plan;
        loop {
            match node {
                LogicalPlan::Projection(projection) => {
                    if !is_plain(projection) || !projection.expr.iter().all(is_null_of_null) {
                        return Ok(false);
                    }
                    names.extend(projection.schema.fields().iter().map(|field| field.name().as_str()));
                    counts |= !projection.expr.iter().all(is_column);
                    node = &projection.input;
                }
                LogicalPlan::Aggregate(aggregate) => {
                    return Ok(is_native_aggregate(aggregate, counts)
                        && self.is_native_equality(&aggregate.input, &names)?);
                }
                _ => return Ok(false),
            }
        }
    }

    /// Returns whether rows are found by equality. `names` are the names that the subquery selects;
    /// DataFusion adds the compared columns to them.
    fn is_native_equality(&self, plan: &LogicalPlan, names: &HashSet<&str>) -> Result<bool> {
        let mut node = plan;
        let mut columns = Vec::new();
        while let LogicalPlan::Filter(filter) = node {
            if !self.is_native_filter(filter, &mut columns)? {
                return Ok(false);
            }
            let is_equality = |part: &&Expr| match part {
                Expr::BinaryExpr(BinaryExpr { left, op: Operator::Eq, right }) => {
                    (is_inner(left) && right.column_refs().is_empty())
                        || (is_inner(right) && left.column_refs().is_empty())
                }
                _ => false,
            };
            let parts = split_conjunction(&filter.predicate);
            if !parts.iter().filter(|part| part.contains_outer()).all(is_equality) {
                return Ok(false);
            }
            node = &filter.input;
        }
        let short: HashSet<&str> = columns.iter().map(|column| column.name()).collect();
        let inner: HashSet<_> = columns.iter().collect();
        let are_unique = short.len() == inner.len() && short.is_disjoint(names);
        Ok(references(node)?.is_empty() && are_unique && !inner.is_empty() && !joins_groups(node)?)
    }

    /// Rewrites the plan inside of a subquery that DataFusion plans itself.
    pub fn rewritten_in_place(&self, plan: LogicalPlan) -> Result<LogicalPlan> {
        if references(&plan)?.is_empty() {
            return self.rewritten(plan);
        }
        // Correlated conditions stay where they are, so this goes down no farther than to the last
        // of them.
        let plan =
            plan.rewrite_expressions(|expression| self.in_place(expression).map(Transformed::yes))?.data;
        Ok(plan.map_children(|child| self.rewritten_in_place(child).map(Transformed::yes))?.data)
    }
}

/// Returns whether a plan joins rows of groups or DISTINCT rows. DataFusion adds the columns
/// compared above the join to the keys of such groups, also columns of the other side.
fn joins_groups(plan: &LogicalPlan) -> Result<bool> {
    let is_join = |node: &LogicalPlan| Ok(matches!(node, LogicalPlan::Join(_)));
    let has_groups = |node: &LogicalPlan| {
        Ok(matches!(node, LogicalPlan::Aggregate(_) | LogicalPlan::Distinct(_) | LogicalPlan::Window(_)))
    };
    Ok(plan.exists(is_join)? && plan.exists(has_groups)?)
}

/// Returns whether DataFusion finds the first column of a plan.
fn selects(plan: &LogicalPlan) -> bool {
    match plan {
        // A row of values is not.
        LogicalPlan::Projection(projection) => !projection.schema.field(0).data_type().is_nested(),
        LogicalPlan::Distinct(Distinct::All(input)) => selects(input),
        LogicalPlan::Sort(sort) => selects(&sort.input),
        LogicalPlan::Limit(limit) => selects(&limit.input),
        _ => false,
    }
}

/// Returns whether a projection has neither subqueries nor references.
fn is_plain(projection: &Projection) -> bool {
    !projection.expr.iter().any(|expression| has_subquery(expression) || expression.contains_outer())
}

/// Returns whether an expression is NULL for a NULL column, and has one.
fn is_null_of_null(expression: &Expr) -> bool {
    fn is_strict(expression: &Expr) -> bool {
        match expression {
            Expr::Column(_) | Expr::Literal(..) => true,
            Expr::Alias(alias) => is_strict(&alias.expr),
            Expr::Cast(cast) => is_strict(&cast.expr),
            Expr::Negative(inner) => is_strict(inner),
            Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
                let is_arithmetic = matches!(
                    op,
                    Operator::Plus
                        | Operator::Minus
                        | Operator::Multiply
                        | Operator::Divide
                        | Operator::Modulo
                );
                is_arithmetic && is_strict(left) && is_strict(right)
            }
            _ => false,
        }
    }
    is_strict(expression) && !expression.column_refs().is_empty()
}

fn is_column(expression: &Expr) -> bool {
    match expression {
        Expr::Column(_) => true,
        Expr::Alias(alias) => is_column(&alias.expr),
        Expr::Cast(cast) => is_column(&cast.expr),
        _ => false,
    }
}

/// Returns whether an expression is an inner column, or one under a cast that keeps values
/// distinct.
fn is_inner(expression: &Expr) -> bool {
    match expression {
        Expr::Column(_) => true,
        Expr::Cast(Cast { expr, field }) => {
            matches!(expr.as_ref(), Expr::Column(_))
                && (field.data_type().is_integer() || field.data_type().is_string())
        }
        _ => false,
    }
}

/// Returns whether DataFusion plans an aggregate correctly. `is_computed`: the subquery computes
/// its column from the aggregate's result.
fn is_native_aggregate(aggregate: &Aggregate, is_computed: bool) -> bool {
    let is_native = |expression: &Expr| {
        let Expr::AggregateFunction(AggregateFunction { func, .. }) = expression.clone().unalias() else {
            return false;
        };
        let is_known = match func.name() {
            "sum" | "min" | "max" | "avg" => true,
            "count" => !is_computed,
            _ => false,
        };
        is_known && !has_subquery(expression) && !expression.contains_outer()
    };
    aggregate.group_expr.is_empty() && aggregate.aggr_expr.iter().all(is_native)
}
