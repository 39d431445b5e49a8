//! Numbers and names in ORDER BY that refer to a column of the result.

use std::convert::Infallible;
use std::ops::ControlFlow;

use crate::plan::sql::walk::WalkMut;
use datafusion::sql::sqlparser::ast::{
    Expr, Ident, OrderByKind, Query, SelectItem, SetExpr, Statement, Value, VisitorMut,
};

/// Replaces numbers by their expressions, and names by their columns. DataFusion searches the
/// columns of such an expression among those of a GROUP BY, and finds none. It takes a name that
/// several tables have for a column of the enclosing query, even if only one of them is selected.
pub(in crate::plan::sql) fn write_out(statement: &mut Statement) {
    let ControlFlow::Continue(()) = statement.walk_mut(&mut Ordinals);
}

struct Ordinals;

impl VisitorMut for Ordinals {
    type Break = Infallible;

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<Infallible> {
        if let SetExpr::Select(select) = query.body.as_ref()
            && let Some(order_by) = &mut query.order_by
            && let OrderByKind::Expressions(keys) = &mut order_by.kind
        {
            for key in keys {
                let meant = match &key.expr {
                    Expr::Identifier(name) => column(&select.projection, name),
                    other => ordinal(other).and_then(|number| computed(&select.projection, number)),
                };
                if let Some(expr) = meant {
                    key.expr = expr.clone();
                }
            }
        }
        ControlFlow::Continue(())
    }
}

fn ordinal(expr: &Expr) -> Option<usize> {
    match expr {
        Expr::Value(value) => match &value.value {
            Value::Number(digits, _) => digits.parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the one column of the result that has a name, if it is a table's under the name that it
/// has there.
fn column<'a>(items: &'a [SelectItem], name: &Ident) -> Option<&'a Expr> {
    let is_meant = |other: &Ident| match (name.quote_style, other.quote_style) {
        (None, None) => name.value.eq_ignore_ascii_case(&other.value),
        _ => name.value == other.value,
    };
    let mut named = items.iter().filter(|item| match item {
        SelectItem::ExprWithAlias { alias, .. } => is_meant(alias),
        SelectItem::UnnamedExpr(Expr::CompoundIdentifier(parts)) => parts.last().is_some_and(is_meant),
        SelectItem::UnnamedExpr(Expr::Identifier(name)) => is_meant(name),
        _ => false,
    });
    let (Some(item), None) = (named.next(), named.next()) else { return None };
    match item {
        SelectItem::UnnamedExpr(expr @ Expr::CompoundIdentifier(_)) => Some(expr),
        SelectItem::ExprWithAlias { expr: expr @ Expr::CompoundIdentifier(parts), .. }
            if parts.last().is_some_and(is_meant) =>
        {
            Some(expr)
        }
        _ => None,
    }
}

/// Returns the expression of a column of the result, if it is computed and has no name.
fn computed(items: &[SelectItem], number: usize) -> Option<&Expr> {
    let at = number.checked_sub(1)?;
    // a wildcard stands for any number of columns
    let mut in_front = items.get(..at)?.iter();
    if in_front.any(|item| matches!(item, SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..))) {
        return None;
    }
    match items.get(at)? {
        SelectItem::UnnamedExpr(Expr::Identifier(_) | Expr::CompoundIdentifier(_) | Expr::Value(_)) => None,
        SelectItem::UnnamedExpr(expr) => Some(expr),
        _ => None,
    }
}
