//! Comparisons of rows of values: `(a, b) < (c, d)`, and IN with lists and subqueries.

use std::convert::Infallible;
use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Query, SetExpr,
    Statement, TableFactor, UnaryOperator, VisitorMut,
};
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::parser::Parser;

use crate::plan::rules::TUPLE_FIELD;
use crate::plan::sql::walk::WalkMut;

/// Compares rows value by value, as SQL does: the result is NULL if a deciding value is NULL.
/// DataFusion takes rows for structs, in which NULL is a value like others.
pub(in crate::plan::sql) fn compare(statement: &mut Statement) {
    let ControlFlow::Continue(()) = statement.walk_mut(&mut Rows);
}

struct Rows;

impl VisitorMut for Rows {
    type Break = Infallible;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Infallible> {
        if let Some(compared) = compared(expr) {
            *expr = compared;
        }
        ControlFlow::Continue(())
    }
}

fn compared(expr: &Expr) -> Option<Expr> {
    match expr {
        Expr::BinaryOp { left, op, right } => by_value(row(left)?, op, row(right)?),
        Expr::InList { expr, list, negated } => {
            let left = row(expr)?;
            let mut any: Option<Expr> = None;
            for item in list {
                let equal = by_value(left, &BinaryOperator::Eq, row(item)?)?;
                any = Some(match any {
                    Some(any) => join(any, BinaryOperator::Or, equal),
                    None => equal,
                });
            }
            let any = nested(any?);
            Some(match negated {
                true => Expr::UnaryOp { op: UnaryOperator::Not, expr: Box::new(any) },
                false => any,
            })
        }
        Expr::Between { expr, negated: false, low, high } => {
            let (row, low, high) = (row(expr)?, row(low)?, row(high)?);
            let low = by_value(row, &BinaryOperator::GtEq, low)?;
            let high = by_value(row, &BinaryOperator::LtEq, high)?;
            Some(nested(join(low, BinaryOperator::And, high)))
        }
        _ => None,
    }
}

/// Returns the values of a row of at least two.
fn row(expr: &Expr) -> Option<&[Expr]> {
    match expr {
        Expr::Tuple(values) if values.len() > 1 => Some(values),
        Expr::Nested(inner) => row(inner),
        _ => None,
    }
}

fn by_value(left: &[Expr], op: &BinaryOperator, right: &[Expr]) -> Option<Expr> {
    use BinaryOperator::{And, Eq, Gt, GtEq, Lt, LtEq, NotEq, Or};
    if left.len() != right.len() {
        return None;
    }
    let pairs = left.iter().zip(right);
    let each = |op: BinaryOperator, with: BinaryOperator| {
        let pairs = pairs.clone().map(|(left, right)| join(left.clone(), op.clone(), right.clone()));
        pairs.reduce(|all, pair| join(all, with.clone(), pair))
    };
    let strict = match op {
        Eq => return each(Eq, And).map(nested),
        NotEq => return each(NotEq, Or).map(nested),
        Lt | LtEq => Lt,
        Gt | GtEq => Gt,
        _ => return None,
    };
    // the first pair that differs decides; the last one with the operator itself
    let mut pairs = pairs.rev();
    let (left, right) = pairs.next()?;
    let last = join(left.clone(), op.clone(), right.clone());
    let all = pairs.fold(last, |rest, (left, right)| {
        let differs = join(left.clone(), strict.clone(), right.clone());
        let equal = join(left.clone(), Eq, right.clone());
        nested(join(differs, Or, nested(join(equal, And, rest))))
    });
    Some(nested(all))
}

fn join(left: Expr, op: BinaryOperator, right: Expr) -> Expr {
    Expr::BinaryOp { left: Box::new(left), op, right: Box::new(right) }
}

fn nested(expr: Expr) -> Expr {
    Expr::Nested(Box::new(expr))
}

/// Packs each row that is compared with a subquery, and the rows of the subquery, into one value:
/// DataFusion supports only subqueries of one column here. The rule that unnests subqueries
/// compares these values field by field.
pub(in crate::plan::sql) fn pack(statement: &mut Statement) {
    let _ = statement.walk_mut(&mut Pack);
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
