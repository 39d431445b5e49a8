//! Operators with an interval on one side, and the seconds of a difference of timestamps.

use arrow::datatypes::{DataType, IntervalUnit, TimeUnit};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::expr_rewriter::FunctionRewrite;
use datafusion::logical_expr::planner::{ExprPlanner, PlannerResult, RawBinaryExpr};
use datafusion::logical_expr::{Cast, Expr, ExprSchemable, Operator, binary_expr, lit};
use datafusion::sql::sqlparser::ast::BinaryOperator;

use crate::functions::{interval_product, interval_quotient};
use crate::plan::rules::numbers::mixed_numbers::coerced_type;

/// Turns a date to which hours may be added into a timestamp, and a text that is compared with an
/// interval into an interval; multiplies and divides intervals by numbers. In DataFusion the sum is
/// a date without the hours, and the others are errors.
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
        let is_count = |found: &DataType| found.is_numeric() || found.is_null();
        match op {
            BinaryOperator::Multiply if is_span(&left) && is_count(&right) => {
                return Ok(PlannerResult::Planned(interval_product(first, second, &right)));
            }
            BinaryOperator::Multiply if is_count(&left) && is_span(&right) => {
                return Ok(PlannerResult::Planned(interval_product(second, first, &left)));
            }
            BinaryOperator::Divide if is_span(&left) && is_count(&right) => {
                return Ok(PlannerResult::Planned(interval_quotient(first, second)));
            }
            _ => {}
        }
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

/// Computes the seconds of a difference of timestamps with their fraction, which DataFusion drops.
#[derive(Debug)]
pub(in crate::plan) struct Epochs;

impl FunctionRewrite for Epochs {
    fn name(&self) -> &str {
        "epochs"
    }

    fn rewrite(&self, expr: Expr, schema: &DFSchema, _: &ConfigOptions) -> Result<Transformed<Expr>> {
        let seconds = match &expr {
            Expr::ScalarFunction(call) => seconds(call, schema),
            _ => None,
        };
        Ok(seconds.map_or_else(|| Transformed::no(expr), Transformed::yes))
    }
}

fn seconds(call: &ScalarFunction, schema: &DFSchema) -> Option<Expr> {
    let [Expr::Literal(part, _), difference] = call.args.as_slice() else { return None };
    let is_epoch = part.try_as_str().flatten().is_some_and(|part| part.eq_ignore_ascii_case("epoch"));
    // a CASE has its type only after its arms have a common one
    let Ok(DataType::Duration(unit)) = coerced_type(difference, schema) else { return None };
    if call.name() != "date_part" || !is_epoch {
        return None;
    }
    let in_second = match unit {
        TimeUnit::Second => 1e0,
        TimeUnit::Millisecond => 1e3,
        TimeUnit::Microsecond => 1e6,
        TimeUnit::Nanosecond => 1e9,
    };
    let count = Expr::Cast(Cast::new(Box::new(difference.clone()), DataType::Duration(unit)));
    let count = Expr::Cast(Cast::new(Box::new(count), DataType::Int64));
    let count = Expr::Cast(Cast::new(Box::new(count), DataType::Float64));
    Some(binary_expr(count, Operator::Divide, lit(in_second)))
}
