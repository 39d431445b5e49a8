//! Aggregates with partial results that are merged in any order.

use std::sync::Arc;

use arrow::datatypes::DataType;
use datafusion::error::Result;
use datafusion::physical_expr::aggregate::AggregateFunctionExpr;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};

/// Aggregates with small partial results, which can be merged again and again in any order.
/// Others, such as lists of values, would copy all values for every set.
const MERGED: [&str; 10] =
    ["avg", "bit_and", "bit_or", "bit_xor", "bool_and", "bool_or", "count", "max", "min", "sum"];

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
