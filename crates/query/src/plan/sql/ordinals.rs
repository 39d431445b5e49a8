//! Numbers in ORDER BY that mean a column of the result.

use std::convert::Infallible;
use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    Expr, OrderByKind, Query, SelectItem, SetExpr, Statement, Value, VisitMut, VisitorMut,
};

/// Writes the expressions that numbers stand for. DataFusion looks for the columns of such an
/// expression among those of a GROUP BY, and finds none.
pub(super) fn write_out(statement: &mut Statement) {
    let ControlFlow::Continue(()) = statement.visit(&mut Ordinals);
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
                if let Some(expr) = ordinal(&key.expr).and_then(|number| computed(&select.projection, number))
                {
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

/// The expression of a column of the result, if it is computed and has no name.
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
