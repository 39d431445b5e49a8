//! Aggregates with partial results that are merged in any order.

use std::sync::Arc;

use arrow::datatypes::DataType;
use datafusion::error::Result;
use datafusion::physical_expr::aggregate::AggregateFunctionExpr;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode};
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};

/// Aggregates with small partial results, which can be merged again and again in any order.
/// Others, such as lists of values, would copy all values for every set.
const MERGED: [&str; 10] =
    ["avg", "bit_and", "bit_or", "bit_xor", "bool_and", "bool_or", "count", "max", "min", "sum"];

/// Returns whether all partial results of an aggregate's groups can be merged again.
///
/// # Errors
/// An aggregate has no partial results.
pub(super) fn all_can_merge(aggregate: &AggregateExec) -> Result<bool> {
    for value in aggregate.aggr_expr() {
        if !can_merge(value, aggregate.input())? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns whether the partial results of an aggregate can be merged again.
///
/// On one thread, floats are added in the order of rows. Several threads add them in any order.
pub(super) fn can_merge(value: &AggregateFunctionExpr, input: &Arc<dyn ExecutionPlan>) -> Result<bool> {
    let name = value.fun().name();
    if !MERGED.contains(&name)
        || value.is_distinct()
        || !value.order_bys().is_empty()
        || !value.groups_accumulator_supported()
    {
        return Ok(false);
    }
    let states = value.state_fields()?;
    let has = |test: fn(&DataType) -> bool| states.iter().any(|state| test(state.data_type()));
    let is_one_thread = input.output_partitioning().partition_count() == 1;
    let depends_on_order = is_one_thread && has(DataType::is_floating) && !["min", "max"].contains(&name);
    Ok(!has(DataType::is_nested) && !depends_on_order)
}

/// Returns the partial aggregate of one that computes results from rows.
///
/// # Errors
/// An aggregate has no partial results.
pub(super) fn partial(whole: &AggregateExec) -> Result<AggregateExec> {
    AggregateExec::try_new(
        AggregateMode::Partial,
        whole.group_expr().clone(),
        whole.aggr_expr().to_vec(),
        whole.filter_expr().to_vec(),
        whole.input().clone(),
        whole.input_schema(),
    )
}

/// Returns the final aggregate over the groups of [`partial`].
///
/// # Errors
/// The partial results have other types.
pub(super) fn last(whole: &AggregateExec, groups: Arc<dyn ExecutionPlan>) -> Result<AggregateExec> {
    let mode = match whole.mode() {
        AggregateMode::SinglePartitioned => AggregateMode::FinalPartitioned,
        _ => AggregateMode::Final,
    };
    let (keys, values) = (whole.group_expr().as_final(), whole.aggr_expr().to_vec());
    let filters = vec![None; values.len()];
    AggregateExec::try_new(mode, keys, values, filters, groups, whole.input_schema())
}
