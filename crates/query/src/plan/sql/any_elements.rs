//! Elements of lists behind ANY: `x = ANY(list)`.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Statement, VisitMut,
    VisitorMut,
};
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::parser::Parser;

/// Writes such a comparison as the function that it stands for. DataFusion calls its own function
/// for it, not that of the session, which takes elements of other types.
pub(super) fn write_out(statement: &mut Statement) {
    let _ = statement.visit(&mut WriteOut);
}

struct WriteOut;

impl VisitorMut for WriteOut {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Expr::AnyOp { left, compare_op: BinaryOperator::Eq, right, .. } = &*expr
            && !matches!(right.as_ref(), Expr::Subquery(_))
            && let Some(call) = array_has(right, left)
        {
            *expr = call;
        }
        ControlFlow::Continue(())
    }
}

fn array_has(list: &Expr, element: &Expr) -> Option<Expr> {
    let parsed =
        Parser::new(&GenericDialect {}).try_with_sql("array_has(NULL, NULL)").ok()?.parse_expr().ok()?;
    let Expr::Function(mut call) = parsed else { return None };
    let Function { args: FunctionArguments::List(arguments), .. } = &mut call else { return None };
    for (argument, value) in arguments.args.iter_mut().zip([list, element]) {
        *argument = FunctionArg::Unnamed(FunctionArgExpr::Expr(value.clone()));
    }
    Some(Expr::Function(call))
}
