//! Exclusive or of whole numbers: `xor(a, b)`. The sign `^` is a power in PostgreSQL and DuckDB, and
//! exclusive or in DataFusion and MySQL, where it binds less than a product.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    BinaryOperator, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, Statement, VisitMut, VisitorMut,
};

use crate::error::{Error, Result};

/// Refuses the sign, and makes DataFusion's operator of the function.
///
/// # Errors
/// A statement has the sign.
pub(super) fn bind(statement: &mut Statement) -> Result<()> {
    match statement.visit(&mut Bind) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(expr) => Err(Error::Query(format!(
            "{expr}: ^ is a power to some and exclusive or to others: write power(a, b), or xor(a, b)"
        ))),
    }
}

struct Bind;

impl VisitorMut for Bind {
    type Break = Box<Expr>;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Box<Expr>> {
        if matches!(expr, Expr::BinaryOp { op: BinaryOperator::BitwiseXor, .. }) {
            return ControlFlow::Break(Box::new(expr.clone()));
        }
        if let Some(operands) = operands(expr) {
            let (left, right) = *operands;
            let (left, right) = (Box::new(left), Box::new(right));
            let operation = Expr::BinaryOp { left, op: BinaryOperator::BitwiseXor, right };
            *expr = Expr::Nested(Box::new(operation));
        }
        ControlFlow::Continue(())
    }
}

/// Returns the operands of a call of `xor`, each in parentheses.
fn operands(expr: &Expr) -> Option<Box<(Expr, Expr)>> {
    let Expr::Function(call) = expr else { return None };
    let FunctionArguments::List(arguments) = &call.args else { return None };
    match arguments.args.as_slice() {
        [
            FunctionArg::Unnamed(FunctionArgExpr::Expr(left)),
            FunctionArg::Unnamed(FunctionArgExpr::Expr(right)),
        ] if call.over.is_none() && call.name.to_string().eq_ignore_ascii_case("xor") => {
            let nested = |side: &Expr| Expr::Nested(Box::new(side.clone()));
            Some(Box::new((nested(left), nested(right))))
        }
        _ => None,
    }
}
