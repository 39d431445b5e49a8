//! Functions that become operators and conditionals: `xor(a, b)`, `mod(a, b)`, `regr_r2(y, x)`.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::helpers::attached_token::AttachedToken;
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, CaseWhen, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Ident,
    ObjectName, Statement, VisitorMut,
};

use crate::error::{Error, Result};
use crate::plan::sql::literals::double;
use crate::plan::sql::walk::WalkMut;

/// Turns `xor` and `mod` into operators. Refuses `^`, which is a power in PostgreSQL and DuckDB,
/// and exclusive or in DataFusion and MySQL. Makes `regr_r2` one where y is constant and x is not
/// (SQL:2016, 10.9), where DataFusion has NULL.
///
/// # Errors
/// The statement has the operator `^`.
pub(in crate::plan::sql) fn bind(statement: &mut Statement) -> Result<()> {
    match statement.walk_mut(&mut Bind) {
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
        if let Expr::Function(call) = expr
            && let Some(replacement) = replacement(call)
        {
            *expr = replacement;
        }
        ControlFlow::Continue(())
    }
}

/// Returns the expression that a call stands for; `None` for other functions.
fn replacement(call: &Function) -> Option<Expr> {
    let op = match call.name.to_string().to_ascii_lowercase().as_str() {
        "xor" => BinaryOperator::BitwiseXor,
        "mod" => BinaryOperator::Modulo,
        "regr_r2" => return Some(share_of_variance(call)),
        _ => return None,
    };
    let FunctionArguments::List(arguments) = &call.args else { return None };
    match arguments.args.as_slice() {
        [
            FunctionArg::Unnamed(FunctionArgExpr::Expr(left)),
            FunctionArg::Unnamed(FunctionArgExpr::Expr(right)),
        ] if call.over.is_none() => {
            let nested = |side: &Expr| Box::new(Expr::Nested(Box::new(side.clone())));
            let operation = Expr::BinaryOp { left: nested(left), op, right: nested(right) };
            Some(Expr::Nested(Box::new(operation)))
        }
        _ => None,
    }
}

/// Returns `regr_r2(y, x)` in a CASE that is one where `y` is constant and `x` is not.
fn share_of_variance(call: &Function) -> Expr {
    let other = |name: &str| {
        let name = ObjectName::from(vec![Ident::new(name)]);
        Box::new(Expr::Function(Function { name, ..call.clone() }))
    };
    let compared = |left, op, right| Box::new(Expr::BinaryOp { left, op, right });
    let zero = || Box::new(double("0"));
    let is_constant = compared(other("regr_syy"), BinaryOperator::Eq, zero());
    let varies = compared(other("regr_sxx"), BinaryOperator::Gt, zero());
    let condition = *compared(is_constant, BinaryOperator::And, varies);
    Expr::Case {
        case_token: AttachedToken::empty(),
        end_token: AttachedToken::empty(),
        operand: None,
        conditions: vec![CaseWhen { condition, result: double("1") }],
        else_result: Some(Box::new(Expr::Function(call.clone()))),
    }
}
