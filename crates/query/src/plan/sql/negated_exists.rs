//! `NOT EXISTS (…) IS NULL`, where NOT comes last.

use std::mem::replace;
use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    BinaryOperator, Expr, Statement, UnaryOperator, Value, VisitMut, VisitorMut,
};

/// Has comparisons and IS bind tighter than NOT in front of EXISTS. The parser takes NOT EXISTS for
/// one word.
pub(super) fn bind(statement: &mut Statement) {
    let _ = statement.visit(&mut Bind);
}

struct Bind;

impl VisitorMut for Bind {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Some(negated) = first_operand(expr)
            && std::mem::take(negated)
        {
            let inner = Box::new(replace(expr, Expr::value(Value::Null)));
            *expr = Expr::UnaryOp { op: UnaryOperator::Not, expr: inner };
        }
        ControlFlow::Continue(())
    }
}

/// Returns whether the EXISTS that an operator begins with is negated.
fn first_operand(expr: &mut Expr) -> Option<&mut bool> {
    use BinaryOperator::{Eq, Gt, GtEq, Lt, LtEq, NotEq};
    let first = match expr {
        Expr::IsNull(first)
        | Expr::IsNotNull(first)
        | Expr::IsTrue(first)
        | Expr::IsNotTrue(first)
        | Expr::IsFalse(first)
        | Expr::IsNotFalse(first)
        | Expr::IsUnknown(first)
        | Expr::IsNotUnknown(first)
        | Expr::IsDistinctFrom(first, _)
        | Expr::IsNotDistinctFrom(first, _)
        | Expr::BinaryOp { left: first, op: Eq | NotEq | Lt | LtEq | Gt | GtEq, .. } => first,
        _ => return None,
    };
    match first.as_mut() {
        Expr::Exists { negated, .. } => Some(negated),
        _ => None,
    }
}
