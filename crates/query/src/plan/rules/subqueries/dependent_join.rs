//! Dependent joins: a subquery's plan for all combinations of outer values at once.
//!
//! A domain is pushed down a correlated plan to the first subplan without outer references, and
//! cross-joined with it ("Unnesting Arbitrary Queries", Neumann and Kemper). On the way up every
//! operator works for each combination on its own. Keys may be NULL, so they are compared by IS NOT
//! DISTINCT FROM.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::common::{Column, DFSchema, Result, plan_err};
use datafusion::functions_window::expr_fn::row_number;
use datafusion::logical_expr::logical_plan::{
    Aggregate, Distinct, DistinctOn, FetchType, Join, Limit, SkipType, Sort, SubqueryAlias, Union, Unnest,
    Values, Window,
};
use datafusion::logical_expr::{
    Expr, ExprFunctionExt, JoinType, LogicalPlan, LogicalPlanBuilder, Operator, SortExpr, binary_expr, cast,
    lit,
};

use super::Subqueries;
use super::domain::{Domain, Key};
use super::scope::{
    Reference, Replacement, bind, condition_of, input_schema, is_lateral, references, substitute,
};
use crate::tree::Tree;

/// Columns that stand for outer ones in a plan that a domain was pushed into.
struct Keys(HashMap<Column, Reference>);

impl Keys {
    fn of(domain: &Domain, plan: &DFSchema) -> Self {
        let key = |key: &Key| Some((key.outer.clone(), (column(plan, &key.name)?, key.field.clone())));
        Self(domain.keys.iter().filter_map(key).collect())
    }
}

impl Replacement for Keys {
    fn replace(&self, column: &Column) -> Option<Reference> {
        self.0.get(column).cloned()
    }
}

/// Returns the column of a unique name.
fn column(schema: &DFSchema, name: &str) -> Option<Column> {
    schema.iter().find(|(_, field)| field.name() == name).map(Column::from)
}

/// Returns a domain's columns in a plan.
///
/// # Errors
/// The domain was not pushed into it.
pub(super) fn key_columns(domain: &Domain, schema: &DFSchema) -> Result<Vec<Column>> {
    let found = domain.keys.iter().map(|key| match column(schema, &key.name) {
        Some(column) => Ok(column),
        None => plan_err!("a subquery can't be planned: write it as a join"),
    });
    found.collect()
}

/// Returns the condition that keys are equal, where NULL equals NULL.
pub(super) fn same(left: &[Column], right: &[Column]) -> Option<Expr> {
    let pairs = left.iter().zip(right).map(|(left, right)| {
        let (left, right) = (Expr::Column(left.clone()), Expr::Column(right.clone()));
        binary_expr(left, Operator::IsNotDistinctFrom, right)
    });
    pairs.reduce(Expr::and)
}

fn expressions(columns: Vec<Column>) -> Vec<Expr> {
    columns.into_iter().map(Expr::Column).collect()
}

impl Subqueries {
    /// Returns the rows of a plan for each row of a domain, with the domain's columns in front.
    ///
    /// # Errors
    /// An operator between can't be run for many combinations of outer values at once.
    pub fn push(&self, plan: &LogicalPlan, domain: &Domain) -> Result<LogicalPlan> {
        if !self.refers(plan, domain)? {
            if matches!(plan, LogicalPlan::EmptyRelation(empty) if empty.produce_one_row && empty.schema.fields().is_empty())
            {
                return Ok(domain.plan.clone());
            }
            return LogicalPlanBuilder::from(domain.plan.clone()).cross_join(plan.clone())?.build();
        }
        match plan {
            LogicalPlan::Projection(projection) => {
                let input = self.push(&projection.input, domain)?;
                let mut bound = expressions(key_columns(domain, input.schema())?);
                let inner = projection.input.schema();
                for (expression, (qualifier, field)) in projection.expr.iter().zip(projection.schema.iter()) {
                    let expression = self.bound(expression, inner, &input, domain)?;
                    bound.push(expression.unalias().alias_qualified(qualifier.cloned(), field.name()));
                }
                LogicalPlanBuilder::from(input).project(bound)?.build()
            }
            LogicalPlan::Filter(filter) => {
                let input = self.push(&filter.input, domain)?;
                let predicate = self.bound(&filter.predicate, filter.input.schema(), &input, domain)?;
                LogicalPlanBuilder::from(input).filter(predicate)?.build()
            }
            LogicalPlan::SubqueryAlias(alias) => {
                let input = self.push(&alias.input, domain)?;
                Ok(LogicalPlan::SubqueryAlias(SubqueryAlias::try_new(input.into(), alias.alias.clone())?))
            }
            LogicalPlan::Subquery(subquery) => self.push(&subquery.subquery, domain),
            LogicalPlan::Distinct(Distinct::All(input)) => {
                LogicalPlanBuilder::from(self.push(input, domain)?).distinct()?.build()
            }
            LogicalPlan::Distinct(Distinct::On(on)) => self.push_distinct_on(on, domain),
            // Without a limit above, an order is not kept.
            LogicalPlan::Sort(sort) if sort.fetch.is_none() => self.push(&sort.input, domain),
            LogicalPlan::Sort(sort) => self.push_sort(sort, 0, sort.fetch, domain),
            LogicalPlan::Limit(limit) => self.push_limit(limit, domain),
            LogicalPlan::Aggregate(aggregate) if aggregate.group_expr.is_empty() => {
                self.push_aggregate(aggregate, domain)
            }
            LogicalPlan::Aggregate(aggregate) => self.push_groups(aggregate, domain),
            LogicalPlan::Window(window) => self.push_window(window, domain),
            LogicalPlan::Join(join) => self.push_join(join, domain),
            LogicalPlan::Union(union) => self.push_union(union, domain),
            LogicalPlan::Unnest(unnest) => self.push_unnest(unnest, domain),
            LogicalPlan::Values(values) => self.push_values(values, domain),
            other => plan_err!(
                "a subquery refers to {} inside of {}: write the subquery as a join with the query around it",
                domain.keys.first().map_or_else(String::new, |key| key.outer.to_string()),
                name_of(other)
            ),
        }
    }

    /// Returns whether a plan refers to a domain's columns.
    fn refers(&self, plan: &LogicalPlan, domain: &Domain) -> Result<bool> {
        let is_key = |column: &Column| domain.keys.iter().any(|key| key.outer == *column);
        Ok(references(plan)?.iter().any(|(column, _)| is_key(column)))
    }

    fn bound(
        &self,
        expression: &Expr,
        schema: &DFSchema,
        input: &LogicalPlan,
        domain: &Domain,
    ) -> Result<Expr> {
        bind(expression.clone(), schema, &Keys::of(domain, input.schema()))
    }

    fn bound_sort(
        &self,
        sort: &SortExpr,
        schema: &DFSchema,
        input: &LogicalPlan,
        domain: &Domain,
    ) -> Result<SortExpr> {
        Ok(sort.with_expr(self.bound(&sort.expr, schema, input, domain)?))
    }

    /// Gives a plan the columns of the plan that it replaces, after the keys. `is_by_position`:
    /// `plan` has only keys and these columns, under other names.
    fn restored(
        &self,
        plan: LogicalPlan,
        domain: &Domain,
        schema: &DFSchema,
        is_by_position: bool,
    ) -> Result<LogicalPlan> {
        let keys = key_columns(domain, plan.schema())?;
        let own: Vec<Column> = match is_by_position {
            true => plan.schema().columns().into_iter().filter(|column| !keys.contains(column)).collect(),
            false => schema.columns(),
        };
        let mut all = expressions(keys);
        for ((qualifier, field), column) in schema.iter().zip(own) {
            all.push(match column.relation.as_ref() == qualifier && column.name() == field.name() {
                true => Expr::Column(column),
                false => Expr::Column(column).alias_qualified(qualifier.cloned(), field.name()),
            });
        }
        LogicalPlanBuilder::from(plan).project(all)?.build()
    }

    /// Gives the keys of a plan other names, so that it can be joined with one that has them too.
    fn renamed(&self, plan: LogicalPlan, domain: &Domain) -> Result<(LogicalPlan, Vec<Column>)> {
        let keys = key_columns(domain, plan.schema())?;
        let names: Vec<String> = keys.iter().map(|_| self.name("outer")).collect();
        let renamed = keys.iter().zip(&names).map(|(key, name)| Expr::Column(key.clone()).alias(name));
        let rest = plan.schema().columns().into_iter().filter(|column| !keys.contains(column));
        let all: Vec<Expr> = renamed.chain(rest.map(Expr::Column)).collect();
        let plan = LogicalPlanBuilder::from(plan).project(all)?.build()?;
        Ok((plan, names.into_iter().map(Column::new_unqualified).collect()))
    }

    fn push_distinct_on(&self, on: &DistinctOn, domain: &Domain) -> Result<LogicalPlan> {
        let input = self.push(&on.input, domain)?;
        let schema = on.input.schema();
        let keys = expressions(key_columns(domain, input.schema())?);
        let all = |list: &[Expr]| -> Result<Vec<Expr>> {
            let mut all = keys.clone();
            for expression in list {
                all.push(self.bound(expression, schema, &input, domain)?);
            }
            Ok(all)
        };
        let sort = match &on.sort_expr {
            Some(list) => {
                let mut all: Vec<SortExpr> = keys.iter().map(|key| key.clone().sort(true, true)).collect();
                for sort in list {
                    all.push(self.bound_sort(sort, schema, &input, domain)?);
                }
                Some(all)
            }
            None => None,
        };
        let (on_expr, select_expr) = (all(&on.on_expr)?, all(&on.select_expr)?);
        let distinct = DistinctOn::try_new(on_expr, select_expr, sort, Arc::new(input))?;
        self.restored(LogicalPlan::Distinct(Distinct::On(distinct)), domain, &on.schema, true)
    }

    fn push_limit(&self, limit: &Limit, domain: &Domain) -> Result<LogicalPlan> {
        let (SkipType::Literal(skip), FetchType::Literal(fetch)) =
            (limit.get_skip_type()?, limit.get_fetch_type()?)
        else {
            return plan_err!(
                "LIMIT and OFFSET of a subquery that refers to the query around it must be whole numbers"
            );
        };
        // The operators between the limit and its order keep the number of rows, so they can follow
        // the limit.
        let below = |input: &Arc<LogicalPlan>| {
            LogicalPlan::Limit(Limit {
                input: input.clone(),
                skip: limit.skip.clone(),
                fetch: limit.fetch.clone(),
            })
        };
        match limit.input.as_ref() {
            LogicalPlan::Projection(projection) => {
                let mut projection = projection.clone();
                projection.input = below(&projection.input).into();
                self.push(&LogicalPlan::Projection(projection), domain)
            }
            LogicalPlan::SubqueryAlias(alias) => {
                let inner = below(&alias.input);
                let alias = SubqueryAlias::try_new(inner.into(), alias.alias.clone())?;
                self.push(&LogicalPlan::SubqueryAlias(alias), domain)
            }
            LogicalPlan::Sort(sort) => {
                let fetch = match (fetch, sort.fetch) {
                    (Some(fetch), Some(within)) => Some(fetch.min(within.saturating_sub(skip))),
                    (fetch, within) => fetch.or(within.map(|within| within.saturating_sub(skip))),
                };
                self.push_sort(sort, skip, fetch, domain)
            }
            _ => {
                let unsorted = Sort { expr: Vec::new(), input: limit.input.clone(), fetch: None };
                self.push_sort(&unsorted, skip, fetch, domain)
            }
        }
    }

    /// Numbers the rows of each combination in their order, and keeps those within the limits.
    fn push_sort(
        &self,
        sort: &Sort,
        skip: usize,
        fetch: Option<usize>,
        domain: &Domain,
    ) -> Result<LogicalPlan> {
        let input = self.push(&sort.input, domain)?;
        let schema = sort.input.schema();
        let order = sort.expr.iter().map(|sort| self.bound_sort(sort, schema, &input, domain));
        let order = order.collect::<Result<Vec<_>>>()?;
        let keys = expressions(key_columns(domain, input.schema())?);
        let columns = expressions(input.schema().columns());
        let number = row_number().partition_by(keys).order_by(order).build()?;
        let name = self.name("row");
        let mut named = columns.clone();
        let window = LogicalPlanBuilder::from(input).window([number.clone()])?;
        named.push(Expr::Column(Column::new_unqualified(number.schema_name().to_string())).alias(&name));
        let number = Expr::Column(Column::new_unqualified(name));
        let first = skip as u64;
        let mut predicate = number.clone().gt(lit(first));
        if let Some(fetch) = fetch {
            predicate = predicate.and(number.lt_eq(lit(first.saturating_add(fetch as u64))));
        }
        window.project(named)?.filter(predicate)?.project(columns)?.build()
    }

    /// Gives every combination a group, also those without rows: only the aggregate function knows
    /// its result over no rows.
    fn push_aggregate(&self, aggregate: &Aggregate, domain: &Domain) -> Result<LogicalPlan> {
        let (right, right_keys) = self.renamed(self.push(&aggregate.input, domain)?, domain)?;
        let found = self.name("found");
        let mut columns = expressions(right.schema().columns());
        columns.push(lit(true).alias(&found));
        let right = LogicalPlanBuilder::from(right).project(columns)?.build()?;
        let keys = key_columns(domain, domain.plan.schema())?;
        let joined = LogicalPlanBuilder::from(domain.plan.clone())
            .join_on(right, JoinType::Left, same(&keys, &right_keys))?
            .build()?;
        // NULL where the join found nothing, which a filter takes for false.
        let is_found = Expr::Column(Column::new_unqualified(found));
        let mut functions = Vec::new();
        for (expression, (_, field)) in aggregate.aggr_expr.iter().zip(aggregate.schema.iter()) {
            let bound = self.bound(expression, aggregate.input.schema(), &joined, domain)?;
            let filtered = bound.unalias().transform_down(|node| match node {
                Expr::AggregateFunction(mut function) => {
                    let filter = function.params.filter.take().map(|filter| *filter);
                    let filter =
                        filter.map_or_else(|| is_found.clone(), |filter| is_found.clone().and(filter));
                    function.params.filter = Some(Box::new(filter));
                    Ok(Transformed::new(Expr::AggregateFunction(function), true, TreeNodeRecursion::Jump))
                }
                node => Ok(Transformed::no(node)),
            })?;
            functions.push(filtered.data.alias(field.name()));
        }
        let grouped = LogicalPlanBuilder::from(joined).aggregate(expressions(keys), functions)?.build()?;
        self.restored(grouped, domain, &aggregate.schema, false)
    }

    fn push_groups(&self, aggregate: &Aggregate, domain: &Domain) -> Result<LogicalPlan> {
        let is_total = |group: &Expr| matches!(group, Expr::GroupingSet(set) if has_empty_set(set));
        let has_total = aggregate.group_expr.iter().any(is_total);
        if has_total {
            return plan_err!(
                "a subquery that refers to the query around it has a grouping set of no columns: write the total as \
                 another subquery, and connect the two by UNION ALL"
            );
        }
        let input = self.push(&aggregate.input, domain)?;
        let schema = aggregate.input.schema();
        let mut groups = expressions(key_columns(domain, input.schema())?);
        let mut functions = Vec::new();
        // Position of each column of the aggregate in the new one: an outer column may be a group
        // and a key.
        let mut positions = Vec::new();
        for expression in &aggregate.group_expr {
            let bound = self.bound(expression, schema, &input, domain)?;
            positions.push(groups.iter().position(|group| *group == bound).unwrap_or(groups.len()));
            if !groups.contains(&bound) {
                groups.push(bound);
            }
        }
        for expression in &aggregate.aggr_expr {
            positions.push(groups.len() + functions.len());
            functions.push(self.bound(expression, schema, &input, domain)?);
        }
        let is_grouping_set = aggregate.group_expr.iter().any(|group| matches!(group, Expr::GroupingSet(_)));
        let grouped = LogicalPlanBuilder::from(input).aggregate(groups, functions)?.build()?;
        if is_grouping_set {
            return self.restored(grouped, domain, &aggregate.schema, false);
        }
        let mut columns = expressions(key_columns(domain, grouped.schema())?);
        for (position, (qualifier, field)) in positions.into_iter().zip(aggregate.schema.iter()) {
            let column = Expr::Column(Column::from(grouped.schema().qualified_field(position)));
            columns.push(column.alias_qualified(qualifier.cloned(), field.name()));
        }
        LogicalPlanBuilder::from(grouped).project(columns)?.build()
    }

    fn push_window(&self, window: &Window, domain: &Domain) -> Result<LogicalPlan> {
        let input = self.push(&window.input, domain)?;
        let keys = expressions(key_columns(domain, input.schema())?);
        let mut functions = Vec::new();
        for expression in &window.window_expr {
            let bound = self.bound(expression, window.input.schema(), &input, domain)?;
            let partitioned = bound.unalias().transform_down(|node| match node {
                Expr::WindowFunction(mut function) => {
                    function.params.partition_by.splice(0..0, keys.iter().cloned());
                    Ok(Transformed::new(Expr::WindowFunction(function), true, TreeNodeRecursion::Jump))
                }
                node => Ok(Transformed::no(node)),
            })?;
            functions.push(partitioned.data);
        }
        let windows = LogicalPlanBuilder::from(input).window(functions)?.build()?;
        self.restored(windows, domain, &window.schema, true)
    }

    fn push_union(&self, union: &Union, domain: &Domain) -> Result<LogicalPlan> {
        let push = |input: &Arc<LogicalPlan>| {
            let pushed = self.push(input, domain)?;
            self.restored(pushed, domain, input.schema(), false).map(Arc::new)
        };
        let inputs = union.inputs.iter().map(push).collect::<Result<Vec<_>>>()?;
        let pushed = LogicalPlan::Union(Union::try_new_with_loose_types(inputs)?);
        self.restored(pushed, domain, &union.schema, true)
    }

    fn push_unnest(&self, unnest: &Unnest, domain: &Domain) -> Result<LogicalPlan> {
        let input = self.push(&unnest.input, domain)?;
        let pushed = LogicalPlanBuilder::from(input)
            .unnest_columns_with_options(unnest.exec_columns.clone(), unnest.options.clone())?
            .build()?;
        self.restored(pushed, domain, &unnest.schema, true)
    }

    fn push_values(&self, values: &Values, domain: &Domain) -> Result<LogicalPlan> {
        let keys = key_columns(domain, domain.plan.schema())?;
        let row = |row: &Vec<Expr>| {
            let mut columns = expressions(keys.clone());
            for (value, (qualifier, field)) in row.iter().zip(values.schema.iter()) {
                let value = self.bound(value, &DFSchema::empty(), &domain.plan, domain)?.unalias();
                let value = cast(value, field.data_type().clone());
                columns.push(value.alias_qualified(qualifier.cloned(), field.name()));
            }
            LogicalPlanBuilder::from(domain.plan.clone()).project(columns)?.build().map(Arc::new)
        };
        let mut rows = values.values.iter().map(row).collect::<Result<Vec<_>>>()?;
        match rows.len() {
            1 => Ok(Arc::unwrap_or_clone(rows.remove(0))),
            _ => {
                let union = LogicalPlan::Union(Union::try_new_with_loose_types(rows)?);
                self.restored(union, domain, &values.schema, true)
            }
        }
    }

    fn push_join(&self, join: &Join, domain: &Domain) -> Result<LogicalPlan> {
        if is_lateral(join)? {
            return self.push_lateral(join, domain);
        }
        let condition = condition_of(join);
        let schema = input_schema(&LogicalPlan::Join(join.clone()));
        let (in_left, in_right) = (self.refers(&join.left, domain)?, self.refers(&join.right, domain)?);
        // A preserved side needs all combinations, the other only those that it refers to.
        let (keeps_left, keeps_right) = match join.join_type {
            JoinType::Inner => (!in_right, false),
            JoinType::Left | JoinType::LeftSemi | JoinType::LeftAnti | JoinType::LeftMark => (true, false),
            JoinType::Right | JoinType::RightSemi | JoinType::RightAnti | JoinType::RightMark => {
                (false, true)
            }
            JoinType::Full => (true, true),
        };
        let (push_left, push_right) = (keeps_left || in_left, keeps_right || in_right);
        let left = match push_left {
            true => self.push(&join.left, domain)?,
            false => join.left.as_ref().clone(),
        };
        let right = match push_right {
            true => self.push(&join.right, domain)?,
            false => join.right.as_ref().clone(),
        };
        let mut parts: Vec<Expr> = Vec::new();
        let (left, right) = match (push_left, push_right) {
            (true, true) if keeps_right && !keeps_left => {
                let (left, names) = self.renamed(left, domain)?;
                parts.extend(same(&names, &key_columns(domain, right.schema())?));
                (left, right)
            }
            (true, true) => {
                let (right, names) = self.renamed(right, domain)?;
                parts.extend(same(&key_columns(domain, left.schema())?, &names));
                if keeps_right {
                    return self.push_full(join, left, right, &names, parts, condition, domain);
                }
                (left, right)
            }
            _ => (left, right),
        };
        if let Some(condition) = condition {
            let both = left.schema().join(right.schema())?;
            let bound = bind(condition, &schema, &Keys::of(domain, &both))?;
            parts.push(bound);
        }
        let joined = LogicalPlanBuilder::from(left).join_on(right, join.join_type, parts)?.build()?;
        self.restored(joined, domain, &join.schema, false)
    }

    /// A full join has rows of one side alone, so a key comes from the side that is present.
    #[allow(clippy::too_many_arguments)]
    fn push_full(
        &self,
        join: &Join,
        left: LogicalPlan,
        right: LogicalPlan,
        right_keys: &[Column],
        mut parts: Vec<Expr>,
        condition: Option<Expr>,
        domain: &Domain,
    ) -> Result<LogicalPlan> {
        let keys = key_columns(domain, left.schema())?;
        if let Some(condition) = condition {
            let schema = input_schema(&LogicalPlan::Join(join.clone()));
            parts.push(bind(condition, &schema, &Keys::of(domain, left.schema()))?);
        }
        let joined = LogicalPlanBuilder::from(left).join_on(right, JoinType::Full, parts)?.build()?;
        let either = |((left, right), key): ((&Column, &Column), &Key)| {
            let (left, right) = (Expr::Column(left.clone()), Expr::Column(right.clone()));
            datafusion::functions::core::expr_fn::coalesce(vec![left, right]).alias(&key.name)
        };
        let mut columns: Vec<Expr> = keys.iter().zip(right_keys).zip(&domain.keys).map(either).collect();
        columns.extend(expressions(join.schema.columns()));
        LogicalPlanBuilder::from(joined).project(columns)?.build()
    }

    /// Lets the subquery of a lateral join take outer values from the left side's rows.
    fn push_lateral(&self, join: &Join, domain: &Domain) -> Result<LogicalPlan> {
        let left = self.push(&join.left, domain)?;
        let keys = Keys::of(domain, left.schema());
        let mut hidden = vec![join.left.schema().as_ref().clone()];
        let right = substitute(join.right.as_ref().clone(), &mut hidden, &keys)?;
        let schema = input_schema(&LogicalPlan::Join(join.clone()));
        let condition = condition_of(join).map(|condition| bind(condition, &schema, &keys)).transpose()?;
        let joined = LogicalPlanBuilder::from(left).join_on(right, join.join_type, condition)?.build()?;
        self.restored(joined, domain, &join.schema, false)
    }
}

fn has_empty_set(set: &datafusion::logical_expr::GroupingSet) -> bool {
    use datafusion::logical_expr::GroupingSet;
    match set {
        GroupingSet::Rollup(_) | GroupingSet::Cube(_) => true,
        GroupingSet::GroupingSets(sets) => sets.iter().any(Vec::is_empty),
    }
}

/// Returns the SQL clause behind an operator.
fn name_of(plan: &LogicalPlan) -> &'static str {
    match plan {
        LogicalPlan::RecursiveQuery(_) => "a recursive query",
        LogicalPlan::TableScan(_) => "a table function",
        _ => "an operator that does not run for many outer rows at once",
    }
}
