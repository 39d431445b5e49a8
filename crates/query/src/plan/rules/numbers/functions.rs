//! Replacement of single calls and operators for which DataFusion deviates from SQL.

use arrow::datatypes::DataType;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::expr_rewriter::FunctionRewrite;
use datafusion::logical_expr::{
    BinaryExpr, Cast, Expr, ExprSchemable, LogicalPlan, Operator, binary_expr, lit, when,
};
use datafusion::optimizer::AnalyzerRule;

use super::mixed_numbers::coerced_type;
use crate::functions::corrected;
use crate::plan::rules::expressions::{any_node, has, retyped, rewrite_wanted};

/// Gives the nodes of a plan the types that their expressions have now. Rewrites of functions run
/// before all analyzer rules, and leave nodes with the types of before.
#[derive(Debug)]
pub(in crate::plan::rules) struct RewrittenTypes;

impl AnalyzerRule for RewrittenTypes {
    fn name(&self) -> &str {
        "rewritten_types"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        let is_found = any_node(&plan, |node| has(node, may_be_rewritten))?;
        retyped(Transformed::new_transformed(plan, is_found))
    }
}

/// Returns whether a rewrite may have changed an expression's type: that of a function by its
/// arguments, or that of a timestamp by its range.
fn may_be_rewritten(expr: &Expr) -> bool {
    matches!(expr, Expr::ScalarFunction(_) | Expr::Literal(ScalarValue::TimestampMicrosecond(..), _))
}

/// Replaces functions by their [`corrected`] forms. The planner calls some without a look-up of
/// their names.
#[derive(Debug)]
pub(in crate::plan) struct CorrectedFunctions;

impl FunctionRewrite for CorrectedFunctions {
    fn name(&self) -> &str {
        "careful_functions"
    }

    fn rewrite(&self, expr: Expr, _: &DFSchema, _: &ConfigOptions) -> Result<Transformed<Expr>> {
        let Expr::ScalarFunction(mut call) = expr else { return Ok(Transformed::no(expr)) };
        let function = corrected(&call.func);
        let is_changed = function.is_some();
        call.func = function.unwrap_or(call.func);
        Ok(Transformed::new_transformed(Expr::ScalarFunction(call), is_changed))
    }
}

/// Writes `a ^ b` as `(a | b) - (a & b)`, which is the same number at every width.
///
/// DataFusion makes 0 of `a ^ a`, which is NULL where a is NULL.
#[derive(Debug)]
pub(in crate::plan) struct ExclusiveOr;

impl FunctionRewrite for ExclusiveOr {
    fn name(&self) -> &str {
        "exclusive_or"
    }

    fn rewrite(&self, expr: Expr, schema: &DFSchema, _: &ConfigOptions) -> Result<Transformed<Expr>> {
        let is_whole = |side: &Expr| side.get_type(schema).is_ok_and(|found| found.is_integer());
        match expr {
            Expr::BinaryExpr(BinaryExpr { left, op: Operator::BitwiseXor, right })
                if is_whole(&left) && is_whole(&right) && !left.is_volatile() && !right.is_volatile() =>
            {
                let either = binary_expr(left.as_ref().clone(), Operator::BitwiseOr, right.as_ref().clone());
                let both = binary_expr(*left, Operator::BitwiseAnd, *right);
                Ok(Transformed::yes(binary_expr(either, Operator::Minus, both)))
            }
            other => Ok(Transformed::no(other)),
        }
    }
}

/// Writes `nullif(a, b)` of two types as `CASE WHEN a = b THEN NULL ELSE a END`, before operands
/// get a common type. DataFusion's function returns the type in which both are compared.
#[derive(Debug)]
pub(in crate::plan::rules) struct NullIfs;

impl AnalyzerRule for NullIfs {
    fn name(&self) -> &str {
        "null_ifs"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        let is_nullif = |part: &Expr| matches!(part, Expr::ScalarFunction(call) if call.name() == "nullif");
        retyped(rewrite_wanted(plan, is_nullif, as_case)?)
    }
}

fn as_case(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let Expr::ScalarFunction(call) = &expr else { return Ok(Transformed::no(expr)) };
    let ("nullif", [value, other]) = (call.name(), call.args.as_slice()) else {
        return Ok(Transformed::no(expr));
    };
    let (kept, compared) = (coerced_type(value, schema)?, other.get_type(schema)?);
    if kept == compared || [&kept, &compared].contains(&&DataType::Null) {
        return Ok(Transformed::no(expr));
    }
    let is_same = value.clone().eq(other.clone());
    let null = lit(ScalarValue::try_from(&kept)?);
    Ok(Transformed::yes(when(is_same, null).otherwise(value.clone())?))
}

/// Casts the arguments of `round`, `ceil` and `floor` so that a decimal result has one type, with
/// room for its digits.
#[derive(Debug)]
pub(in crate::plan) struct RoundedDecimals;

impl FunctionRewrite for RoundedDecimals {
    fn name(&self) -> &str {
        "rounded_decimals"
    }

    fn rewrite(&self, expr: Expr, schema: &DFSchema, _: &ConfigOptions) -> Result<Transformed<Expr>> {
        let Expr::ScalarFunction(mut call) = expr else { return Ok(Transformed::no(expr)) };
        let changed = match (call.name(), call.args.as_slice()) {
            ("round", [_, places]) => as_places(places),
            ("ceil" | "floor", [value]) => with_integer_digit(value, schema),
            _ => None,
        };
        let is_changed = changed.is_some();
        if let (Some(changed), Some(last)) = (changed, call.args.last_mut()) {
            *last = changed;
        }
        Ok(Transformed::new_transformed(Expr::ScalarFunction(call), is_changed))
    }
}

/// Returns a decimal with one more integer digit, which rounding up may need. A pushed condition
/// comes here again when its scan is planned.
fn with_integer_digit(value: &Expr, schema: &DFSchema) -> Option<Expr> {
    if let Expr::Cast(Cast { expr, field }) = value
        && let Ok(DataType::Decimal128(digits, scale)) = expr.get_type(schema)
        && *field.data_type() == DataType::Decimal128(digits + 1, scale)
    {
        return None;
    }
    match coerced_type(value, schema) {
        Ok(DataType::Decimal128(digits @ ..38, scale @ 1..)) => {
            let wider = DataType::Decimal128(digits + 1, scale);
            Some(Expr::Cast(Cast::new(Box::new(value.clone()), wider)))
        }
        _ => None,
    }
}

/// Returns the literal of decimal places in `round`'s own type. With a conversion in its place, the
/// result would get another scale.
fn as_places(places: &Expr) -> Option<Expr> {
    match places {
        Expr::Literal(ScalarValue::Int64(Some(count)), _) => i32::try_from(*count).ok().map(lit),
        _ => None,
    }
}
