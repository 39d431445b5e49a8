//! Operators with an interval on one side, as they are planned.

use arrow::datatypes::{DataType, IntervalUnit, TimeUnit};
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::planner::{ExprPlanner, PlannerResult, RawBinaryExpr};
use datafusion::logical_expr::{Cast, Expr, ExprSchemable, Operator, binary_expr};
use datafusion::sql::sqlparser::ast::BinaryOperator;

/// Makes a timestamp of a date to which hours may be added, and an interval of a text that is
/// compared with one. To DataFusion the sum is a date, without the hours, and the comparison an
/// error.
#[derive(Debug)]
pub(in crate::plan) struct IntervalOperators;

impl ExprPlanner for IntervalOperators {
    fn plan_binary_op(&self, expr: RawBinaryExpr, schema: &DFSchema) -> Result<PlannerResult<RawBinaryExpr>> {
        let (Ok(left), Ok(right)) = (expr.left.get_type(schema), expr.right.get_type(schema)) else {
            return Ok(PlannerResult::Original(expr));
        };
        let midnight = DataType::Timestamp(TimeUnit::Microsecond, None);
        let interval = DataType::Interval(IntervalUnit::MonthDayNano);
        let is_span = |found: &DataType| matches!(found, DataType::Interval(_) | DataType::Duration(_));
        let RawBinaryExpr { op, left: first, right: second } = expr;
        let (first, second) = match (&op, &left, &right) {
            (BinaryOperator::Plus | BinaryOperator::Minus, DataType::Date32, DataType::Interval(_))
                if !is_days(&second) =>
            {
                let sum = if op == BinaryOperator::Plus { Operator::Plus } else { Operator::Minus };
                return Ok(PlannerResult::Planned(binary_expr(cast(first, midnight), sum, second)));
            }
            (BinaryOperator::Plus, DataType::Interval(_), DataType::Date32) if !is_days(&first) => {
                let sum = binary_expr(cast(second, midnight), Operator::Plus, first);
                return Ok(PlannerResult::Planned(sum));
            }
            (op, left, right) if is_comparison(op) && is_span(left) && right.is_string() => {
                (first, cast(second, interval))
            }
            (op, left, right) if is_comparison(op) && left.is_string() && is_span(right) => {
                (cast(first, interval), second)
            }
            _ => (first, second),
        };
        Ok(PlannerResult::Original(RawBinaryExpr { op, left: first, right: second }))
    }
}

/// Returns whether an expression is a constant interval of whole days and months.
fn is_days(interval: &Expr) -> bool {
    match interval {
        Expr::Literal(ScalarValue::IntervalMonthDayNano(Some(value)), _) => value.nanoseconds == 0,
        Expr::Negative(value) => is_days(value),
        _ => false,
    }
}

fn is_comparison(op: &BinaryOperator) -> bool {
    use BinaryOperator::{Eq, Gt, GtEq, Lt, LtEq, NotEq};
    matches!(op, Eq | NotEq | Lt | LtEq | Gt | GtEq)
}

fn cast(expr: Expr, to: DataType) -> Expr {
    Expr::Cast(Cast::new(Box::new(expr), to))
}
