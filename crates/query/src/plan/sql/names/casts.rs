//! Casts with a name of their own, different from their operands' names.

use std::convert::Infallible;
use std::ops::ControlFlow;

use datafusion::sql::parser::Statement;
use datafusion::sql::sqlparser::ast::helpers::attached_token::AttachedToken;
use datafusion::sql::sqlparser::ast::{BinaryOperator, CaseWhen, Expr, Value, VisitorMut};

use crate::plan::sql::syntax::sql_statement;
use crate::plan::sql::walk::{WalkMut, each_expression};

/// Puts every cast of a statement into a CASE that always holds. DataFusion leaves casts out of the
/// names of expressions: `sum(x)` and `sum(CAST(x AS DOUBLE))` have one name, and are taken for one
/// column. The optimizer takes the CASE away again.
pub(in crate::plan::sql) fn show(statement: &mut Statement) {
    if let Some(statement) = sql_statement(statement) {
        let mut show = Show { types: Vec::new() };
        let ControlFlow::Continue(()) = statement.walk_mut(&mut show);
    }
}

struct Show {
    /// The types of casts, in the text of the statement.
    types: Vec<String>,
}

impl VisitorMut for Show {
    type Break = Infallible;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Infallible> {
        if let Expr::Cast { data_type, .. } = &*expr {
            let name = data_type.to_string();
            let known = self.types.iter().position(|known| *known == name);
            let number = known.unwrap_or(self.types.len());
            if known.is_none() {
                self.types.push(name);
            }
            let number = Box::new(Expr::value(Value::Number(number.to_string(), false)));
            let condition = Expr::BinaryOp { left: number.clone(), op: BinaryOperator::Eq, right: number };
            *expr = Expr::Case {
                case_token: AttachedToken::empty(),
                end_token: AttachedToken::empty(),
                operand: None,
                conditions: vec![CaseWhen { condition, result: expr.clone() }],
                else_result: None,
            };
        }
        ControlFlow::Continue(())
    }
}

/// Returns whether an expression has a cast in it.
pub(in crate::plan::sql) fn has_cast(expr: &Expr) -> bool {
    let found = each_expression(expr, |expr| match expr {
        Expr::Cast { .. } => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    found.is_break()
}
