//! Unique names for the columns of every SELECT in a statement.

use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::ops::ControlFlow;

use datafusion::execution::SessionState;
use datafusion::sql::parser::Statement;
use datafusion::sql::planner::IdentNormalizer;
use datafusion::sql::sqlparser::ast::{
    Expr, Ident, JoinConstraint, OrderByKind, Query, Select, SelectItem, SetExpr, Statement as SqlStatement,
    TableAlias, TableFactor, TableWithJoins, Visitor, VisitorMut,
};
use futures::FutureExt;
use futures::future::BoxFuture;

use super::{casts, wildcards};
use crate::plan::sql::syntax::{Scope, constraint, sql_statement};
use crate::plan::sql::walk::{Walk, WalkMut, each_expression};

/// Longest name, in bytes, that is kept as the stem of a numbered name.
const MAX_STEM: usize = 64;

/// The names that columns were given, and the titles that they stand for.
#[derive(Default)]
pub(crate) struct Renamed {
    /// The statement's text in lower case. No given name occurs in it.
    sql: String,
    given: HashMap<String, Title>,
    /// Subqueries that were given a name.
    subqueries: usize,
}

/// A column's title in the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Title {
    /// The name that the statement gives the column.
    Named(String),
    /// The name that DataFusion has for the column's expression.
    OfExpression,
}

impl Renamed {
    /// Returns an empty set of names for a statement's text.
    pub fn new(sql: &str) -> Self {
        Self { sql: sql.to_lowercase(), given: HashMap::new(), subqueries: 0 }
    }

    /// Returns whether no name was given.
    pub fn is_empty(&self) -> bool {
        self.given.is_empty()
    }

    /// Returns the title of a column that has a given name.
    pub fn title(&self, name: &str) -> Option<&Title> {
        self.given.get(name)
    }

    /// Gives names to the columns of a statement.
    pub async fn in_statement(&mut self, state: &SessionState, statement: &mut Statement) {
        if let Some(SqlStatement::Query(query)) = sql_statement(statement) {
            self.in_query(state, query, Scope::default(), true).await;
            // SELECTs within expressions; their names are not visible outside
            let ControlFlow::Continue(()) = query.walk_mut(&mut InExpressions(self));
        }
    }

    /// Gives names to the columns of a query, its common tables and the subqueries of its FROM.
    fn in_query<'a>(
        &'a mut self,
        state: &'a SessionState,
        query: &'a mut Query,
        mut scope: Scope,
        is_result: bool,
    ) -> BoxFuture<'a, ()> {
        async move {
            if let Some(with) = &mut query.with {
                scope.is_recursive |= with.recursive;
                for table in &mut with.cte_tables {
                    self.in_query(state, &mut table.query, scope.clone(), false).await;
                    scope.tables.push(table.clone());
                }
            }
            if is_result {
                self.in_order(query);
            }
            let mut parts = vec![&mut *query.body];
            while let Some(part) = parts.pop() {
                match part {
                    SetExpr::Select(select) => {
                        for table in &mut select.from {
                            self.in_table(state, table, &scope).await;
                        }
                        wildcards::expand(state, select, &scope).await;
                        self.in_select(select, is_result);
                    }
                    SetExpr::Query(query) => self.in_query(state, query, scope.clone(), is_result).await,
                    SetExpr::SetOperation { left, right, .. } => parts.extend([&mut **left, &mut **right]),
                    _ => {}
                }
            }
        }
        .boxed()
    }

    /// Gives another name to each title that ORDER BY has as the column of a table: `ORDER BY t.x`
    /// beside `upper(t.x) AS x`.
    fn in_order(&mut self, query: &mut Query) {
        let SetExpr::Select(select) = query.body.as_mut() else { return };
        let Some(OrderByKind::Expressions(keys)) = query.order_by.as_mut().map(|order| &mut order.kind)
        else {
            return;
        };
        let normalized = |name: &Ident| IdentNormalizer::new(true).normalize(name.clone());
        let mut columns = HashSet::new();
        for key in keys.iter() {
            let _ = each_expression(&key.expr, |part| {
                if let Expr::CompoundIdentifier(parts) = part {
                    columns.extend(parts.last().map(normalized));
                }
                ControlFlow::Continue(())
            });
        }
        for item in &mut select.projection {
            let SelectItem::ExprWithAlias { alias, .. } = &*item else { continue };
            let title = normalized(alias);
            if !columns.contains(&title) {
                continue;
            }
            let name = self.give(&Title::Named(title.clone()));
            for key in keys.iter_mut() {
                if matches!(&key.expr, Expr::Identifier(name) if normalized(name) == title) {
                    key.expr = Expr::Identifier(Ident::with_quote('"', name.clone()));
                }
            }
            rename(item, name);
        }
    }

    /// Gives names to the columns of the subqueries of a FROM.
    fn in_table<'a>(
        &'a mut self,
        state: &'a SessionState,
        table: &'a mut TableWithJoins,
        scope: &'a Scope,
    ) -> BoxFuture<'a, ()> {
        async move {
            let joined = table.joins.iter_mut().map(|join| &mut join.relation);
            for factor in std::iter::once(&mut table.relation).chain(joined) {
                match factor {
                    TableFactor::Derived { subquery, alias, .. } => {
                        self.in_query(state, subquery, scope.clone(), false).await;
                        if alias.is_none() && joins_using(&subquery.body) {
                            self.subqueries += 1;
                            *alias = Some(self.alias());
                        }
                    }
                    TableFactor::NestedJoin { table_with_joins, .. } => {
                        self.in_table(state, table_with_joins, scope).await;
                    }
                    _ => {}
                }
            }
        }
        .boxed()
    }

    /// Gives a name to each column that has none, or that of another one.
    ///
    /// The columns of a result get their titles back later; ORDER BY means the last one that has
    /// its name by AS, or else the first. A named column of an inner SELECT keeps the name that it
    /// is given: `x_1` for the second `x`.
    fn in_select(&mut self, select: &mut Select, is_result: bool) {
        let mut taken: HashSet<String> = select.projection.iter().filter_map(named).collect();
        let mut holders: HashMap<String, usize> = HashMap::new();
        for (index, item) in select.projection.iter().enumerate() {
            let Some(name) = named(item) else { continue };
            let is_alias = matches!(item, SelectItem::ExprWithAlias { .. });
            if (is_alias && is_result) || !holders.contains_key(&name) {
                holders.insert(name, index);
            }
        }
        for (index, item) in select.projection.iter_mut().enumerate() {
            let title = match (named(item), &*item) {
                (Some(name), _) if holders.get(&name) == Some(&index) => continue,
                (Some(name), _) => Title::Named(name),
                // DataFusion's names omit casts
                (None, SelectItem::UnnamedExpr(expr)) if casts::has_cast(expr) => {
                    Title::Named(expr.to_string())
                }
                (None, SelectItem::UnnamedExpr(_)) => Title::OfExpression,
                _ => continue,
            };
            let name = match &title {
                Title::Named(stem) if !is_result && named(item).is_some() => {
                    let name = numbered(stem, |name| !taken.contains(name));
                    taken.insert(name.clone());
                    name
                }
                title => self.give(title),
            };
            rename(item, name);
        }
    }

    /// Returns a name for a subquery.
    fn alias(&self) -> TableAlias {
        let name = Ident::with_quote('"', format!("subquery {}", self.subqueries));
        TableAlias { explicit: true, name, columns: vec![], at: None }
    }

    /// Gives a name that nothing in the statement has.
    fn give(&mut self, title: &Title) -> String {
        let stem = match title {
            Title::Named(name) if name.len() <= MAX_STEM => name,
            _ => "column",
        };
        let name = numbered(stem, |name| {
            !self.given.contains_key(name) && !self.sql.contains(name.to_lowercase().as_str())
        });
        self.given.insert(name.clone(), title.clone());
        name
    }
}

/// Returns whether a statement has a subquery without a name that joins by USING or NATURAL JOIN.
/// DataFusion leaves the second column of its key out of every `*` around it.
pub(in crate::plan::sql) fn hides_columns(statement: &Statement) -> bool {
    struct Find;

    impl Visitor for Find {
        type Break = ();

        fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
            match factor {
                TableFactor::Derived { subquery, alias: None, .. } if joins_using(&subquery.body) => {
                    ControlFlow::Break(())
                }
                _ => ControlFlow::Continue(()),
            }
        }
    }

    match statement {
        Statement::Statement(statement) => statement.walk(&mut Find).is_break(),
        _ => false,
    }
}

/// Returns whether the tables of a SELECT are joined by columns that they share.
fn joins_using(body: &SetExpr) -> bool {
    let SetExpr::Select(select) = body else { return false };
    let joins = select.from.iter().flat_map(|table| &table.joins);
    joins.into_iter().any(|join| {
        matches!(constraint(&join.join_operator), Some(JoinConstraint::Using(_) | JoinConstraint::Natural))
    })
}

/// Gives names in every SELECT below a query; those that have theirs keep them.
struct InExpressions<'a>(&'a mut Renamed);

impl VisitorMut for InExpressions<'_> {
    type Break = Infallible;

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<Infallible> {
        self.0.in_select(select, false);
        ControlFlow::Continue(())
    }
}

/// Returns the first of `x_1`, `x_2` and so on that is free.
fn numbered(stem: &str, is_free: impl Fn(&str) -> bool) -> String {
    let mut names = (1usize..).map(|number| format!("{stem}_{number}"));
    names.find(|name| is_free(name)).unwrap_or_default()
}

fn rename(item: &mut SelectItem, name: String) {
    if let SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } = item {
        *item = SelectItem::ExprWithAlias { expr: expr.clone(), alias: Ident::with_quote('"', name) };
    }
}

/// Returns the name of a plain column, or of one that was given a name by AS. Names without quotes
/// are in lower case, as DataFusion has them.
fn named(item: &SelectItem) -> Option<String> {
    let name = match item {
        SelectItem::UnnamedExpr(Expr::Identifier(name)) => name,
        SelectItem::UnnamedExpr(Expr::CompoundIdentifier(parts)) => parts.last()?,
        SelectItem::ExprWithAlias { alias, .. } => alias,
        _ => return None,
    };
    Some(IdentNormalizer::new(true).normalize(name.clone()))
}
