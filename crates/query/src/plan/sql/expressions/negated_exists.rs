//! `NOT EXISTS (…) IS NULL`, where NOT comes last.

use std::mem::replace;
use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    BinaryOperator, Expr, Statement, UnaryOperator, Value, VisitMut, VisitorMut,
};

/// Has comparisons and IS bind tighter than NOT in front of EXISTS. The parser takes NOT EXISTS for
/// one word.
pub(in crate::plan::sql) fn bind(statement: &mut Statement) {
    let _ = statement.visit(&mut Bind);
}

struct Bind;

impl VisitorMut for Bind {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if first_operand(expr).is_some_and(take_not) {
            let inner = Box::new(replace(expr, Expr::value(Value::Null)));
            *expr = Expr::UnaryOp { op: UnaryOperator::Not, expr: inner };
        }
        ControlFlow::Continue(())
    }
}

/// Takes NOT from an operand that begins with it, unless it is in parentheses.
fn take_not(operand: &mut Expr) -> bool {
    match operand {
        Expr::Exists { negated, .. } => std::mem::take(negated),
        // the parser makes none without parentheses in front of an operator
        Expr::UnaryOp { op: UnaryOperator::Not, expr } => {
            let inner = replace(expr.as_mut(), Expr::value(Value::Null));
            *operand = inner;
            true
        }
        _ => false,
    }
}

/// Returns the operand that an operator begins with, if the operator binds tighter than NOT.
fn first_operand(expr: &mut Expr) -> Option<&mut Expr> {
    use BinaryOperator::{Eq, Gt, GtEq, Lt, LtEq, NotEq};
    match expr {
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
        | Expr::Between { expr: first, .. }
        | Expr::InList { expr: first, .. }
        | Expr::InSubquery { expr: first, .. }
        | Expr::BinaryOp { left: first, op: Eq | NotEq | Lt | LtEq | Gt | GtEq, .. } => Some(first),
        _ => None,
    }
}
