//! Dates and integers, differences of dates, and timestamps with a zone next to values without one.

use arrow::datatypes::{DataType, TimeUnit};
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::{BinaryExpr, Expr, ExprSchemable, Operator, binary_expr};

use super::literal::cast;
use crate::error::{Error, wrap};
use crate::plan::sql::ZONE;
use crate::plan::type_in_sql;

/// Refuses dates beside integers, which DataFusion would take for days since the epoch.
///
/// # Errors
/// Some of the types are dates, and others integers.
pub(in crate::plan::rules) fn refuse_dates(types: &[DataType]) -> Result<()> {
    let has_date = types.iter().any(|found| matches!(found, DataType::Date32 | DataType::Date64));
    match types.iter().find(|found| found.is_integer()) {
        Some(number) if has_date => Err(wrap(Error::Query(format!(
            "DATE and {} have no common type: write DATE '2024-01-31' for a day, or CAST(the date AS INTEGER)",
            type_in_sql(number)
        )))),
        _ => Ok(()),
    }
}

/// Subtracts two dates as integers. DataFusion also returns the days, but its analysis of
/// conditions takes the difference for a duration, and fails in comparisons.
pub(super) fn days_between(binary: BinaryExpr, schema: &DFSchema) -> Transformed<Expr> {
    let is_date = |expr: &Expr| matches!(expr.get_type(schema), Ok(DataType::Date32));
    if !is_date(&binary.left) || !is_date(&binary.right) {
        return Transformed::no(Expr::BinaryExpr(binary));
    }
    let days = |date: Expr| cast(cast(date, &DataType::Int32), &DataType::Int64);
    Transformed::yes(binary_expr(days(*binary.left), Operator::Minus, days(*binary.right)))
}

/// Returns the type of values without a zone that stand beside timestamps in a zone; `None` if
/// there are not both. DataFusion reads such values in the zone of the column, and dates without
/// any.
pub(super) fn common_instant(types: &[DataType]) -> Option<DataType> {
    let is_in_zone = |found: &&DataType| matches!(found, DataType::Timestamp(_, Some(_)));
    let is_elsewhere = types.iter().filter(is_in_zone).any(|found| !is_of_session(found));
    let has_local = types.iter().any(|found| match found {
        DataType::Timestamp(_, None) => is_elsewhere,
        other => is_date(other),
    });
    if !has_local || !types.iter().any(|found| is_in_zone(&found)) {
        return None;
    }
    let finest = types.iter().filter_map(unit).max()?;
    Some(DataType::Timestamp(finest, Some(ZONE.into())))
}

/// Returns the type of texts that are compared with timestamps in a zone other than the session's.
pub(super) fn of_text(types: &[DataType]) -> Option<DataType> {
    let found = types.iter().find(|found| match found {
        DataType::Timestamp(_, Some(_)) => !is_of_session(found),
        _ => false,
    });
    unit(found?).map(|unit| DataType::Timestamp(unit, Some(ZONE.into())))
}

/// Returns whether a value has no zone, and is cast to a type that has.
pub(super) fn is_local(found: &DataType) -> bool {
    matches!(found, DataType::Timestamp(_, None)) || is_date(found)
}

fn is_date(found: &DataType) -> bool {
    matches!(found, DataType::Date32 | DataType::Date64)
}

fn is_of_session(found: &DataType) -> bool {
    matches!(found, DataType::Timestamp(_, Some(zone)) if zone.as_ref() == ZONE)
}

fn unit(found: &DataType) -> Option<TimeUnit> {
    match found {
        DataType::Timestamp(unit, _) => Some(*unit),
        _ => None,
    }
}
