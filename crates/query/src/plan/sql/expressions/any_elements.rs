//! Comparisons with ANY element of a list: `x = ANY(list)`.

use std::ops::ControlFlow;

use crate::plan::sql::walk::WalkMut;
use datafusion::sql::sqlparser::ast::{
    Array, BinaryOperator, Expr, Ident, Statement, UnaryOperator, VisitorMut,
};
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::parser::Parser;

/// Rewrites such comparisons to IN, ALL and functions of the session.
///
/// DataFusion's are false where a list has NULL and no element decides, and call its own
/// `array_has`, which accepts fewer types of elements.
pub(in crate::plan::sql) fn write_out(statement: &mut Statement) {
    let _ = statement.walk_mut(&mut WriteOut);
}

struct WriteOut;

impl VisitorMut for WriteOut {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Some(written) = written(expr) {
            *expr = written;
        }
        ControlFlow::Continue(())
    }
}

fn written(expr: &Expr) -> Option<Expr> {
    let Expr::AnyOp { left, compare_op, right, .. } = expr else { return None };
    match (compare_op, right.as_ref()) {
        (_, Expr::Subquery(_)) => None,
        (BinaryOperator::Eq, Expr::Array(Array { elem, .. })) if !elem.is_empty() => {
            Some(Expr::InList { expr: left.clone(), list: elem.clone(), negated: false })
        }
        (BinaryOperator::Eq, _) => is_element(left, right),
        (op, _) => {
            let all = Expr::AllOp { left: left.clone(), compare_op: negated(op)?, right: right.clone() };
            Some(Expr::Nested(Box::new(Expr::UnaryOp { op: UnaryOperator::Not, expr: Box::new(all) })))
        }
    }
}

fn negated(op: &BinaryOperator) -> Option<BinaryOperator> {
    Some(match op {
        BinaryOperator::NotEq => BinaryOperator::Eq,
        BinaryOperator::Lt => BinaryOperator::GtEq,
        BinaryOperator::LtEq => BinaryOperator::Gt,
        BinaryOperator::Gt => BinaryOperator::LtEq,
        BinaryOperator::GtEq => BinaryOperator::Lt,
        _ => return None,
    })
}

/// Returns the test for an element of a list: NULL if no element is equal and one is NULL.
fn is_element(value: &Expr, list: &Expr) -> Option<Expr> {
    const TEXT: &str = "CASE WHEN array_has(__list, __value) THEN TRUE \
                        WHEN array_position(__list, NULL) IS NOT NULL THEN CAST(NULL AS BOOLEAN) \
                        ELSE array_has(__list, __value) END";
    struct Put<'a> {
        value: &'a Expr,
        list: &'a Expr,
    }
    impl VisitorMut for Put<'_> {
        type Break = ();

        fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
            if let Expr::Identifier(Ident { value: name, .. }) = &*expr {
                match name.as_str() {
                    "__value" => *expr = self.value.clone(),
                    "__list" => *expr = self.list.clone(),
                    _ => {}
                }
            }
            ControlFlow::Continue(())
        }
    }
    let mut written = Parser::new(&GenericDialect {}).try_with_sql(TEXT).ok()?.parse_expr().ok()?;
    let _ = written.walk_mut(&mut Put { value, list });
    Some(written)
}
