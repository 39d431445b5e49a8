//! Replacement texts of regular expressions.

use std::ops::ControlFlow;

use crate::plan::sql::walk::WalkMut;
use datafusion::sql::sqlparser::ast::{
    Expr, FunctionArg, FunctionArgExpr, FunctionArguments, Statement, Value, VisitorMut,
};
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::parser::Parser;

/// Doubles each `$` in the replacement of `regexp_replace`. A single one names a group in
/// DataFusion, and is a plain character in PostgreSQL and DuckDB.
pub(in crate::plan::sql) fn escape(statement: &mut Statement) {
    let _ = statement.walk_mut(&mut Escape);
}

struct Escape;

impl VisitorMut for Escape {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        let Expr::Function(call) = expr else { return ControlFlow::Continue(()) };
        if !call.name.to_string().eq_ignore_ascii_case("regexp_replace") {
            return ControlFlow::Continue(());
        }
        if let FunctionArguments::List(arguments) = &mut call.args
            && let Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(text))) = arguments.args.get_mut(2)
            && let Some(escaped) = escaped(text)
        {
            *text = escaped;
        }
        ControlFlow::Continue(())
    }
}

fn escaped(text: &Expr) -> Option<Expr> {
    if let Expr::Value(value) = text
        && let Value::SingleQuotedString(text) = &value.value
    {
        let escaped = text.replace('$', "$$");
        return Some(Expr::value(Value::SingleQuotedString(escaped)));
    }
    let mut call =
        Parser::new(&GenericDialect {}).try_with_sql("replace(NULL, '$', '$$')").ok()?.parse_expr().ok()?;
    let Expr::Function(function) = &mut call else { return None };
    let FunctionArguments::List(arguments) = &mut function.args else { return None };
    *arguments.args.first_mut()? = FunctionArg::Unnamed(FunctionArgExpr::Expr(text.clone()));
    Some(call)
}
