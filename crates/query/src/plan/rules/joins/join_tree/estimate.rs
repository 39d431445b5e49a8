//! Estimates of rows, for the order of joins.
//!
//! The rows of a set of relations are the product of the relations' rows, divided by the number of
//! different values of each set of equal columns once for every relation behind the first (Selinger
//! et al., "Access Path Selection in a Relational Database Management System", SIGMOD 1979, and the
//! assumption of containment in Swami and Schiefer, EDBT 1994). Numbers of different values come
//! from the bounds in footers: a column of whole numbers has at most as many as its range. A
//! relation has no more different values of a column than rows that pass its conditions, so that a
//! filtered calendar keeps its share of the days that the facts have, not of all that it lists.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::{Column, ColumnStatistics, ScalarValue, Statistics};
use datafusion::datasource::source_as_provider;
use datafusion::logical_expr::expr::{Between, InList, Like};
use datafusion::logical_expr::logical_plan::{Filter, TableScan};
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{BinaryExpr, Expr, FetchType, JoinType, LogicalPlan, Operator};

use super::graph::{Condition, Graph};

/// Rows of a relation of which nothing is known.
const UNKNOWN_ROWS: f64 = 1000.0;

/// Shares of the rows that pass conditions of which no more is known: equality, ranges, patterns,
/// others.
const EQUAL: f64 = 0.05;
const RANGE: f64 = 0.3;
const PATTERN: f64 = 0.1;
const OTHER: f64 = 0.3;

/// Estimates for the sets of a graph's relations.
pub(super) struct Estimates<'a> {
    graph: &'a Graph,
    relations: Vec<f64>,
    classes: Vec<Class>,
    known: RefCell<HashMap<u64, f64>>,
}

/// Columns that conditions make equal.
struct Class {
    members: Vec<Expr>,
    relations: u64,
    counts: Vec<Values>,
}

/// Count of different values of a column.
#[derive(Clone, Copy)]
struct Values {
    /// Without the conditions on its relation.
    all: f64,
    /// True if no row has the value of another, as far as bounds tell.
    is_unique: bool,
    /// Rows of its relation that pass the conditions.
    rows: f64,
}

impl Class {
    /// Returns the different values of the column with the most. All values of the others are
    /// values of the shortest unique column, the key that they refer to.
    fn values(&self) -> f64 {
        let unique = self.counts.iter().filter(|count| count.is_unique).map(|count| count.all);
        let key = unique.fold(f64::INFINITY, f64::min);
        let counts = self.counts.iter().map(|count| count.all.min(key).min(count.rows));
        counts.fold(1.0, f64::max)
    }
}

impl<'a> Estimates<'a> {
    pub fn new(graph: &'a Graph) -> Self {
        let tables = Tables::default();
        let relations = graph.relations.iter().map(|relation| rows(relation, &tables)).collect();
        let mut classes: Vec<Class> = Vec::new();
        for condition in &graph.conditions {
            let Condition::Equal { left, right, .. } = condition else { continue };
            let has = |class: &Class| class.members.contains(&left.0) || class.members.contains(&right.0);
            let (same, rest): (Vec<Class>, Vec<Class>) = classes.into_iter().partition(has);
            let mut merged = Class { members: Vec::new(), relations: left.1 | right.1, counts: Vec::new() };
            for (expression, _) in [left, right] {
                merged.counts.push(values(graph, expression, &tables));
                merged.members.push(expression.clone());
            }
            for class in same {
                merged.relations |= class.relations;
                merged.counts.extend(class.counts);
                merged.members.extend(class.members);
            }
            classes = rest;
            classes.push(merged);
        }
        Self { graph, relations, classes, known: RefCell::default() }
    }

    /// Returns the rows of the join of a set of relations.
    pub fn rows(&self, set: u64) -> f64 {
        if let Some(rows) = self.known.borrow().get(&set) {
            return *rows;
        }
        let product =
            |rows: f64, (index, of): (usize, &f64)| if set >> index & 1 == 1 { rows * of } else { rows };
        let mut rows = self.relations.iter().enumerate().fold(1.0, product);
        // several keys between the same relations depend on each other: each counts half as much
        let mut keys: HashMap<u64, Vec<f64>> = HashMap::new();
        for class in &self.classes {
            let joined = class.relations & set;
            if joined.count_ones() > 1 {
                let divisor = class.values().powi(joined.count_ones() as i32 - 1);
                keys.entry(joined).or_default().push(divisor);
            }
        }
        for mut divisors in keys.into_values() {
            divisors.sort_by(|a, b| b.total_cmp(a));
            for (index, divisor) in divisors.into_iter().enumerate() {
                rows /= divisor.powf(0.5f64.powi(index as i32));
            }
        }
        for condition in &self.graph.conditions {
            if let Condition::Other { relations, .. } = condition
                && relations.count_ones() > 1
                && relations & !set == 0
            {
                rows *= OTHER;
            }
        }
        let rows = rows.max(1.0);
        self.known.borrow_mut().insert(set, rows);
        rows
    }
}

/// Returns the count of different values of an expression of a relation.
fn values(graph: &Graph, expression: &Expr, tables: &Tables) -> Values {
    let unknown = Values { all: UNKNOWN_ROWS, is_unique: false, rows: f64::INFINITY };
    let Some(column) = column_of(expression) else { return unknown };
    let Some(relation) = graph.relation_of(column).map(|index| &graph.relations[index]) else {
        return unknown;
    };
    let rows = rows(relation, tables);
    let Some(all) = different(relation, column, tables) else { return Values { all: rows, ..unknown } };
    let table = scan_of(relation).and_then(|scan| tables.of(scan));
    Values { all, is_unique: table.is_some_and(|table| all >= table.rows), rows }
}

/// Returns the column that an expression has the values of, but for their type.
fn column_of(expression: &Expr) -> Option<&Column> {
    match expression {
        Expr::Column(column) => Some(column),
        Expr::Alias(alias) => column_of(&alias.expr),
        Expr::Cast(cast) => column_of(&cast.expr),
        Expr::TryCast(cast) => column_of(&cast.expr),
        _ => None,
    }
}

/// Returns the number of different values of a column before conditions.
pub(in crate::plan::rules) fn different(plan: &LogicalPlan, column: &Column, tables: &Tables) -> Option<f64> {
    match plan {
        LogicalPlan::TableScan(scan) => tables.of(scan)?.different(&column.name),
        LogicalPlan::Projection(projection) => {
            let index = projection.schema.maybe_index_of_column(column)?;
            different(&projection.input, column_of(&projection.expr[index])?, tables)
        }
        LogicalPlan::SubqueryAlias(alias) => {
            let index = alias.schema.maybe_index_of_column(column)?;
            let (table, field) = alias.input.schema().qualified_field(index);
            different(&alias.input, &Column::from((table, field)), tables)
        }
        LogicalPlan::Aggregate(aggregate) => {
            let key =
                aggregate.group_expr.iter().filter_map(column_of).find(|key| key.name == column.name)?;
            different(&aggregate.input, key, tables)
        }
        LogicalPlan::Join(join) => [&join.left, &join.right]
            .into_iter()
            .find(|side| side.schema().has_column(column))
            .and_then(|side| different(side, column, tables)),
        LogicalPlan::Filter(_)
        | LogicalPlan::Sort(_)
        | LogicalPlan::Limit(_)
        | LogicalPlan::Distinct(_)
        | LogicalPlan::Window(_) => different(plan.inputs().first()?, column, tables),
        _ => None,
    }
}

/// Returns the rows of a plan.
pub(in crate::plan::rules) fn rows(plan: &LogicalPlan, tables: &Tables) -> f64 {
    let input = |at: usize| plan.inputs().get(at).map_or(UNKNOWN_ROWS, |input| rows(input, tables));
    let found = match plan {
        LogicalPlan::TableScan(scan) => {
            let table = tables.of(scan);
            let all = table.as_ref().map_or(UNKNOWN_ROWS, |table| table.rows);
            all * all_shares(&scan.filters.iter().collect::<Vec<_>>(), table.as_deref())
        }
        LogicalPlan::Filter(Filter { predicate, input: below, .. }) => {
            let table = scan_of(below).and_then(|scan| tables.of(scan));
            input(0) * all_shares(&split_conjunction(predicate), table.as_deref())
        }
        LogicalPlan::Aggregate(aggregate) => {
            let groups = aggregate.group_expr.iter().map(|key| {
                let known = column_of(key).and_then(|column| different(&aggregate.input, column, tables));
                known.unwrap_or(f64::INFINITY)
            });
            let all = input(0);
            // keys of unknown values are taken for a tenth of the rows
            match groups.product::<f64>() {
                groups if groups.is_finite() => groups.min(all),
                _ => all * 0.1,
            }
        }
        LogicalPlan::Limit(limit) => match limit.get_fetch_type() {
            Ok(FetchType::Literal(Some(fetch))) => input(0).min(fetch as f64),
            _ => input(0),
        },
        LogicalPlan::Join(join) => {
            let (left, right) = (input(0), input(1));
            match join.join_type {
                JoinType::LeftSemi | JoinType::LeftAnti | JoinType::LeftMark => left,
                JoinType::RightSemi | JoinType::RightAnti | JoinType::RightMark => right,
                _ if join.on.is_empty() => left * right,
                _ => left.max(right),
            }
        }
        LogicalPlan::Union(union) => union.inputs.iter().map(|input| rows(input, tables)).sum(),
        LogicalPlan::EmptyRelation(empty) => f64::from(u8::from(empty.produce_one_row)),
        LogicalPlan::Values(values) => values.values.len() as f64,
        _ if plan.inputs().is_empty() => UNKNOWN_ROWS,
        _ => input(0),
    };
    found.max(1.0)
}

/// Returns the scan that a plan has the columns of.
fn scan_of(plan: &LogicalPlan) -> Option<&TableScan> {
    match plan {
        LogicalPlan::TableScan(scan) => Some(scan),
        LogicalPlan::SubqueryAlias(_) | LogicalPlan::Filter(_) => scan_of(plan.inputs().first()?),
        _ => None,
    }
}

/// Statistics of the scanned tables, each read once.
#[derive(Default)]
pub(in crate::plan::rules) struct Tables(RefCell<HashMap<usize, Option<Rc<Table>>>>);

impl Tables {
    fn of(&self, scan: &TableScan) -> Option<Rc<Table>> {
        let key = Arc::as_ptr(&scan.source).addr();
        self.0.borrow_mut().entry(key).or_insert_with(|| Table::of(scan).map(Rc::new)).clone()
    }
}

/// Statistics of a scanned table.
struct Table {
    schema: SchemaRef,
    statistics: Statistics,
    rows: f64,
}

impl Table {
    fn of(scan: &TableScan) -> Option<Table> {
        let statistics = source_as_provider(&scan.source).ok()?.statistics()?;
        let rows = *statistics.num_rows.get_value()? as f64;
        Some(Table { schema: scan.source.schema(), statistics, rows })
    }

    fn column(&self, name: &str) -> Option<&ColumnStatistics> {
        let index = self.schema.index_of(name).ok()?;
        self.statistics.column_statistics.get(index)
    }

    fn different(&self, name: &str) -> Option<f64> {
        let column = self.column(name)?;
        if let Some(count) = column.distinct_count.get_value() {
            return Some(*count as f64);
        }
        let of = self.schema.field_with_name(name).ok()?.data_type();
        let (low, high) = bounds(column)?;
        (of.is_integer() || *of == DataType::Date32).then_some((high - low + 1.0).min(self.rows).max(1.0))
    }
}

/// Returns the bounds of a column as numbers.
fn bounds(column: &ColumnStatistics) -> Option<(f64, f64)> {
    Some((number(column.min_value.get_value()?)?, number(column.max_value.get_value()?)?))
}

fn number(value: &ScalarValue) -> Option<f64> {
    let days = |days: &Option<i32>| days.map(f64::from);
    match value {
        ScalarValue::Date32(value) => days(value),
        ScalarValue::TimestampMicrosecond(value, _)
        | ScalarValue::TimestampMillisecond(value, _)
        | ScalarValue::TimestampNanosecond(value, _)
        | ScalarValue::TimestampSecond(value, _) => value.map(|value| value as f64),
        other => match other.cast_to(&DataType::Float64).ok()? {
            ScalarValue::Float64(value) => value,
            _ => None,
        },
    }
}

/// Returns the share of a table's rows that pass all conditions, taken as independent. Two bounds
/// of one column are one range, and among other conditions on one column the strictest counts: the
/// others often follow from it.
fn all_shares(conditions: &[&Expr], table: Option<&Table>) -> f64 {
    let mut passed = 1.0;
    let mut columns: HashMap<&Column, (f64, f64)> = HashMap::new();
    for condition in conditions {
        let alone = share(condition, table);
        let references = condition.column_refs();
        let Some(column) = references.iter().next().filter(|_| references.len() == 1) else {
            passed *= alone;
            continue;
        };
        // the share of the strictest condition, and the share beyond all bounds
        let (strictest, beyond) = columns.entry(column).or_insert((1.0, 0.0));
        match is_bound(condition, table) {
            true => *beyond += 1.0 - alone,
            false => *strictest = strictest.min(alone),
        }
    }
    let within = columns.values().map(|(strictest, beyond)| strictest.min((1.0 - beyond).max(0.0)));
    passed * within.product::<f64>()
}

/// Returns whether a condition compares a column of known range with a constant.
fn is_bound(condition: &Expr, table: Option<&Table>) -> bool {
    let Expr::BinaryExpr(BinaryExpr { left, op, right }) = condition else { return false };
    match op {
        Operator::Lt | Operator::LtEq => range(left, right, table).is_some(),
        Operator::Gt | Operator::GtEq => range(right, left, table).is_some(),
        _ => false,
    }
}

/// Returns the share of a table's rows that pass a condition.
fn share(condition: &Expr, table: Option<&Table>) -> f64 {
    let different = |expression: &Expr| {
        let column = column_of(expression)?;
        table.and_then(|table| table.different(&column.name))
    };
    let equal = |expression: &Expr| different(expression).map_or(EQUAL, |values| 1.0 / values.max(1.0));
    let found = match condition {
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => match op {
            Operator::And => all_shares(&split_conjunction(condition), table),
            Operator::Or => {
                let (a, b) = (share(left, table), share(right, table));
                a + b - a * b
            }
            Operator::Eq | Operator::IsNotDistinctFrom => match column_of(left).is_some() {
                true => equal(left),
                false => equal(right),
            },
            Operator::NotEq | Operator::IsDistinctFrom => 1.0 - equal(left),
            Operator::Lt | Operator::LtEq => range(left, right, table).unwrap_or(RANGE),
            Operator::Gt | Operator::GtEq => range(right, left, table).unwrap_or(RANGE),
            _ => OTHER,
        },
        Expr::Not(inner) => 1.0 - share(inner, table),
        Expr::InList(InList { expr, list, negated }) => {
            let within = (equal(expr) * list.len() as f64).min(1.0);
            if *negated { 1.0 - within } else { within }
        }
        Expr::Between(Between { expr, negated, low, high }) => {
            let above = range(low, expr, table).unwrap_or(RANGE);
            let below = range(expr, high, table).unwrap_or(RANGE);
            let within = (above + below - 1.0).max(EQUAL);
            if *negated { 1.0 - within } else { within }
        }
        Expr::Like(Like { negated, .. }) => {
            if *negated {
                1.0 - PATTERN
            } else {
                PATTERN
            }
        }
        Expr::IsNull(_) => EQUAL,
        Expr::IsNotNull(_) => 1.0 - EQUAL,
        _ => OTHER,
    };
    found.clamp(0.0, 1.0)
}

/// Returns the share of the rows with `less` below `more`; one is a column, the other a constant.
fn range(less: &Expr, more: &Expr, table: Option<&Table>) -> Option<f64> {
    let of = |expression: &Expr| {
        let column = table?.column(&column_of(expression)?.name)?;
        bounds(column)
    };
    let constant = |expression: &Expr| match expression {
        Expr::Literal(value, _) => number(value),
        _ => None,
    };
    let share = |low: f64, high: f64, at: f64| if high > low { (at - low) / (high - low) } else { 1.0 };
    if let (Some((low, high)), Some(at)) = (of(less), constant(more)) {
        return Some(share(low, high, at).clamp(0.0, 1.0));
    }
    let ((low, high), at) = (of(more)?, constant(less)?);
    Some(1.0 - share(low, high, at).clamp(0.0, 1.0))
}
