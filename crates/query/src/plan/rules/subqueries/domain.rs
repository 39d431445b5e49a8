//! Domain of a correlated subquery: the combinations of outer values for which it is evaluated.
//!
//! The domain is read from the outer query, which runs a second time for it. So its rows must be
//! the same every time. Rows that a LIMIT cuts off are included, since additional combinations do
//! no harm.

use std::sync::Arc;

use datafusion::arrow::datatypes::FieldRef;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Column, DFSchema, ExprSchema, HashSet, Result, ScalarValue, plan_err};
use datafusion::logical_expr::expr::AggregateFunction;
use datafusion::logical_expr::logical_plan::{Aggregate, Distinct, Filter, Join, Projection, Union};
use datafusion::logical_expr::utils::{conjunction, expr_to_columns, split_conjunction};
use datafusion::logical_expr::{Expr, ExprSchemable, JoinType, LogicalPlan, LogicalPlanBuilder, lit};

use super::Subqueries;
use super::scope::{Reference, condition_of, has_subquery};
use crate::functions::SINGLE_VALUE;
use crate::tree::PlanTree;

/// Combinations of values of outer columns, and the names that these columns have inside.
pub(super) struct Domain {
    /// Has one column for each key.
    pub plan: LogicalPlan,
    /// The columns.
    pub keys: Vec<Key>,
}

/// A column of a domain.
pub(super) struct Key {
    /// The column of the outer query.
    pub outer: Column,
    /// Its name in the domain, and in every plan that the domain was pushed into: no other column
    /// has it.
    pub name: String,
    /// Its field in the outer query.
    pub field: FieldRef,
}

impl Subqueries {
    /// Makes the domain of a subquery with these references to an outer query.
    ///
    /// # Errors
    /// The outer query has no such column, or its rows may be others when it runs again.
    pub fn domain(&self, outer: &LogicalPlan, references: &[Reference]) -> Result<Domain> {
        let columns: Vec<Column> = references.iter().map(|(column, _)| column.clone()).collect();
        if let Some(missing) = columns.iter().find(|column| !outer.schema().has_column(column)) {
            return plan_err!(
                "a subquery refers to {missing}, which the part of the query around it does not have: add it to the \
                 SELECT list or the GROUP BY of that part"
            );
        }
        let Some(source) = source(outer, &columns)? else {
            return plan_err!(
                "a subquery refers to {} of a query whose rows may be others when it runs again (LIMIT, random() or a \
                 sum of floating-point numbers): write the subquery as a join with GROUP BY, or cast the sum to DECIMAL",
                columns[0]
            );
        };
        let key = |(outer, field): &Reference| Key {
            outer: outer.clone(),
            name: self.name("outer"),
            field: field.clone(),
        };
        let keys: Vec<Key> = references.iter().map(key).collect();
        let named = keys.iter().map(|key| Expr::Column(key.outer.clone()).alias(&key.name));
        let named: Vec<Expr> = named.collect();
        let plan = LogicalPlanBuilder::from(source).project(named)?.distinct()?.build()?;
        Ok(Domain { plan, keys })
    }

    /// Makes a domain of all rows of a plan, with duplicates and all columns.
    pub fn rows(&self, plan: LogicalPlan) -> Result<Domain> {
        let fields = plan.schema().iter().map(|(qualifier, field)| Key {
            outer: Column::new(qualifier.cloned(), field.name()),
            name: self.name("outer"),
            field: field.clone(),
        });
        let keys: Vec<Key> = fields.collect();
        let named: Vec<Expr> =
            keys.iter().map(|key| Expr::Column(key.outer.clone()).alias(&key.name)).collect();
        Ok(Domain { plan: LogicalPlanBuilder::from(plan).project(named)?.build()?, keys })
    }
}

/// Returns a plan that has the columns, with all combinations of values that `plan` has, and maybe
/// more; `None` if there is none that gives the same rows every time.
fn source(plan: &LogicalPlan, columns: &[Column]) -> Result<Option<LogicalPlan>> {
    if is_repeatable(plan)? {
        return Ok(Some(plan.clone()));
    }
    match plan {
        LogicalPlan::Limit(limit) => source(&limit.input, columns),
        LogicalPlan::Sort(sort) => source(&sort.input, columns),
        LogicalPlan::Distinct(Distinct::All(input)) => source(input, columns),
        LogicalPlan::Window(window) if has_all(&window.input, columns) => source(&window.input, columns),
        LogicalPlan::Filter(filter) => of_filter(filter, columns),
        LogicalPlan::Projection(projection) => of_projection(projection, columns),
        LogicalPlan::Aggregate(aggregate) => of_aggregate(aggregate, columns),
        LogicalPlan::Join(join) => of_join(join, columns),
        LogicalPlan::SubqueryAlias(alias) => {
            let position = |column: &Column| alias.schema.index_of_column(column);
            let positions = columns.iter().map(position).collect::<Result<Vec<_>>>()?;
            let inner: Vec<Column> = positions
                .iter()
                .map(|index| Column::from(alias.input.schema().qualified_field(*index)))
                .collect();
            let Some(source) = source(&alias.input, &inner)? else { return Ok(None) };
            let named = inner.into_iter().zip(columns).map(|(inner, column)| {
                Expr::Column(inner).alias_qualified(column.relation.clone(), column.name())
            });
            let named: Vec<Expr> = named.collect();
            LogicalPlanBuilder::from(source).project(named)?.build().map(Some)
        }
        LogicalPlan::Union(union) => of_union(union, columns),
        _ => Ok(None),
    }
}

fn of_union(union: &Union, columns: &[Column]) -> Result<Option<LogicalPlan>> {
    let position = |column: &Column| union.schema.index_of_column(column);
    let positions = columns.iter().map(position).collect::<Result<Vec<_>>>()?;
    let mut sources = Vec::new();
    for input in &union.inputs {
        let inner: Vec<Column> =
            positions.iter().map(|index| Column::from(input.schema().qualified_field(*index))).collect();
        let Some(source) = source(input, &inner)? else { return Ok(None) };
        let source = LogicalPlanBuilder::from(source).project(numbered(inner))?.build()?;
        sources.push(Arc::new(source));
    }
    let all = LogicalPlan::Union(Union::try_new_with_loose_types(sources)?);
    let named =
        all.schema().columns().into_iter().zip(columns).map(|(inner, column)| {
            Expr::Column(inner).alias_qualified(column.relation.clone(), column.name())
        });
    let named: Vec<Expr> = named.collect();
    LogicalPlanBuilder::from(all).project(named)?.build().map(Some)
}

fn of_filter(filter: &Filter, columns: &[Column]) -> Result<Option<LogicalPlan>> {
    let is_plain = |part: &&Expr| !has_subquery(part) && !part.is_volatile();
    let parts: Vec<Expr> =
        split_conjunction(&filter.predicate).into_iter().filter(is_plain).cloned().collect();
    let Some(predicate) = conjunction(parts) else { return source(&filter.input, columns) };
    let wanted = with_columns_of(columns, [&predicate])?;
    match source(&filter.input, &wanted)? {
        Some(source) => LogicalPlanBuilder::from(source).filter(predicate)?.build().map(Some),
        None => source(&filter.input, columns),
    }
}

fn of_projection(projection: &Projection, columns: &[Column]) -> Result<Option<LogicalPlan>> {
    let mut named = Vec::new();
    for column in columns {
        let expression = projection.expr[projection.schema.index_of_column(column)?].clone();
        if expression.is_volatile() || has_subquery(&expression) {
            return Ok(None);
        }
        named.push(expression.unalias().alias_qualified(column.relation.clone(), column.name()));
    }
    let wanted = with_columns_of(&[], &named)?;
    let Some(source) = source(&projection.input, &wanted)? else { return Ok(None) };
    LogicalPlanBuilder::from(source).project(named)?.build().map(Some)
}

fn of_aggregate(aggregate: &Aggregate, columns: &[Column]) -> Result<Option<LogicalPlan>> {
    let mut named = Vec::new();
    for column in columns {
        match aggregate.group_expr.get(aggregate.schema.index_of_column(column)?) {
            Some(group) if !matches!(group, Expr::GroupingSet(_)) && !group.is_volatile() => {
                named.push(group.clone().unalias().alias_qualified(column.relation.clone(), column.name()));
            }
            _ => return Ok(None),
        }
    }
    let is_plain = !aggregate.group_expr.iter().any(|group| matches!(group, Expr::GroupingSet(_)));
    let wanted = with_columns_of(&[], &named)?;
    match source(&aggregate.input, &wanted)? {
        Some(source) if is_plain => LogicalPlanBuilder::from(source).project(named)?.build().map(Some),
        _ => Ok(None),
    }
}

fn of_join(join: &Join, columns: &[Column]) -> Result<Option<LogicalPlan>> {
    let (keeps_left, keeps_right) = match join.join_type {
        JoinType::Inner => (true, true),
        JoinType::Left | JoinType::LeftSemi | JoinType::LeftAnti | JoinType::LeftMark => (true, false),
        JoinType::Right | JoinType::RightSemi | JoinType::RightAnti | JoinType::RightMark => (false, true),
        JoinType::Full => (false, false),
    };
    let (left, right): (Vec<_>, Vec<_>) =
        columns.iter().cloned().partition(|column| join.left.schema().has_column(column));
    // A mark join has a column of its own.
    if !has_all(&join.right, &right) {
        return Ok(None);
    }
    if join.join_type == JoinType::Inner && !left.is_empty() && !right.is_empty() {
        return of_inner_join(join, columns);
    }
    let left = (!left.is_empty()).then(|| of_side(&join.left, &left, keeps_left)).transpose()?;
    let right = (!right.is_empty()).then(|| of_side(&join.right, &right, keeps_right)).transpose()?;
    match (left, right) {
        (Some(Some(left)), Some(Some(right))) => {
            LogicalPlanBuilder::from(left).cross_join(right)?.build().map(Some)
        }
        (Some(Some(side)), None) | (None, Some(Some(side))) => Ok(Some(side)),
        _ => Ok(None),
    }
}

/// Keeps the condition of a join if the columns come from both sides, where possible.
fn of_inner_join(join: &Join, columns: &[Column]) -> Result<Option<LogicalPlan>> {
    let condition =
        condition_of(join).filter(|condition| !condition.is_volatile() && !has_subquery(condition));
    let wanted = with_columns_of(columns, &condition)?;
    let (left, right): (Vec<_>, Vec<_>) =
        wanted.into_iter().partition(|column| join.left.schema().has_column(column));
    match (source(&join.left, &left)?, source(&join.right, &right)?) {
        (Some(left), Some(right)) => {
            LogicalPlanBuilder::from(left).join_on(right, JoinType::Inner, condition)?.build().map(Some)
        }
        _ => Ok(None),
    }
}

/// Makes the distinct values of one side of a join, and NULL for the rows of the other that match
/// none.
fn of_side(side: &LogicalPlan, columns: &[Column], is_kept: bool) -> Result<Option<LogicalPlan>> {
    let Some(source) = source(side, columns)? else { return Ok(None) };
    let source = LogicalPlanBuilder::from(source);
    if is_kept {
        return source.project(columns.iter().cloned().map(Expr::Column))?.distinct()?.build().map(Some);
    }
    let source = source.project(numbered(columns.to_vec()))?;
    let null = |(number, column): (usize, &Column)| {
        let value = ScalarValue::try_from(side.schema().field_from_column(column)?.data_type())?;
        Ok(lit(value).alias(name_in_union(number)))
    };
    let nulls: Vec<Expr> = columns.iter().enumerate().map(null).collect::<Result<_>>()?;
    let nulls = LogicalPlanBuilder::empty(true).project(nulls)?.build()?;
    let both = source.union_distinct(nulls)?.build()?;
    let inner = both.schema().columns().into_iter().zip(columns);
    let named: Vec<Expr> = inner
        .map(|(inner, column)| Expr::Column(inner).alias_qualified(column.relation.clone(), column.name()))
        .collect();
    LogicalPlanBuilder::from(both).project(named)?.build().map(Some)
}

/// Names the columns of a union by their numbers. Two of them may have one name, and DataFusion's
/// plans of a union confuse such columns.
fn numbered(columns: Vec<Column>) -> Vec<Expr> {
    let columns = columns.into_iter().enumerate();
    columns.map(|(number, column)| Expr::Column(column).alias(name_in_union(number))).collect()
}

fn name_in_union(number: usize) -> String {
    format!("__domain_{number}")
}

fn has_all(plan: &LogicalPlan, columns: &[Column]) -> bool {
    columns.iter().all(|column| plan.schema().has_column(column))
}

fn with_columns_of<'a>(
    columns: &[Column],
    expressions: impl IntoIterator<Item = &'a Expr>,
) -> Result<Vec<Column>> {
    let mut found = std::collections::HashSet::new();
    for expression in expressions {
        expr_to_columns(expression, &mut found)?;
    }
    let mut more: Vec<Column> = found.into_iter().filter(|column| !columns.contains(column)).collect();
    more.sort();
    let mut seen = HashSet::new();
    Ok(columns.iter().cloned().chain(more).filter(|column| seen.insert(column.clone())).collect())
}

/// Returns whether a plan gives the same rows every time that it runs, in any order.
fn is_repeatable(plan: &LogicalPlan) -> Result<bool> {
    let mut is_repeatable = true;
    plan.apply_to_all(|node| {
        is_repeatable &= match node {
            LogicalPlan::Limit(_) | LogicalPlan::Extension(_) => false,
            LogicalPlan::Window(window) => window.window_expr.iter().all(is_rank),
            LogicalPlan::Distinct(Distinct::On(_)) => false,
            LogicalPlan::Sort(sort) => sort.fetch.is_none(),
            LogicalPlan::Aggregate(aggregate) => {
                let schema = aggregate.input.schema();
                aggregate.aggr_expr.iter().all(|expression| is_exact(expression, schema))
            }
            _ => true,
        };
        node.apply_to_expressions(|expression| {
            is_repeatable &= !expression.is_volatile();
            Ok(TreeNodeRecursion::Continue)
        })?;
        Ok(if is_repeatable { TreeNodeRecursion::Continue } else { TreeNodeRecursion::Stop })
    })?;
    Ok(is_repeatable)
}

/// Returns whether a window function gives equal rows the same value.
fn is_rank(expression: &Expr) -> bool {
    match expression.clone().unalias() {
        Expr::WindowFunction(function) => {
            matches!(function.fun.name(), "rank" | "dense_rank" | "percent_rank" | "cume_dist")
        }
        _ => false,
    }
}

/// Returns whether an aggregate's value does not depend on the order of rows.
fn is_exact(expression: &Expr, schema: &DFSchema) -> bool {
    let Expr::AggregateFunction(AggregateFunction { func, params }) = expression.clone().unalias() else {
        return false;
    };
    let is_exact = |argument: &Expr| match argument.get_type(schema) {
        Ok(data_type) if !data_type.is_floating() => true,
        // `avg` has its arguments cast.
        _ => match argument {
            Expr::Cast(cast) => cast.expr.get_type(schema).is_ok_and(|data_type| data_type.is_integer()),
            _ => false,
        },
    };
    match func.name() {
        "count" | "min" | "max" | "bool_and" | "bool_or" | "bit_and" | "bit_or" | "bit_xor" => true,
        "sum" | "avg" => params.args.iter().all(is_exact),
        name => name == SINGLE_VALUE,
    }
}
