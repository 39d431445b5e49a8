//! Merged columns of joins by USING or NATURAL.
//!
//! Such a column has the value of the right side in a RIGHT join, and that of either side in a FULL
//! join. DataFusion takes the left side's, which is NULL in rows that the left side lacks, and in a
//! subquery the column of that name of the query around it. A `*` has the column of the table whose
//! name sorts first there, in that table's place. Here USING becomes ON, and the name of the column
//! becomes an expression wherever it stands by itself.

use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::ops::ControlFlow;

use datafusion::error::{DataFusionError, Result};
use datafusion::execution::SessionState;
use datafusion::sql::parser::Statement;
use datafusion::sql::planner::IdentNormalizer;
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, Cte, Distinct, Expr, GroupByExpr, Ident, Join, JoinConstraint, JoinOperator, ObjectName,
    OrderByKind, Query, Select, SelectItem, SetExpr, Statement as SqlStatement, TableFactor, TableWithJoins,
    Value, VisitMut, VisitorMut, With,
};
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::parser::Parser;

use super::wildcards;
use crate::error::{Error, wrap};
use crate::plan::sql::syntax::{Scope, constraint};
use crate::plan::sql::walk::WalkMut;

/// Writes the joins of a statement with ON, where DataFusion takes the value of the wrong side; or
/// everywhere, for the conditions in which it takes the name for that of both sides.
///
/// # Errors
/// The columns of a joined table can't be told, or a `*` over the join replaces or renames columns.
pub(in crate::plan::sql) async fn write_out(
    state: &SessionState,
    statement: &mut SqlStatement,
    everywhere: bool,
) -> Result<()> {
    let mut probes = Probes::default();
    let ControlFlow::Continue(()) = statement.walk_mut(&mut Walk::new(&mut probes, everywhere));
    if probes.wanted.is_empty() {
        return Ok(());
    }
    for (key, probe) in std::mem::take(&mut probes.wanted) {
        // planning of the statement itself reports the error
        if let Ok(plan) = state.statement_to_plan(probe).await {
            let columns = plan.schema().iter();
            let columns = columns.map(|(table, field)| Column {
                name: field.name().clone(),
                value: wildcards::column(table, field.name()),
                is_merged: false,
            });
            probes.known.insert(key, columns.collect());
        }
    }
    match statement.walk_mut(&mut Rewrite { walk: Walk::new(&mut probes, everywhere) }) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(error) => Err(error),
    }
}

/// A column of a relation, by the name that it has without a table.
#[derive(Clone)]
struct Column {
    name: String,
    value: Expr,
    /// True if the value differs from DataFusion's meaning of the name.
    is_merged: bool,
}

/// The columns of tables, which are known only after planning.
#[derive(Default)]
struct Probes {
    wanted: HashMap<String, Statement>,
    known: HashMap<String, Vec<Column>>,
}

/// Walks over the queries of a statement with the common tables that are in scope.
struct Walk<'a> {
    probes: &'a mut Probes,
    scopes: Vec<Option<With>>,
    /// True to rewrite every join, also where DataFusion takes the right side.
    everywhere: bool,
}

impl<'a> Walk<'a> {
    fn new(probes: &'a mut Probes, everywhere: bool) -> Self {
        Self { probes, scopes: Vec::new(), everywhere }
    }

    /// Returns whether every join of the query that is visited is written out, as those of a query
    /// with another around it are.
    fn writes_out(&self) -> bool {
        self.everywhere || self.scopes.len() > 1
    }

    /// Returns the query that has the columns of a relation.
    fn probe(&self, relation: &TableWithJoins) -> Option<Query> {
        let with: Vec<&With> = self.scopes.iter().flatten().collect();
        let tables: Vec<Cte> = with.iter().flat_map(|with| with.cte_tables.clone()).collect();
        let scope = Scope { is_recursive: with.iter().any(|with| with.recursive), tables };
        wildcards::all_of(relation.clone(), &scope)
    }

    fn want(&mut self, relation: &TableWithJoins) {
        let Some(query) = self.probe(relation) else { return };
        let key = query.to_string();
        let statement = Statement::Statement(Box::new(SqlStatement::Query(Box::new(query))));
        self.probes.wanted.entry(key).or_insert(statement);
    }

    fn columns(&self, relation: &TableWithJoins) -> Result<Vec<Column>> {
        let known = self.probe(relation).and_then(|probe| self.probes.known.get(&probe.to_string()));
        known.cloned().ok_or_else(|| {
            refused("the columns of a table beside a JOIN by USING or NATURAL can't be told: write ON")
        })
    }
}

/// Collects the tables with columns that have to be known.
impl VisitorMut for Walk<'_> {
    type Break = Infallible;

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<Infallible> {
        self.scopes.push(query.with.clone());
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<Infallible> {
        self.scopes.pop();
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<Infallible> {
        let is_inner = self.writes_out() || has_star(select);
        if select.from.iter().any(|table| merges(table, is_inner)) {
            for table in &select.from {
                match merges(table, is_inner) {
                    true => tables(table).into_iter().for_each(|table| self.want(&table)),
                    false => self.want(table),
                }
            }
        }
        ControlFlow::Continue(())
    }
}

/// Rewrites every SELECT.
struct Rewrite<'a> {
    walk: Walk<'a>,
}

impl VisitorMut for Rewrite<'_> {
    type Break = DataFusionError;

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<DataFusionError> {
        self.walk.scopes.push(query.with.clone());
        let order_by = query.order_by.as_mut().map(|order_by| &mut order_by.kind);
        match in_body(&self.walk, &mut query.body, order_by) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => ControlFlow::Break(error),
        }
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<DataFusionError> {
        self.walk.scopes.pop();
        ControlFlow::Continue(())
    }
}

fn in_body(walk: &Walk<'_>, body: &mut SetExpr, order_by: Option<&mut OrderByKind>) -> Result<()> {
    match body {
        SetExpr::Select(select) => {
            let is_inner = walk.writes_out() || has_star(select);
            match select.from.iter().any(|table| merges(table, is_inner)) {
                true => in_select(walk, select, is_inner, order_by),
                false => Ok(()),
            }
        }
        SetExpr::SetOperation { left, right, .. } => {
            in_body(walk, left, None)?;
            in_body(walk, right, None)
        }
        _ => Ok(()),
    }
}

/// Returns whether a SELECT has a `*` of all its tables that at most excludes columns; or any `*`
/// over a LEFT join, in which the key may be that of the right side.
fn has_star(select: &Select) -> bool {
    select.projection.iter().any(|item| match item {
        SelectItem::Wildcard(options) => {
            wildcards::excluded(options, select.exclude.as_ref()).is_some()
                || select.from.iter().any(merges_left)
        }
        _ => false,
    })
}

fn in_select(
    walk: &Walk<'_>,
    select: &mut Select,
    is_inner: bool,
    order_by: Option<&mut OrderByKind>,
) -> Result<()> {
    let mut columns = Vec::new();
    for table in &mut select.from {
        columns.extend(match merges(table, is_inner) {
            true => in_joins(walk, table)?,
            false => walk.columns(table)?,
        });
    }
    let mut values = Values::of(&columns);
    let mut items = Vec::with_capacity(select.projection.len());
    for mut item in std::mem::take(&mut select.projection) {
        match item {
            SelectItem::Wildcard(options) => {
                let excluded = wildcards::excluded(&options, select.exclude.as_ref()).ok_or_else(|| {
                    refused("a * over a JOIN by USING or NATURAL can only exclude columns here: name them")
                })?;
                let kept = columns.iter().filter(|column| !excluded.contains(&column.name));
                items.extend(kept.map(|column| named(column.value.clone(), &column.name)));
            }
            SelectItem::UnnamedExpr(Expr::Identifier(name)) if values.find(&name).is_some() => {
                let value = values.find(&name).cloned().unwrap_or(Expr::Identifier(name.clone()));
                items.push(named(value, &normalized(&name)));
            }
            _ => {
                values.replace_in(&mut item);
                items.push(item);
            }
        }
    }
    select.exclude = None;
    if let Some(kind) = order_by {
        // a name by itself is that of a column of the result, if that has it
        let titles: Vec<Option<String>> = items.iter().map(title).collect();
        let has_tables = items.iter().any(|item| matches!(item, SelectItem::QualifiedWildcard(..)));
        if let OrderByKind::Expressions(keys) = kind {
            for key in keys {
                let of_title = match &key.expr {
                    Expr::Identifier(name) => titles.iter().position(|it| *it == Some(normalized(name))),
                    _ => None,
                };
                match of_title {
                    // in a subquery DataFusion takes the name for one of the query around
                    Some(at) if walk.writes_out() && !has_tables => {
                        key.expr = Expr::value(Value::Number((at + 1).to_string(), false));
                    }
                    Some(_) => {}
                    None => values.replace_in(&mut key.expr),
                }
            }
        }
    }
    select.projection = items;
    if let Some(Distinct::On(keys)) = &mut select.distinct {
        values.replace_in(keys);
    }
    if let GroupByExpr::Expressions(keys, _) = &mut select.group_by {
        values.replace_in(keys);
    }
    for condition in [&mut select.selection, &mut select.having, &mut select.qualify] {
        values.replace_in(condition);
    }
    values.replace_in(&mut select.sort_by);
    values.replace_in(&mut select.named_window);
    Ok(())
}

/// Writes the joins of a table with ON; returns the columns of the whole, in the order of `*`.
fn in_joins(walk: &Walk<'_>, table: &mut TableWithJoins) -> Result<Vec<Column>> {
    let mut columns = in_factor(walk, &mut table.relation)?;
    for Join { relation, join_operator, .. } in &mut table.joins {
        let others = in_factor(walk, relation)?;
        let is_right = matches!(join_operator, JoinOperator::Right(_) | JoinOperator::RightOuter(_));
        let is_full = matches!(join_operator, JoinOperator::FullOuter(_));
        let is_semi = matches!(
            join_operator,
            JoinOperator::Semi(_)
                | JoinOperator::LeftSemi(_)
                | JoinOperator::Anti(_)
                | JoinOperator::LeftAnti(_)
        );
        let is_right_semi = matches!(join_operator, JoinOperator::RightSemi(_) | JoinOperator::RightAnti(_));
        let mut shared = Vec::new();
        match constraint(join_operator) {
            Some(JoinConstraint::Using(names)) => shared = names.iter().map(name_of).collect(),
            Some(JoinConstraint::Natural) => shared = common(&columns, &others),
            // an ON condition, in which a name by itself may be one of the columns so far
            _ => {
                let both: Vec<Column> = columns.iter().chain(&others).cloned().collect();
                Values::of(&both).replace_in(join_operator);
            }
        }
        if let Some(JoinConstraint::Using(_) | JoinConstraint::Natural) = constraint(join_operator) {
            let condition = equal(&columns, &others, &shared)?;
            on(join_operator, condition);
        }
        let merge = |column: &Column| {
            let other = others.iter().find(|other| shared.contains(&other.name) && other.name == column.name);
            let Some(other) = other else { return column.clone() };
            let value = match (is_right, is_full) {
                (true, _) => other.value.clone(),
                (_, true) => either(&column.value, &other.value),
                _ => column.value.clone(),
            };
            Column { name: column.name.clone(), value, is_merged: true }
        };
        columns = match (is_semi, is_right_semi) {
            (true, _) => columns,
            (_, true) => others,
            _ => {
                let rest = others.iter().filter(|other| !shared.contains(&other.name)).cloned();
                columns.iter().map(merge).chain(rest).collect()
            }
        };
    }
    Ok(columns)
}

fn in_factor(walk: &Walk<'_>, factor: &mut TableFactor) -> Result<Vec<Column>> {
    match factor {
        TableFactor::NestedJoin { table_with_joins, alias: None } => in_joins(walk, table_with_joins),
        other => walk.columns(&TableWithJoins { relation: other.clone(), joins: Vec::new() }),
    }
}

/// Returns the tables that are joined, each by itself.
fn tables(table: &TableWithJoins) -> Vec<TableWithJoins> {
    let factors = std::iter::once(&table.relation).chain(table.joins.iter().map(|join| &join.relation));
    let each = factors.flat_map(|factor| match factor {
        TableFactor::NestedJoin { table_with_joins, alias: None } => tables(table_with_joins),
        other => vec![TableWithJoins { relation: other.clone(), joins: Vec::new() }],
    });
    each.collect()
}

/// Returns whether a table has a join by USING or NATURAL for which DataFusion takes columns from
/// the wrong side: a RIGHT or FULL one, and any one in a subquery or under a `*`.
pub(super) fn merges(table: &TableWithJoins, is_inner: bool) -> bool {
    let nested = |factor: &TableFactor| match factor {
        TableFactor::NestedJoin { table_with_joins, .. } => merges(table_with_joins, is_inner),
        _ => false,
    };
    let merged = |join: &Join| {
        let by = constraint(&join.join_operator);
        let is_outer = matches!(
            join.join_operator,
            JoinOperator::Right(_) | JoinOperator::RightOuter(_) | JoinOperator::FullOuter(_)
        );
        (is_inner || is_outer) && matches!(by, Some(JoinConstraint::Using(_) | JoinConstraint::Natural))
    };
    nested(&table.relation) || table.joins.iter().any(|join| merged(join) || nested(&join.relation))
}

/// Returns whether a table has a LEFT join by USING or NATURAL.
fn merges_left(table: &TableWithJoins) -> bool {
    let nested = |factor: &TableFactor| match factor {
        TableFactor::NestedJoin { table_with_joins, .. } => merges_left(table_with_joins),
        _ => false,
    };
    let merged = |join: &Join| {
        matches!(join.join_operator, JoinOperator::Left(_) | JoinOperator::LeftOuter(_))
            && matches!(
                constraint(&join.join_operator),
                Some(JoinConstraint::Using(_) | JoinConstraint::Natural)
            )
    };
    nested(&table.relation) || table.joins.iter().any(|join| merged(join) || nested(&join.relation))
}

/// Puts ON in place of a join's constraint.
fn on(operator: &mut JoinOperator, condition: Expr) {
    let make = match operator {
        JoinOperator::Join(_) => JoinOperator::Join,
        JoinOperator::Inner(_) => JoinOperator::Inner,
        JoinOperator::Left(_) => JoinOperator::Left,
        JoinOperator::LeftOuter(_) => JoinOperator::LeftOuter,
        JoinOperator::Right(_) => JoinOperator::Right,
        JoinOperator::RightOuter(_) => JoinOperator::RightOuter,
        JoinOperator::FullOuter(_) => JoinOperator::FullOuter,
        JoinOperator::CrossJoin(_) => JoinOperator::CrossJoin,
        JoinOperator::Semi(_) => JoinOperator::Semi,
        JoinOperator::LeftSemi(_) => JoinOperator::LeftSemi,
        JoinOperator::RightSemi(_) => JoinOperator::RightSemi,
        JoinOperator::Anti(_) => JoinOperator::Anti,
        JoinOperator::LeftAnti(_) => JoinOperator::LeftAnti,
        JoinOperator::RightAnti(_) => JoinOperator::RightAnti,
        _ => return,
    };
    *operator = make(JoinConstraint::On(condition));
}

/// Returns the names that both sides of a NATURAL join have.
fn common(left: &[Column], right: &[Column]) -> Vec<String> {
    let names: HashSet<&str> = right.iter().map(|column| column.name.as_str()).collect();
    let shared = left.iter().filter(|column| names.contains(column.name.as_str()));
    shared.map(|column| column.name.clone()).collect()
}

/// Returns the condition that columns of both sides are equal.
fn equal(left: &[Column], right: &[Column], names: &[String]) -> Result<Expr> {
    let mut all: Option<Expr> = None;
    for name in names {
        let pair = Expr::BinaryOp {
            left: Box::new(the_only(left, name, "left")?.value.clone()),
            op: BinaryOperator::Eq,
            right: Box::new(the_only(right, name, "right")?.value.clone()),
        };
        all = Some(match all {
            Some(all) => {
                Expr::BinaryOp { left: Box::new(all), op: BinaryOperator::And, right: Box::new(pair) }
            }
            None => pair,
        });
    }
    Ok(all.unwrap_or(Expr::value(Value::Boolean(true))))
}

fn the_only<'a>(columns: &'a [Column], name: &str, side: &str) -> Result<&'a Column> {
    let mut found = columns.iter().filter(|column| column.name == name);
    match (found.next(), found.next()) {
        (Some(column), None) => Ok(column),
        (Some(_), Some(_)) => {
            Err(refused(&format!("column {name} of USING is there twice on the {side} side")))
        }
        (None, _) => Err(refused(&format!("column {name} of USING is not on the {side} side"))),
    }
}

/// Returns `coalesce(left, right)`.
fn either(left: &Expr, right: &Expr) -> Expr {
    let call = format!("coalesce({left}, {right})");
    let parsed =
        Parser::new(&GenericDialect {}).try_with_sql(&call).and_then(|mut parser| parser.parse_expr());
    parsed.unwrap_or_else(|_| left.clone())
}

/// The values of merged columns by their names, if no other column has the name.
struct Values {
    values: HashMap<String, Expr>,
    /// Queries around the expression that is visited.
    depth: usize,
}

impl Values {
    fn of(columns: &[Column]) -> Self {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for column in columns {
            *counts.entry(&column.name).or_default() += 1;
        }
        let single = columns.iter().filter(|column| column.is_merged && counts[column.name.as_str()] == 1);
        Self { values: single.map(|column| (column.name.clone(), column.value.clone())).collect(), depth: 0 }
    }

    fn find(&self, name: &Ident) -> Option<&Expr> {
        self.values.get(&normalized(name))
    }

    fn replace_in(&mut self, part: &mut impl VisitMut) {
        let ControlFlow::Continue(()) = part.walk_mut(self);
    }
}

impl VisitorMut for Values {
    type Break = Infallible;

    fn pre_visit_query(&mut self, _: &mut Query) -> ControlFlow<Infallible> {
        self.depth += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<Infallible> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Infallible> {
        if let Expr::Identifier(name) = expr
            && self.depth == 0
            && let Some(value) = self.find(name)
        {
            *expr = value.clone();
        }
        ControlFlow::Continue(())
    }
}

fn named(expr: Expr, name: &str) -> SelectItem {
    SelectItem::ExprWithAlias { expr, alias: Ident::with_quote('"', name) }
}

fn title(item: &SelectItem) -> Option<String> {
    match item {
        SelectItem::ExprWithAlias { alias, .. } => Some(normalized(alias)),
        _ => None,
    }
}

fn name_of(name: &ObjectName) -> String {
    let mut parts = name.0.iter().filter_map(|part| part.as_ident());
    parts.next_back().map(normalized).unwrap_or_default()
}

/// Names without quotes are in lower case, as DataFusion has them.
fn normalized(name: &Ident) -> String {
    IdentNormalizer::new(true).normalize(name.clone())
}

fn refused(why: &str) -> DataFusionError {
    wrap(Error::Query(why.to_owned()))
}
