//! Groups of an aggregate, computed below the joins that its input comes of.

use std::collections::HashSet;
use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNodeRecursion};
use datafusion::common::{JoinType, NullEquality};
use datafusion::error::Result;
use datafusion::physical_expr::Partitioning;
use datafusion::physical_expr::aggregate::{AggregateExprBuilder, AggregateFunctionExpr};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::projection::{ProjectionExpr, update_expr};
use datafusion::physical_expr_common::physical_expr::{PhysicalExpr, is_volatile};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode, PhysicalGroupBy};
use datafusion::physical_plan::joins::{HashJoinExec, HashJoinExecBuilder, PartitionMode};
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::repartition::RepartitionExec;

use super::gain::{Key, WIDE, are_numbers, cost, has_many_rows_each};
use crate::fallible::never_fails;
use crate::plan::rules::joins::YieldExec;
use crate::plan::rules::properties::hidden_properties::HiddenPropertiesExec;
use crate::tree::{Tree, grown};

type Expr = Arc<dyn PhysicalExpr>;

/// Keys, arguments and conditions of an aggregate, over the rows of one plan.
#[derive(Clone)]
pub(in crate::plan::rules::aggregates) struct Grouping<'a> {
    values: &'a [Arc<AggregateFunctionExpr>],
    pub keys: Vec<Key>,
    pub arguments: Vec<Vec<Expr>>,
    /// Conditions of FILTER.
    pub filters: Vec<Option<Expr>>,
    /// Cost of hashing the keys that the query names.
    cost: usize,
}

/// Side of a join that an expression is over.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::plan::rules::aggregates) enum Side {
    Build,
    Probe,
    Both,
    Neither,
}

impl<'a> Grouping<'a> {
    /// Returns an aggregate's, over its input.
    pub fn of(aggregate: &'a AggregateExec) -> Self {
        let keys = aggregate.group_expr().expr().to_vec();
        let values = aggregate.aggr_expr();
        let arguments = values.iter().map(|value| value.expressions()).collect();
        let filters = aggregate.filter_expr().to_vec();
        let cost = cost(&keys, &aggregate.input().schema()).unwrap_or_default();
        Self { values, keys, arguments, filters, cost }
    }

    /// Returns whether the keys that the query names take long to hash and compare.
    pub fn has_wide_keys(&self) -> bool {
        self.cost >= WIDE
    }

    /// Returns a plan with the keys and then the partial results of the aggregates; `None` if no
    /// join is found below which grouping pays.
    ///
    /// # Errors
    /// A part of the plan can't be made.
    pub fn below(self, plan: &Arc<dyn ExecutionPlan>) -> Result<Option<Arc<dyn ExecutionPlan>>> {
        match self.over_join(plan)? {
            Some((over_join, join)) => grown(|| over_join.below_join(join)),
            None => Ok(None),
        }
    }

    /// Returns the same over the rows of the join that a plan's rows come of; `None` if they come
    /// of none.
    ///
    /// # Errors
    /// An expression can't be computed from other columns.
    pub fn over_join(mut self, mut plan: &Arc<dyn ExecutionPlan>) -> Result<Option<(Self, &HashJoinExec)>> {
        loop {
            if let Some(hidden) = plan.downcast_ref::<HiddenPropertiesExec>() {
                plan = hidden.input();
            } else if let Some(yielding) = plan.downcast_ref::<YieldExec>() {
                plan = yielding.input();
            } else if let Some(projection) = plan.downcast_ref::<ProjectionExec>() {
                let Some(below) = self.through(projection)? else { return Ok(None) };
                (self, plan) = (below, projection.input());
            } else {
                return Ok(plan.downcast_ref::<HashJoinExec>().map(|join| (self, join)));
            }
        }
    }

    /// Returns the same over the input of a projection.
    fn through(self, projection: &ProjectionExec) -> Result<Option<Self>> {
        if projection.expr().iter().any(|column| is_volatile(&column.expr)) {
            return Ok(None);
        }
        self.mapped(|expr| update_expr(expr, projection.expr(), true))
    }

    /// Returns the same with other expressions; `None` if one has no other.
    fn mapped(mut self, map: impl Fn(&Expr) -> Result<Option<Expr>>) -> Result<Option<Self>> {
        let keys = self.keys.iter_mut().map(|(key, _)| key);
        let arguments = self.arguments.iter_mut().flatten();
        for expr in keys.chain(arguments).chain(self.filters.iter_mut().flatten()) {
            let Some(mapped) = map(expr)? else { return Ok(None) };
            *expr = mapped;
        }
        Ok(Some(self))
    }

    fn below_join(self, join: &HashJoinExec) -> Result<Option<Arc<dyn ExecutionPlan>>> {
        let is_possible = *join.join_type() == JoinType::Inner
            && join.filter().is_none()
            && join.fetch().is_none()
            && join.null_equality() == NullEquality::NullEqualsNothing
            && join.dynamic_expressions_produced().is_empty();
        let Some(probe) = Probe::of(join).filter(|_| is_possible) else { return Ok(None) };
        let sides = Sides::of_join(join);
        let over = |expr: &Expr| sides.of(expr);
        let values = self.arguments.iter().flatten().chain(self.filters.iter().flatten());
        let mut keys = self.keys.iter();
        if values.clone().any(|value| !matches!(over(value), Side::Probe | Side::Neither))
            || keys.clone().any(|(key, _)| over(key) == Side::Both)
            || !keys.any(|(key, _)| over(key) == Side::Build)
        {
            return Ok(None);
        }
        // the keys of the join, and those of the aggregate over this side
        let mut below: Vec<Key> = Vec::new();
        let on: Vec<usize> = join.on().iter().map(|(_, key)| placed(&mut below, key, "key")).collect();
        let mut places = Vec::new();
        for (key, name) in &self.keys {
            places.push(match over(key) {
                Side::Probe => Some(placed(&mut below, &sides.over_probe(key)?, name)),
                _ => None,
            });
        }
        let names: HashSet<&str> = below.iter().map(|(_, name)| name.as_str()).collect();
        if names.len() < below.len() {
            return Ok(None);
        }
        let (count, keys, filters) = (below.len(), self.keys.clone(), self.filters.clone());
        let arguments = self.arguments.iter();
        let arguments =
            arguments.map(|arguments| arguments.iter().map(|value| sides.over_probe(value)).collect());
        let arguments = arguments.collect::<Result<Vec<Vec<_>>>>()?;
        let filters = filters.iter().map(|filter| filter.as_ref().map(|filter| sides.over_probe(filter)));
        let filters = filters.map(Option::transpose).collect::<Result<Vec<_>>>()?;
        let schema = probe.input.schema();
        let mut all = below.iter().map(|(key, _)| key);
        let mut values = arguments.iter().flatten().chain(filters.iter().flatten());
        if !all.all(|key| never_fails(key, &schema)) || !values.all(|value| never_fails(value, &schema)) {
            return Ok(None);
        }
        let below = Grouping { values: self.values, keys: below, arguments, filters, cost: self.cost };
        let Some(groups) = below.groups(probe.input)? else { return Ok(None) };
        let groups = probe.exchanged(groups, &on)?;
        let results = groups.schema().fields().len() - count;
        let joined = rejoined(join, groups.clone(), &on)?;
        let above = |place: usize| -> Expr {
            Arc::new(Column::new(groups.schema().field(place).name(), sides.columns + place))
        };
        let mut columns = Vec::new();
        for ((key, name), place) in keys.iter().zip(places) {
            let expr = match place {
                Some(place) => above(place),
                None => sides.over_build(key)?,
            };
            columns.push(ProjectionExpr { expr, alias: name.clone() });
        }
        for place in count..count + results {
            let alias = groups.schema().field(place).name().clone();
            columns.push(ProjectionExpr { expr: above(place), alias });
        }
        narrowed(joined, columns).map(Some)
    }

    /// Returns the groups of a plan's rows: computed right above it if all keys are numbers, else
    /// below its own joins.
    fn groups(self, plan: &Arc<dyn ExecutionPlan>) -> Result<Option<Arc<dyn ExecutionPlan>>> {
        let schema = plan.schema();
        if !are_numbers(&self.keys, &schema)? {
            return self.below(plan);
        }
        if cost(&self.keys, &schema)? >= self.cost || !has_many_rows_each(&self.keys, plan)? {
            return Ok(None);
        }
        let values = self.values.iter().zip(&self.arguments).map(|(value, arguments)| {
            let builder = AggregateExprBuilder::new(Arc::new(value.fun().clone()), arguments.clone());
            let builder = builder.schema(schema.clone()).alias(value.name());
            builder.with_ignore_nulls(value.ignore_nulls()).build().map(Arc::new)
        });
        let values = values.collect::<Result<Vec<_>>>()?;
        let states = |values: &[Arc<AggregateFunctionExpr>]| -> Result<Vec<_>> {
            let fields = values.iter().map(|value| value.state_fields()).collect::<Result<Vec<_>>>()?;
            let fields = fields.into_iter().flatten();
            Ok(fields.map(|field| (field.name().clone(), field.data_type().clone())).collect())
        };
        if states(&values)? != states(self.values)? {
            return Ok(None);
        }
        let keys = PhysicalGroupBy::new_single(self.keys);
        let mode = AggregateMode::Partial;
        let groups = AggregateExec::try_new(mode, keys, values, self.filters, plan.clone(), schema)?;
        Ok(Some(Arc::new(groups)))
    }
}

/// Probe side of a join, below the exchange that gives each partition its keys.
struct Probe<'a> {
    input: &'a Arc<dyn ExecutionPlan>,
    /// Count of partitions behind the exchange; `None` if there is no exchange.
    partitions: Option<usize>,
}

impl<'a> Probe<'a> {
    /// Returns the side; `None` if its partitioning is none that can be made again.
    fn of(join: &'a HashJoinExec) -> Option<Self> {
        match join.partition_mode() {
            PartitionMode::CollectLeft => Some(Self { input: join.right(), partitions: None }),
            PartitionMode::Partitioned => {
                let exchange = join.right().downcast_ref::<RepartitionExec>()?;
                let Partitioning::Hash(keys, partitions) = exchange.partitioning() else { return None };
                let is_same = keys.len() == join.on().len()
                    && keys.iter().zip(join.on()).all(|(key, (_, other))| key == other);
                (is_same && !exchange.preserve_order())
                    .then_some(Self { input: exchange.input(), partitions: Some(*partitions) })
            }
            PartitionMode::Auto => None,
        }
    }

    /// Returns groups with the exchange above them.
    fn exchanged(&self, groups: Arc<dyn ExecutionPlan>, on: &[usize]) -> Result<Arc<dyn ExecutionPlan>> {
        let Some(partitions) = self.partitions else { return Ok(groups) };
        let schema = groups.schema();
        let keys = on.iter().map(|place| column(&schema, *place)).collect();
        Ok(Arc::new(RepartitionExec::try_new(groups, Partitioning::Hash(keys, partitions))?))
    }
}

/// Returns the place of a key among others, which it is added to. A column keeps its name, by which
/// filters are pushed down.
fn placed(keys: &mut Vec<Key>, key: &Expr, name: &str) -> usize {
    let place = keys.iter().position(|(other, _)| other == key);
    place.unwrap_or_else(|| {
        let name = key.downcast_ref::<Column>().map_or(name, Column::name).to_owned();
        keys.push((key.clone(), name));
        keys.len() - 1
    })
}

fn column(schema: &SchemaRef, place: usize) -> Expr {
    Arc::new(Column::new(schema.field(place).name(), place))
}

/// Returns the join with groups as its probe side, which have its keys at `on`. It has all columns
/// of both.
fn rejoined(join: &HashJoinExec, groups: Arc<dyn ExecutionPlan>, on: &[usize]) -> Result<HashJoinExec> {
    let schema = groups.schema();
    let keys = join.on().iter().zip(on).map(|((build, _), place)| (build.clone(), column(&schema, *place)));
    HashJoinExecBuilder::new(join.left().clone(), groups, keys.collect(), JoinType::Inner)
        .with_partition_mode(*join.partition_mode())
        .with_null_equality(join.null_equality())
        .build()
}

/// Returns columns over a join, which has only the columns that they need.
fn narrowed(join: HashJoinExec, columns: Vec<ProjectionExpr>) -> Result<Arc<dyn ExecutionPlan>> {
    let mut needed = Vec::new();
    let mut mapped = Vec::new();
    for ProjectionExpr { expr, alias } in columns {
        let expr = with_columns(&expr, |column| {
            let place = needed.iter().position(|place| *place == column.index());
            let place = place.unwrap_or_else(|| {
                needed.push(column.index());
                needed.len() - 1
            });
            Column::new(column.name(), place)
        })?;
        mapped.push(ProjectionExpr { expr, alias });
    }
    let join = join.builder().with_projection(Some(needed)).build()?;
    Ok(Arc::new(ProjectionExec::try_new(mapped, Arc::new(join))?))
}

/// Returns an expression with other columns.
fn with_columns(expr: &Expr, mut map: impl FnMut(&Column) -> Column) -> Result<Expr> {
    expr.clone()
        .transform_up(|node| {
            let column = node.downcast_ref::<Column>().map(&mut map);
            Ok(match column {
                Some(column) => Transformed::yes(Arc::new(column) as Expr),
                None => Transformed::no(node),
            })
        })
        .data()
}

/// The sides of a join, for expressions over its output.
pub(in crate::plan::rules::aggregates) struct Sides<'a> {
    join: &'a HashJoinExec,
    /// Count of the build side's columns.
    columns: usize,
}

impl<'a> Sides<'a> {
    /// Returns the sides of a join.
    pub fn of_join(join: &'a HashJoinExec) -> Self {
        Self { join, columns: join.left().schema().fields().len() }
    }

    /// Returns the side that an expression is over.
    pub fn of(&self, expr: &Expr) -> Side {
        let (mut build, mut probe) = (false, false);
        let walked = expr.apply(|node| {
            if let Some(column) = node.downcast_ref::<Column>() {
                let is_build = self.place(column) < self.columns;
                build |= is_build;
                probe |= !is_build;
            }
            Ok(TreeNodeRecursion::Continue)
        });
        debug_assert!(walked.is_ok(), "the visitor returns no error");
        match (build, probe) {
            (true, true) => Side::Both,
            (true, false) => Side::Build,
            (false, true) => Side::Probe,
            (false, false) => Side::Neither,
        }
    }

    /// Returns a column's place among the columns of both sides.
    fn place(&self, column: &Column) -> usize {
        let projection = self.join.projection.as_ref();
        projection.map_or(column.index(), |projection| projection[column.index()])
    }

    /// Returns an expression of the probe side over that side's own columns.
    ///
    /// # Errors
    /// The expression can't have other columns.
    pub fn over_probe(&self, expr: &Expr) -> Result<Expr> {
        with_columns(expr, |column| Column::new(column.name(), self.place(column) - self.columns))
    }

    /// Returns an expression of the build side over that side's own columns.
    ///
    /// # Errors
    /// The expression can't have other columns.
    pub fn over_build(&self, expr: &Expr) -> Result<Expr> {
        with_columns(expr, |column| Column::new(column.name(), self.place(column)))
    }
}
