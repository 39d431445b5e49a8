//! Precedence of IS DISTINCT FROM and of NOT EXISTS, which the parser takes in another order.

use std::mem::replace;
use std::ops::ControlFlow;

use crate::plan::sql::walk::WalkMut;
use datafusion::logical_expr::Operator;
use datafusion::sql::sqlparser::ast::{BinaryOperator, Expr, Statement, UnaryOperator, Value, VisitorMut};

/// Makes IS DISTINCT FROM bind tighter than NOT, AND and OR, as in PostgreSQL.
pub(in crate::plan::sql) fn bind_distinct_from(statement: &mut Statement) {
    let _ = statement.walk_mut(&mut BindDistinctFrom);
}

struct BindDistinctFrom;

impl VisitorMut for BindDistinctFrom {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        rebalance(expr);
        ControlFlow::Continue(())
    }
}

/// Names of IS [NOT] DISTINCT FROM as custom operators, which expression planners get to plan.
pub(in crate::plan) const IS_DISTINCT: [(&str, Operator); 2] =
    [("IS DISTINCT FROM", Operator::IsDistinctFrom), ("IS NOT DISTINCT FROM", Operator::IsNotDistinctFrom)];

/// Writes IS [NOT] DISTINCT FROM as an operator. DataFusion requires a common type of both sides
/// before any rule can provide one.
pub(in crate::plan::sql) fn as_operators(statement: &mut Statement) {
    let _ = statement.walk_mut(&mut AsOperators);
}

struct AsOperators;

impl VisitorMut for AsOperators {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        let (left, right, (name, _)) = match expr {
            Expr::IsDistinctFrom(left, right) => (left, right, IS_DISTINCT[0]),
            Expr::IsNotDistinctFrom(left, right) => (left, right, IS_DISTINCT[1]),
            _ => return ControlFlow::Continue(()),
        };
        let nothing = || Box::new(Expr::Value(Value::Null.with_empty_span()));
        let (left, right) = (replace(left, nothing()), replace(right, nothing()));
        *expr = Expr::BinaryOp { left, op: BinaryOperator::Custom(name.to_owned()), right };
        ControlFlow::Continue(())
    }
}

/// Returns the precedence of AND and OR; `None` for other expressions, also in parentheses.
fn strength(expr: &Expr) -> Option<u8> {
    match expr {
        Expr::BinaryOp { op: BinaryOperator::Or, .. } => Some(1),
        Expr::BinaryOp { op: BinaryOperator::Xor, .. } => Some(2),
        Expr::BinaryOp { op: BinaryOperator::And, .. } => Some(3),
        _ => None,
    }
}

/// Moves an operator below the leftmost operand of its last operand, as long as that one has a
/// lower precedence. Without parentheses the parser makes such trees only of IS DISTINCT FROM.
fn rebalance(expr: &mut Expr) {
    let own = strength(expr).unwrap_or(u8::MAX);
    let last = match expr {
        Expr::IsDistinctFrom(_, last) | Expr::IsNotDistinctFrom(_, last) => last,
        Expr::UnaryOp { op: UnaryOperator::Not, expr: last } => last,
        Expr::BinaryOp {
            op: BinaryOperator::And | BinaryOperator::Or | BinaryOperator::Xor,
            right: last,
            ..
        } => last,
        _ => return,
    };
    if strength(last).is_none_or(|strength| strength > own) {
        return;
    }
    let nothing = || Expr::Value(Value::Null.with_empty_span());
    let mut lower = replace(last.as_mut(), nothing());
    let Expr::BinaryOp { left, .. } = &mut lower else { return };
    **last = replace(left.as_mut(), nothing());
    rebalance(expr);
    let Expr::BinaryOp { left, .. } = &mut lower else { return };
    **left = replace(expr, nothing());
    *expr = lower;
}

/// Makes comparisons and IS bind tighter than NOT in front of EXISTS. The parser takes NOT EXISTS
/// for one operator.
pub(in crate::plan::sql) fn bind_exists(statement: &mut Statement) {
    let _ = statement.walk_mut(&mut BindExists);
}

struct BindExists;

impl VisitorMut for BindExists {
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
        // without parentheses the parser puts no NOT in front of an operator
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
