//! Comparisons of timestamps with constants that their unit can't hold: finer digits, or years
//! beyond nanoseconds.

use std::sync::Arc;

use arrow::datatypes::{DataType, TimeUnit};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::expr::InList;
use datafusion::logical_expr::expr_rewriter::FunctionRewrite;
use datafusion::logical_expr::{
    Between, BinaryExpr, Cast, Expr, ExprSchemable, Operator, and, binary_expr, lit, not,
};

use crate::functions::unordered;
use crate::plan::sql::ZONE;

/// Compares dates with timestamps in the unit of the timestamp, nanoseconds with constants out of
/// their range in microseconds, and other units with such constants in the constant's unit.
/// DataFusion compares the former in nanoseconds, and truncates constants.
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
    let swapped = || with(right, left, schema).map(|(right, left)| (left, right));
    with(left, right, schema).or_else(swapped)
}

/// Returns the timestamp and the other side of a comparison.
fn with(left: &Expr, right: &Expr, schema: &DFSchema) -> Option<(Expr, Expr)> {
    let (left_type, right_type) = (left.get_type(schema).ok()?, right.get_type(schema).ok()?);
    match (&left_type, &right_type) {
        (DataType::Timestamp(unit, zone), DataType::Timestamp(finer, _))
            if finer > unit && constant(right).is_some_and(|value| !fits(&value, *unit)) =>
        {
            Some((whole(left, *finer, zone.clone()), right.clone()))
        }
        (DataType::Timestamp(TimeUnit::Nanosecond, zone), DataType::Timestamp(TimeUnit::Microsecond, _))
            if is_far(right) =>
        {
            let micros = DataType::Timestamp(TimeUnit::Microsecond, zone.clone());
            Some((cast(left, micros), right.clone()))
        }
        (DataType::Timestamp(unit, zone), DataType::Date32)
            if zone.as_deref().is_none_or(|zone| zone == ZONE) =>
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

/// Returns a list without constants that the unit of the value can't hold, since no value equals
/// them. If none remains, the value is compared in their unit.
fn listed(list: &InList, schema: &DFSchema) -> Option<Expr> {
    let DataType::Timestamp(unit, zone) = list.expr.get_type(schema).ok()? else { return None };
    let is_between = |value: &Expr| match unit {
        TimeUnit::Nanosecond => is_far(value),
        unit => constant(value).is_some_and(|value| !fits(&value, unit)),
    };
    if !list.list.iter().any(|value| is_far(value) || is_between(value)) {
        return None;
    }
    let common = DataType::Timestamp(unit, zone.as_ref().map(|_| ZONE.into()));
    let kept = list.list.iter().filter(|value| !is_between(value));
    let kept = kept.map(|value| Some(lit(constant(value)?.cast_to(&common).ok()?)));
    let kept: Vec<Expr> = kept.collect::<Option<_>>()?;
    let (expr, list_of) = match kept.is_empty() {
        false => ((*list.expr).clone(), kept),
        true => {
            let is_nanos = unit != TimeUnit::Nanosecond && !list.list.iter().any(is_far);
            let finest = if is_nanos { TimeUnit::Nanosecond } else { TimeUnit::Microsecond };
            (whole(&list.expr, finest, zone), list.list.clone())
        }
    };
    Some(Expr::InList(InList { expr: Box::new(expr), list: list_of, negated: list.negated }))
}

/// Returns timestamps in a finer unit, so that the planner does not truncate a constant to their
/// unit.
fn whole(expr: &Expr, finer: TimeUnit, zone: Option<Arc<str>>) -> Expr {
    unordered(cast(expr, DataType::Timestamp(finer, zone)))
}

/// Returns whether a unit holds all digits of a constant, if that is a timestamp.
fn fits(value: &ScalarValue, unit: TimeUnit) -> bool {
    let parts = |unit| match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    };
    let (value, own) = match value {
        ScalarValue::TimestampMillisecond(Some(value), _) => (value, TimeUnit::Millisecond),
        ScalarValue::TimestampMicrosecond(Some(value), _) => (value, TimeUnit::Microsecond),
        ScalarValue::TimestampNanosecond(Some(value), _) => (value, TimeUnit::Nanosecond),
        _ => return true,
    };
    own <= unit || value % (parts(own) / parts(unit)) == 0
}

/// Returns whether an expression is a constant that nanoseconds can't hold.
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
