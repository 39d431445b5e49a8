//! Names in front of the items of SELECT: `SELECT total: a + b`.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{Expr, Select, SelectItem, Statement, VisitorMut};

use crate::error::{Error, Result};
use crate::plan::sql::walk::WalkMut;

/// Writes each name behind its expression, with AS.
///
/// # Errors
/// A name stands in front of an expression that is no item of SELECT.
pub(in crate::plan::sql) fn write_behind(statement: &mut Statement) -> Result<()> {
    match statement.walk_mut(&mut Names) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(name) => Err(Error::Query(format!(
            "the name {name} stands in front of an expression that is no column of the result: write expression AS \
             {name}"
        ))),
    }
}

struct Names;

impl VisitorMut for Names {
    type Break = String;

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<String> {
        for item in &mut select.projection {
            if let SelectItem::UnnamedExpr(Expr::Named { expr, name }) = item {
                *item = SelectItem::ExprWithAlias { expr: (**expr).clone(), alias: name.clone() };
            }
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<String> {
        match expr {
            // the fields of STRUCT(x AS y) have no other form, and are not visited by themselves
            Expr::Struct { .. } | Expr::Named { .. } if is_struct(expr) => ControlFlow::Continue(()),
            Expr::Named { name, .. } => ControlFlow::Break(name.to_string()),
            _ => ControlFlow::Continue(()),
        }
    }
}

fn is_struct(expr: &Expr) -> bool {
    matches!(expr, Expr::Struct { .. })
}
