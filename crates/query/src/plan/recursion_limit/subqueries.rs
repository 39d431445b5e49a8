//! Limit of subqueries within expressions of each other.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{Expr, Statement, Visit, Visitor};

use crate::error::{Error, Result};

/// Depth limit of subqueries in expressions. DataFusion checks a plan with its subqueries, and for
/// each of these the plan of the subquery again, so that time doubles with each level.
const MAX_SUBQUERIES: usize = 16;

/// Refuses a statement with too many subqueries within each other. Those of FROM don't count.
///
/// # Errors
/// There are too many.
pub(in crate::plan) fn check(statement: &Statement) -> Result<()> {
    match statement.visit(&mut Open(0)) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Error::Query(format!(
            "more than {MAX_SUBQUERIES} subqueries are within each other, which is the limit: name inner ones \
             WITH name AS (...), or join them"
        ))),
    }
}

/// The number of subqueries around an expression.
struct Open(usize);

impl Visitor for Open {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        self.0 += usize::from(is_subquery(expr));
        if self.0 > MAX_SUBQUERIES { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn post_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        self.0 -= usize::from(is_subquery(expr));
        ControlFlow::Continue(())
    }
}

fn is_subquery(expr: &Expr) -> bool {
    matches!(expr, Expr::Subquery(_) | Expr::InSubquery { .. } | Expr::Exists { .. })
}
