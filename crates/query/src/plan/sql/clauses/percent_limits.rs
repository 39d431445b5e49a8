//! Limits that are a share of the rows: `LIMIT 10%`.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    Expr, LimitClause, OrderByKind, Query, SetExpr, Statement, TableFactor, TableWithJoins, VisitorMut,
};
use datafusion::sql::sqlparser::parser::Parser;

use crate::error::{Error, Result};
use crate::plan::sql::names::wildcards;
use crate::plan::sql::parse::{PERCENT, PeltonDialect};
use crate::plan::sql::syntax::Scope;
use crate::plan::sql::walk::WalkMut;

/// Replaces each limit in percent by a condition on the number of the row in the order of the
/// query.
///
/// # Errors
/// A percent sign stands behind anything but the number of a LIMIT, or beside an OFFSET.
pub(in crate::plan::sql) fn write_out(statement: &mut Statement) -> Result<()> {
    match statement.walk_mut(&mut Limits) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(message) => Err(Error::Query(message.to_owned())),
    }
}

struct Limits;

impl VisitorMut for Limits {
    type Break = &'static str;

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<&'static str> {
        let Some(share) = share(query) else { return ControlFlow::Continue(()) };
        let Some(LimitClause::LimitOffset { offset: None, limit_by, .. }) = query.limit_clause.take() else {
            return ControlFlow::Break(
                "LIMIT of a percentage has no OFFSET: number the rows with row_number() in a subquery",
            );
        };
        if !limit_by.is_empty() {
            return ControlFlow::Break(
                "LIMIT of a percentage has no BY: write QUALIFY row_number() OVER (…) <= n",
            );
        }
        match limited(query, &share) {
            Some(()) => ControlFlow::Continue(()),
            None => ControlFlow::Break("this LIMIT of a percentage can't be planned: write a number of rows"),
        }
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<&'static str> {
        match expr {
            Expr::UnaryOp { op: PERCENT, .. } => ControlFlow::Break(
                "a percent sign stands behind the number of LIMIT or of a sample: write a % b for a remainder",
            ),
            _ => ControlFlow::Continue(()),
        }
    }
}

/// Returns the percentage of a limit.
fn share(query: &Query) -> Option<Expr> {
    match &query.limit_clause {
        Some(LimitClause::LimitOffset { limit: Some(Expr::UnaryOp { op: PERCENT, expr }), .. }) => {
            Some((**expr).clone())
        }
        _ => None,
    }
}

/// Adds the condition to a query, around a subquery unless it is one SELECT of rows.
fn limited(query: &mut Query, share: &Expr) -> Option<()> {
    let is_plain = match query.body.as_ref() {
        SetExpr::Select(select) => select.distinct.is_none() && select.qualify.is_none(),
        _ => false,
    };
    if !is_plain {
        let inner = Box::new(Query {
            body: query.body.clone(),
            with: None,
            order_by: None,
            limit_clause: None,
            fetch: None,
            locks: vec![],
            for_clause: None,
            settings: None,
            format_clause: None,
            pipe_operators: vec![],
        });
        let relation = TableFactor::Derived { lateral: false, subquery: inner, alias: None, sample: None };
        let tables = TableWithJoins { relation, joins: vec![] };
        query.body = wildcards::all_of(tables, &Scope::default())?.body;
    }
    let order = match &query.order_by {
        None => String::new(),
        Some(order) => match &order.kind {
            OrderByKind::Expressions(keys) => {
                let keys: Vec<String> = keys.iter().map(ToString::to_string).collect();
                format!("ORDER BY {}", keys.join(", "))
            }
            OrderByKind::All(_) => return None,
        },
    };
    let condition = format!("row_number() OVER ({order}) <= floor(count(*) OVER () * ({share}) / 100e0)");
    let mut parser = Parser::new(&PeltonDialect).try_with_sql(&condition).ok()?;
    let SetExpr::Select(select) = query.body.as_mut() else { return None };
    select.qualify = Some(parser.parse_expr().ok()?);
    Some(())
}
