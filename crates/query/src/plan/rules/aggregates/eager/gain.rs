//! Estimates for eager aggregation: the keys' widths, and the rows that a key has.

use std::sync::Arc;

use arrow::datatypes::{DataType, Schema};
use datafusion::common::{ColumnStatistics, ScalarValue};
use datafusion::error::Result;
use datafusion::physical_expr::aggregate::AggregateFunctionExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr_common::physical_expr::{PhysicalExpr, is_volatile};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::statistics::{StatisticsArgs, StatisticsContext};

/// Cost of hashing and comparing a text, in those of a number.
const TEXT: usize = 4;

/// Cost of wide keys. Several texts name many groups, each of few rows.
pub(super) const WIDE: usize = 3 * TEXT;

/// Rows from which grouping below a join can gain more than a second hash table takes.
const LEAST_ROWS: usize = 100_000;

/// Least number of rows for each value of a key.
const ROWS_EACH: usize = 2;

/// Digits of the widest decimal with partial totals that always fit into 128 bits: a thousand
/// million times a thousand million rows would have to come.
const MOST_DIGITS: u8 = 20;

/// A key of groups with its name.
pub(super) type Key = (Arc<dyn PhysicalExpr>, String);

/// Returns whether adding arguments up never fails: rows that the join leaves out are added, too.
///
/// # Errors
/// An argument has no column in the schema.
pub(super) fn is_exact(value: &AggregateFunctionExpr, schema: &Schema) -> Result<bool> {
    let adds = ["sum", "avg"].contains(&value.fun().name());
    for argument in value.expressions() {
        let is_wide = match argument.data_type(schema)? {
            DataType::Decimal32(digits, _)
            | DataType::Decimal64(digits, _)
            | DataType::Decimal128(digits, _) => digits > MOST_DIGITS,
            DataType::Decimal256(..) | DataType::Duration(_) | DataType::Interval(_) => true,
            _ => false,
        };
        if adds && is_wide || is_volatile(&argument) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns the cost of hashing keys of a row.
///
/// # Errors
/// A key has no column there.
pub(super) fn cost(keys: &[Key], schema: &Schema) -> Result<usize> {
    let costs = keys.iter().map(|(key, _)| {
        let data_type = key.data_type(schema)?;
        Ok(if is_number(&data_type) { 1 } else { TEXT })
    });
    costs.sum()
}

/// Returns whether all keys are numbers, dates or times.
///
/// # Errors
/// A key has no column there.
pub(super) fn are_numbers(keys: &[Key], schema: &Schema) -> Result<bool> {
    for (key, _) in keys {
        if !is_number(&key.data_type(schema)?) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn is_number(data_type: &DataType) -> bool {
    data_type.is_primitive() || *data_type == DataType::Boolean
}

/// Returns whether a plan is estimated to have enough rows for each value of every key. Keys
/// without an estimate count as having few values: a partial aggregate passes rows on when it finds
/// that it merges nothing.
///
/// # Errors
/// The plan's statistics can't be computed.
pub(super) fn has_many_rows_each(keys: &[Key], plan: &Arc<dyn ExecutionPlan>) -> Result<bool> {
    let context = StatisticsContext::new();
    let statistics = context.compute(plan.as_ref(), &StatisticsArgs::new())?;
    let rows = match statistics.num_rows.get_value() {
        Some(rows) => *rows,
        None => most_rows(plan, &context)?,
    };
    let values = keys.iter().filter_map(|(key, _)| {
        let column = key.downcast_ref::<Column>()?;
        values(statistics.column_statistics.get(column.index())?)
    });
    Ok(rows >= LEAST_ROWS && values.max().unwrap_or(0).saturating_mul(ROWS_EACH) <= rows)
}

/// Returns the rows of the largest input of a plan without an estimate of its own.
fn most_rows(plan: &Arc<dyn ExecutionPlan>, context: &StatisticsContext) -> Result<usize> {
    let mut most = 0;
    for child in plan.children() {
        let statistics = context.compute(child.as_ref(), &StatisticsArgs::new())?;
        most = most.max(match statistics.num_rows.get_value() {
            Some(rows) => *rows,
            None => most_rows(child, context)?,
        });
    }
    Ok(most)
}

/// Returns the most values that a column can have; `None` if that is unknown.
fn values(column: &ColumnStatistics) -> Option<usize> {
    let whole = |value: &ScalarValue| match value.cast_to(&DataType::Int64).ok()? {
        ScalarValue::Int64(value) => value,
        _ => None,
    };
    let range = || {
        let (min, max) = (column.min_value.get_value()?, column.max_value.get_value()?);
        let is_whole = |data_type: DataType| data_type.is_integer() || data_type == DataType::Date32;
        let range = is_whole(min.data_type()).then(|| whole(max)?.checked_sub(whole(min)?))??;
        usize::try_from(range).ok()?.checked_add(1)
    };
    column.distinct_count.get_value().copied().or_else(range)
}
