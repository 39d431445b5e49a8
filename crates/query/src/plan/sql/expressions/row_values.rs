//! Comparisons of rows of values: `(a, b) < (1, 2)`, `(a, b) IN ((1, 2), (3, 4))`.

use std::convert::Infallible;
use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{BinaryOperator, Expr, Statement, UnaryOperator, VisitMut, VisitorMut};

/// Compares such rows value by value, as SQL does: the result is NULL if a value that decides is.
/// DataFusion takes them for structs, in which NULL is a value like others.
pub(in crate::plan::sql) fn compare(statement: &mut Statement) {
    let ControlFlow::Continue(()) = statement.visit(&mut Rows);
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

/// The values of a row of two and more.
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
