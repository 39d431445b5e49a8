//! Estimate of the share of rows that pass a scan's conditions, from bounds. The planner uses it to
//! choose the build side of a join.

use std::collections::BTreeMap;
use std::sync::Arc;

use datafusion::common::{ColumnStatistics, ScalarValue, Statistics};
use datafusion::logical_expr::Operator;
use datafusion::physical_expr::expressions::{BinaryExpr, Column, InListExpr, Literal, NotExpr};
use datafusion::physical_expr::utils::split_conjunction;
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;

use super::join_keys::KeyBitmapExpr;
use super::predicate::{columns, is_dynamic};

/// Share of rows that pass a condition of unknown effect, mostly LIKE and comparisons of columns.
/// It lies between the guesses of System R for a range and for other conditions (Selinger et al.,
/// SIGMOD 1979, table 1).
const UNKNOWN: f64 = 0.2;

/// Share of rows that equal one value of a column with an unknown number of values (Selinger et
/// al.).
const EQUALITY: f64 = 0.1;

/// Returns the share of rows, 0 to 1, for which all conditions hold, taken as independent. Dynamic
/// filters count as one: the operator that they come from estimates their effect.
pub(super) fn estimate(predicates: &[Arc<dyn PhysicalExpr>], statistics: &Statistics) -> f64 {
    let fixed = predicates.iter().filter(|p| !is_dynamic(p));
    all(fixed.flat_map(split_conjunction).collect(), statistics)
}

/// Returns the share of rows that pass all conditions. Two bounds of one column are one range, and
/// among other conditions on one column the strictest counts: the others often follow from it.
pub(super) fn all(conditions: Vec<&Arc<dyn PhysicalExpr>>, statistics: &Statistics) -> f64 {
    let mut share = 1.0;
    let mut ranges: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    let mut strictest: BTreeMap<usize, f64> = BTreeMap::new();
    for condition in conditions {
        match bound(condition, statistics) {
            Some((column, Side::Above, at)) => {
                let range = ranges.entry(column).or_insert((0.0, 1.0));
                range.0 = range.0.max(at);
            }
            Some((column, Side::Below, at)) => {
                let range = ranges.entry(column).or_insert((0.0, 1.0));
                range.1 = range.1.min(at);
            }
            None => {
                let passed = of(condition, statistics);
                let on = columns(condition);
                match on.first().filter(|_| on.len() == 1) {
                    Some(&column) => {
                        let strictest = strictest.entry(column).or_insert(1.0);
                        *strictest = strictest.min(passed);
                    }
                    None => share *= passed,
                }
            }
        }
    }
    for (column, (low, high)) in ranges {
        let strictest = strictest.entry(column).or_insert(1.0);
        *strictest = strictest.min((high - low).max(0.0));
    }
    strictest.values().fold(share, |share, passed| share * passed)
}

enum Side {
    Above,
    Below,
}

/// Returns a comparison of a column with a constant as a bound: the share of the column's rows that
/// lie below the constant.
fn bound(expression: &Arc<dyn PhysicalExpr>, statistics: &Statistics) -> Option<(usize, Side, f64)> {
    let binary = expression.downcast_ref::<BinaryExpr>()?;
    let (column, op, literal) = match binary.left().downcast_ref::<Column>() {
        Some(column) => (column, *binary.op(), binary.right().downcast_ref::<Literal>()?),
        None => (
            binary.right().downcast_ref::<Column>()?,
            binary.op().swap()?,
            binary.left().downcast_ref::<Literal>()?,
        ),
    };
    let side = match op {
        Operator::Gt | Operator::GtEq => Side::Above,
        Operator::Lt | Operator::LtEq => Side::Below,
        _ => return None,
    };
    let below = fraction_below(statistics.column_statistics.get(column.index())?, literal.value())?;
    Some((column.index(), side, below))
}

fn of(expression: &Arc<dyn PhysicalExpr>, statistics: &Statistics) -> f64 {
    if let Some(binary) = expression.downcast_ref::<BinaryExpr>() {
        return match binary.op() {
            Operator::And => all(split_conjunction(expression), statistics),
            Operator::Or => {
                let (a, b) = (of(binary.left(), statistics), of(binary.right(), statistics));
                a + b - a * b
            }
            op => comparison(binary.left(), *op, binary.right(), statistics),
        };
    }
    if let Some(list) = expression.downcast_ref::<InListExpr>() {
        let one = column(list.expr(), statistics).map_or(EQUALITY, equality);
        let any = (one * list.list().len() as f64).min(1.0);
        return if list.negated() { 1.0 - any } else { any };
    }
    if let Some(bitmap) = expression.downcast_ref::<KeyBitmapExpr>() {
        let one = column(bitmap.key(), statistics).map_or(EQUALITY, equality);
        return (one * bitmap.keys() as f64).min(bitmap.density());
    }
    if let Some(not) = expression.downcast_ref::<NotExpr>() {
        return 1.0 - of(not.arg(), statistics);
    }
    UNKNOWN
}

fn column<'a>(
    expression: &Arc<dyn PhysicalExpr>,
    statistics: &'a Statistics,
) -> Option<&'a ColumnStatistics> {
    let column = expression.downcast_ref::<Column>()?;
    statistics.column_statistics.get(column.index())
}

fn comparison(
    left: &Arc<dyn PhysicalExpr>,
    op: Operator,
    right: &Arc<dyn PhysicalExpr>,
    statistics: &Statistics,
) -> f64 {
    let (column, op, literal) = match (column(left, statistics), right.downcast_ref::<Literal>()) {
        (Some(column), Some(literal)) => (column, op, literal),
        _ => match (column(right, statistics), left.downcast_ref::<Literal>(), op.swap()) {
            (Some(column), Some(literal), Some(op)) => (column, op, literal),
            // two columns: either one is the larger half of the time
            _ => return if matches!(op, Operator::Eq) { EQUALITY } else { 0.5 },
        },
    };
    let below = || fraction_below(column, literal.value());
    match op {
        Operator::Eq => equality(column),
        Operator::NotEq => 1.0 - equality(column),
        Operator::Lt | Operator::LtEq => below().unwrap_or(1.0 / 3.0),
        Operator::Gt | Operator::GtEq => below().map_or(1.0 / 3.0, |below| 1.0 - below),
        _ => UNKNOWN,
    }
}

/// Returns the share of rows with one certain value: values are taken as equally frequent.
fn equality(column: &ColumnStatistics) -> f64 {
    if let Some(&distinct) = column.distinct_count.get_value() {
        return 1.0 / distinct.max(1) as f64;
    }
    match (number(column.min_value.get_value()), number(column.max_value.get_value())) {
        (Some(min), Some(max)) => 1.0 / (max - min + 1.0).max(1.0),
        _ => EQUALITY,
    }
}

/// Returns the share of rows below a value: values are taken as evenly spread between the bounds.
fn fraction_below(column: &ColumnStatistics, value: &ScalarValue) -> Option<f64> {
    let (min, max) = (number(column.min_value.get_value())?, number(column.max_value.get_value())?);
    let value = number(Some(value))?;
    (max > min).then(|| ((value - min) / (max - min)).clamp(0.0, 1.0))
}

/// Returns a value as a point on a line, in its type's own unit.
fn number(value: Option<&ScalarValue>) -> Option<f64> {
    Some(match value? {
        ScalarValue::Int8(Some(v)) => f64::from(*v),
        ScalarValue::Int16(Some(v)) => f64::from(*v),
        ScalarValue::Int32(Some(v)) | ScalarValue::Date32(Some(v)) => f64::from(*v),
        ScalarValue::Int64(Some(v)) => *v as f64,
        ScalarValue::UInt8(Some(v)) => f64::from(*v),
        ScalarValue::UInt16(Some(v)) => f64::from(*v),
        ScalarValue::UInt32(Some(v)) => f64::from(*v),
        ScalarValue::UInt64(Some(v)) => *v as f64,
        ScalarValue::Float32(Some(v)) => f64::from(*v),
        ScalarValue::Float64(Some(v)) => *v,
        ScalarValue::Decimal128(Some(v), _, _) => *v as f64,
        ScalarValue::TimestampSecond(Some(v), _)
        | ScalarValue::TimestampMillisecond(Some(v), _)
        | ScalarValue::TimestampMicrosecond(Some(v), _)
        | ScalarValue::TimestampNanosecond(Some(v), _) => *v as f64,
        _ => return None,
    })
}
