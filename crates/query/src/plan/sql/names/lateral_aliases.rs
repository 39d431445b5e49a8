//! Names of columns of the result in the SELECT that gives them: `SELECT a + 1 AS b, b * 2`.

use std::collections::HashMap;
use std::convert::Infallible;
use std::ops::ControlFlow;

use datafusion::common::SchemaError;
use datafusion::error::DataFusionError;
use datafusion::execution::SessionState;
use datafusion::sql::parser::Statement;
use datafusion::sql::planner::IdentNormalizer;
use datafusion::sql::sqlparser::ast::{
    Expr, Ident, Query, Select, SelectItem, Statement as SqlStatement, VisitorMut,
};

use super::scopes::Scopes;
use crate::plan::sql::walk::WalkMut;

/// Returns the name without a table that an error reports as no column.
pub(in crate::plan::sql) fn missing(error: &DataFusionError) -> Option<String> {
    match error.find_root() {
        DataFusionError::SchemaError(error, _) => match error.as_ref() {
            SchemaError::FieldNotFound { field, .. } if field.relation.is_none() => Some(field.name.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// Writes a name out as the expression that it was given to, in the SELECTs that give it and have
/// no column of that name. Returns whether there was one.
pub(in crate::plan::sql) async fn write_out(
    state: &SessionState,
    statement: &mut SqlStatement,
    name: &str,
) -> bool {
    let mut find = Find { name, scopes: Scopes::default(), probes: HashMap::new() };
    let ControlFlow::Continue(()) = statement.walk_mut(&mut find);
    let mut free = Vec::new();
    for (key, query) in find.probes {
        let is_free = match query {
            None => true,
            Some(query) => {
                let probe = Statement::Statement(Box::new(SqlStatement::Query(Box::new(query))));
                let plan = state.statement_to_plan(probe).await;
                plan.is_ok_and(|plan| plan.schema().fields().iter().all(|field| field.name() != name))
            }
        };
        if is_free {
            free.push(key);
        }
    }
    let mut replace = Replace { name, free, is_changed: false };
    let ControlFlow::Continue(()) = statement.walk_mut(&mut replace);
    replace.is_changed
}

fn normalized(name: &Ident) -> String {
    IdentNormalizer::new(true).normalize(name.clone())
}

/// Returns the place and the expression of the item that has a name by AS.
fn given<'a>(select: &'a Select, name: &str) -> Option<(usize, &'a Expr)> {
    select.projection.iter().enumerate().find_map(|(at, item)| match item {
        SelectItem::ExprWithAlias { expr, alias } if normalized(alias) == name => Some((at, expr)),
        _ => None,
    })
}

/// Collects the SELECTs that give a name, with the queries that have the columns of their tables.
struct Find<'a> {
    name: &'a str,
    scopes: Scopes,
    probes: HashMap<String, Option<Query>>,
}

impl VisitorMut for Find<'_> {
    type Break = Infallible;

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<Infallible> {
        self.scopes.push(query);
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<Infallible> {
        self.scopes.pop();
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<Infallible> {
        if given(select, self.name).is_some() {
            self.probes.insert(select.to_string(), self.scopes.probe(select));
        }
        ControlFlow::Continue(())
    }
}

/// Writes a name out in some SELECTs.
struct Replace<'a> {
    name: &'a str,
    free: Vec<String>,
    is_changed: bool,
}

impl VisitorMut for Replace<'_> {
    type Break = Infallible;

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<Infallible> {
        let Some((at, value)) = given(select, self.name) else { return ControlFlow::Continue(()) };
        if !self.free.contains(&select.to_string()) {
            return ControlFlow::Continue(());
        }
        let mut fill = Fill {
            name: self.name,
            value: Expr::Nested(Box::new(value.clone())),
            depth: 0,
            is_changed: false,
        };
        // a name holds for the items behind it, and for the clauses
        let items = select.projection.iter_mut().skip(at + 1).filter_map(|item| match item {
            SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => Some(expr),
            _ => None,
        });
        let clauses = [&mut select.selection, &mut select.having, &mut select.qualify].into_iter().flatten();
        for expr in items.chain(clauses) {
            let ControlFlow::Continue(()) = expr.walk_mut(&mut fill);
        }
        self.is_changed |= fill.is_changed;
        ControlFlow::Continue(())
    }
}

/// Puts an expression in the place of a name, outside of subqueries.
struct Fill<'a> {
    name: &'a str,
    value: Expr,
    depth: usize,
    is_changed: bool,
}

impl VisitorMut for Fill<'_> {
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
        if self.depth == 0 && matches!(expr, Expr::Identifier(name) if normalized(name) == self.name) {
            *expr = self.value.clone();
            self.is_changed = true;
        }
        ControlFlow::Continue(())
    }
}
