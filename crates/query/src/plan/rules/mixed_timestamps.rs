//! Comparisons of timestamps and dates of which nanoseconds can't hold one, before 1677 or after 2262.

use arrow::datatypes::{DataType, TimeUnit};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::expr::InList;
use datafusion::logical_expr::expr_rewriter::FunctionRewrite;
use datafusion::logical_expr::{
    Between, BinaryExpr, Cast, Expr, ExprSchemable, Operator, and, binary_expr, lit, not,
};

/// Compares dates with timestamps in the unit of the timestamp, and nanoseconds with constants that
/// they can't hold in microseconds. DataFusion compares both in nanoseconds.
#[derive(Debug)]
pub(in crate::plan) struct MixedTimestamps;

impl FunctionRewrite for MixedTimestamps {
    fn name(&self) -> &str {
        "mixed_timestamps"
    }

    fn rewrite(&self, expr: Expr, schema: &DFSchema, _: &ConfigOptions) -> Result<Transformed<Expr>> {
        match expr {
            Expr::BinaryExpr(BinaryExpr { left, op, right }) if op.supports_propagation() => {
                Ok(match compared(&left, &right, schema) {
                    Some((left, right)) => Transformed::yes(binary_expr(left, op, right)),
                    None => Transformed::no(Expr::BinaryExpr(BinaryExpr { left, op, right })),
                })
            }
            Expr::Between(between) => Ok(match bounded(&between, schema) {
                Some(bounded) => Transformed::yes(bounded),
                None => Transformed::no(Expr::Between(between)),
            }),
            Expr::InList(list) => Ok(match listed(&list, schema) {
                Some(listed) => Transformed::yes(listed),
                None => Transformed::no(Expr::InList(list)),
            }),
            other => Ok(Transformed::no(other)),
        }
    }
}

/// Returns both sides of a comparison in the unit to compare in; `None` if that is DataFusion's.
fn compared(left: &Expr, right: &Expr, schema: &DFSchema) -> Option<(Expr, Expr)> {
    let (left_type, right_type) = (left.get_type(schema).ok()?, right.get_type(schema).ok()?);
    match (&left_type, &right_type) {
        (DataType::Timestamp(unit, zone), DataType::Timestamp(TimeUnit::Microsecond, _))
            if *unit == TimeUnit::Nanosecond && is_far(right) =>
        {
            let micros = DataType::Timestamp(TimeUnit::Microsecond, zone.clone());
            Some((cast(left, micros), right.clone()))
        }
        (DataType::Timestamp(unit, zone), DataType::Date32)
            if zone.as_deref().is_none_or(|zone| zone == "UTC") =>
        {
            let unit = match unit {
                TimeUnit::Nanosecond if !is_far(right) => return None,
                TimeUnit::Nanosecond => TimeUnit::Microsecond,
                other => *other,
            };
            let common = DataType::Timestamp(unit, zone.clone());
            let left = if left_type == common { left.clone() } else { cast(left, common.clone()) };
            Some((left, cast(right, common)))
        }
        (DataType::Timestamp(TimeUnit::Microsecond, _), DataType::Timestamp(TimeUnit::Nanosecond, _))
        | (DataType::Date32, DataType::Timestamp(..)) => {
            compared(right, left, schema).map(|(right, left)| (left, right))
        }
        _ => None,
    }
}

/// Returns a BETWEEN as two comparisons, if one of them is not DataFusion's.
fn bounded(between: &Between, schema: &DFSchema) -> Option<Expr> {
    let Between { expr, negated, low, high } = between;
    let (above, below) = (compared(expr, low, schema), compared(expr, high, schema));
    if above.is_none() && below.is_none() {
        return None;
    }
    let (above, low) = above.unwrap_or_else(|| ((**expr).clone(), (**low).clone()));
    let (below, high) = below.unwrap_or_else(|| ((**expr).clone(), (**high).clone()));
    let both = and(binary_expr(above, Operator::GtEq, low), binary_expr(below, Operator::LtEq, high));
    Some(if *negated { not(both) } else { both })
}

/// Returns a list that has constants which nanoseconds can't hold, for a value in its own unit:
/// constants that the unit of the value can't hold are left out, since none equals them.
fn listed(list: &InList, schema: &DFSchema) -> Option<Expr> {
    let data_type = list.expr.get_type(schema).ok()?;
    let DataType::Timestamp(unit, _) = data_type else { return None };
    if !list.list.iter().any(is_far) {
        return None;
    }
    let mut values = Vec::new();
    for value in &list.list {
        let constant = constant(value)?;
        let micros = match constant.cast_to(&DataType::Timestamp(TimeUnit::Microsecond, None)).ok()? {
            ScalarValue::TimestampMicrosecond(micros, _) => micros,
            _ => return None,
        };
        let is_finer = |ratio| micros.is_some_and(|micros| micros % ratio != 0);
        let is_between = match (unit, &constant) {
            (TimeUnit::Nanosecond, _) => is_far(value),
            (_, ScalarValue::TimestampNanosecond(Some(nanos), _)) if nanos % 1_000 != 0 => true,
            (TimeUnit::Millisecond, _) => is_finer(1_000),
            (TimeUnit::Second, _) => is_finer(1_000_000),
            _ => false,
        };
        if !is_between {
            values.push(lit(constant.cast_to(&data_type).ok()?));
        }
    }
    let list = InList { expr: list.expr.clone(), list: values, negated: list.negated };
    (!list.list.is_empty()).then(|| Expr::InList(list))
}

/// Whether an expression is a constant that nanoseconds can't hold.
fn is_far(expr: &Expr) -> bool {
    match constant(expr) {
        Some(ScalarValue::TimestampMicrosecond(Some(micros), _)) => micros.checked_mul(1_000).is_none(),
        Some(ScalarValue::Date32(Some(days))) => i64::from(days).checked_mul(86_400_000_000_000).is_none(),
        _ => false,
    }
}

/// Returns the value of a literal, cast or not.
fn constant(expr: &Expr) -> Option<ScalarValue> {
    match expr {
        Expr::Literal(value, _) => Some(value.clone()),
        Expr::Cast(cast) => match cast.expr.as_ref() {
            Expr::Literal(text, _) => text.cast_to(cast.field.data_type()).ok(),
            _ => None,
        },
        _ => None,
    }
}

fn cast(expr: &Expr, data_type: DataType) -> Expr {
    Expr::Cast(Cast::new(Box::new(expr.clone()), data_type))
}
