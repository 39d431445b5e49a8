//! Rows of values in front of IN: `(a, b) IN (SELECT x, y FROM t)`.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Query, SetExpr,
    Statement, TableFactor, VisitMut, VisitorMut,
};
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::parser::Parser;

use crate::plan::rules::TUPLE_FIELD;

/// Makes one value of each row that a subquery is asked for, and of the rows of the subquery.
/// DataFusion asks subqueries of one column only. The rule that unnests subqueries compares these
/// values field by field.
pub(in crate::plan::sql) fn pack(statement: &mut Statement) {
    let _ = statement.visit(&mut Pack);
}

struct Pack;

impl VisitorMut for Pack {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Some(packed) = packed(expr) {
            *expr = packed;
        }
        ControlFlow::Continue(())
    }
}

fn packed(expr: &Expr) -> Option<Expr> {
    let (left, subquery, negated) = match expr {
        Expr::InSubquery { expr, subquery, negated } => (expr, subquery, *negated),
        Expr::AnyOp { left, compare_op: BinaryOperator::Eq, right, .. } => match right.as_ref() {
            Expr::Subquery(subquery) => (left, subquery, false),
            _ => return None,
        },
        Expr::AllOp { left, compare_op: BinaryOperator::NotEq, right } => match right.as_ref() {
            Expr::Subquery(subquery) => (left, subquery, true),
            _ => return None,
        },
        _ => return None,
    };
    let Expr::Tuple(values) = left.as_ref() else { return None };
    let columns: Vec<String> = (0..values.len()).map(|at| format!("{TUPLE_FIELD}{at}")).collect();
    let fields = |value: &str| {
        let fields = columns.iter().map(|column| format!("'{column}', {}", value.replace('?', column)));
        format!("named_struct({})", fields.collect::<Vec<_>>().join(", "))
    };
    let mut left = expression(&fields("NULL"))?;
    let Expr::Function(Function { args: FunctionArguments::List(list), .. }) = &mut left else { return None };
    for (argument, value) in list.args.iter_mut().skip(1).step_by(2).zip(values) {
        *argument = FunctionArg::Unnamed(FunctionArgExpr::Expr(value.clone()));
    }
    let text = format!("SELECT {} FROM (SELECT 1) AS t({})", fields("t.?"), columns.join(", "));
    let mut outer = query(&text)?;
    let SetExpr::Select(select) = outer.body.as_mut() else { return None };
    let table = select.from.first_mut()?;
    let TableFactor::Derived { subquery: inner, .. } = &mut table.relation else { return None };
    *inner = subquery.clone();
    Some(Expr::InSubquery { expr: Box::new(left), subquery: Box::new(outer), negated })
}

fn expression(text: &str) -> Option<Expr> {
    Parser::new(&GenericDialect {}).try_with_sql(text).ok()?.parse_expr().ok()
}

fn query(text: &str) -> Option<Query> {
    Parser::new(&GenericDialect {}).try_with_sql(text).ok()?.parse_query().ok().map(|query| *query)
}
