//! Conditions in the form in which `delta_kernel` rules files out by the statistics of its log.

use datafusion::common::ScalarValue;
use datafusion::logical_expr::{BinaryExpr, Expr, Operator};
use delta_kernel::expressions::Scalar;
use delta_kernel::{Expression, Predicate};

/// Returns a condition that rows have to meet for some others to hold; `None` if nothing is known.
/// Conditions that are left out rule no file out, and the scan evaluates all of them.
pub(super) fn predicate(filters: &[Expr]) -> Option<Predicate> {
    let known: Vec<Predicate> = filters.iter().filter_map(of).collect();
    (!known.is_empty()).then(|| Predicate::and_from(known))
}

fn of(condition: &Expr) -> Option<Predicate> {
    match condition {
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::And, right }) => match (of(left), of(right)) {
            (Some(left), Some(right)) => Some(Predicate::and(left, right)),
            (one, other) => one.or(other),
        },
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::Or, right }) => {
            Some(Predicate::or(of(left)?, of(right)?))
        }
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
            let (left, right) = (operand(left)?, operand(right)?);
            Some(match op {
                Operator::Eq => Predicate::eq(left, right),
                Operator::Lt => Predicate::lt(left, right),
                Operator::LtEq => Predicate::le(left, right),
                Operator::Gt => Predicate::gt(left, right),
                Operator::GtEq => Predicate::ge(left, right),
                _ => return None,
            })
        }
        Expr::IsNull(inner) => Some(Predicate::is_null(operand(inner)?)),
        Expr::IsNotNull(inner) => Some(Predicate::is_not_null(operand(inner)?)),
        _ => None,
    }
}

fn operand(expression: &Expr) -> Option<Expression> {
    Some(match expression {
        Expr::Column(column) => Expression::column([column.name.as_str()]),
        Expr::Literal(value, _) => Expression::literal(scalar(value)?),
        _ => return None,
    })
}

/// Returns a constant of a type whose order is the same here and in the log. That of floats differs
/// for NaN.
fn scalar(value: &ScalarValue) -> Option<Scalar> {
    Some(match value {
        ScalarValue::Int8(Some(value)) => Scalar::Byte(*value),
        ScalarValue::Int16(Some(value)) => Scalar::Short(*value),
        ScalarValue::Int32(Some(value)) => Scalar::Integer(*value),
        ScalarValue::Int64(Some(value)) => Scalar::Long(*value),
        ScalarValue::Boolean(Some(value)) => Scalar::Boolean(*value),
        ScalarValue::Date32(Some(value)) => Scalar::Date(*value),
        ScalarValue::TimestampMicrosecond(Some(value), Some(_)) => Scalar::Timestamp(*value),
        ScalarValue::TimestampMicrosecond(Some(value), None) => Scalar::TimestampNtz(*value),
        ScalarValue::Utf8(Some(text)) | ScalarValue::Utf8View(Some(text)) => Scalar::String(text.clone()),
        _ => return None,
    })
}
