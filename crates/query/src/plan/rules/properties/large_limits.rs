//! Full sorts in place of top-k sorts that memory is too short for.

use std::sync::Arc;

use arrow::datatypes::DataType;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::error::Result;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::limit::LocalLimitExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};

use crate::tree::Tree;

/// Assumed bytes of a text.
const TEXT_BYTES: usize = 32;

/// Assumed bytes of a nested value.
const NESTED_BYTES: usize = 128;

/// Bytes of a row's place in the heap beside its values and its key.
const PLACE_BYTES: usize = 48;

/// Divisor of the memory limit for the rows of all heaps. These hold whole batches of the input,
/// and for a while compacted ones, too.
const HEAP_SHARE: usize = 4;

/// Has a sort with a limit sort all rows, on disk if need be, where as many rows as the limit do
/// not fit in memory. A top-k sort can't spill.
#[derive(Debug, Clone)]
pub(in crate::plan) struct SortsForLargeLimits {
    /// Bytes of the memory limit; `None`: there is none.
    pub memory: Option<usize>,
}

impl SortsForLargeLimits {
    /// Returns the rules with this one after those that move limits into sorts, and before sorts
    /// give conditions to scans.
    pub fn placed(
        self,
        mut rules: Vec<Arc<dyn PhysicalOptimizerRule + Send + Sync>>,
    ) -> Vec<Arc<dyn PhysicalOptimizerRule + Send + Sync>> {
        let conditions = rules.iter().position(|rule| rule.name() == "FilterPushdown(Post)");
        rules.insert(conditions.unwrap_or(rules.len()), Arc::new(self));
        rules
    }

    fn sort(plan: Arc<dyn ExecutionPlan>, bytes: usize) -> Transformed<Arc<dyn ExecutionPlan>> {
        let Some(sort) = plan.downcast_ref::<SortExec>() else { return Transformed::no(plan) };
        let Some(rows) = sort.fetch() else { return Transformed::no(plan) };
        let heaps =
            if sort.preserve_partitioning() { plan.output_partitioning().partition_count() } else { 1 };
        let needed = row_bytes(sort).saturating_mul(rows).saturating_mul(heaps);
        if needed <= bytes / HEAP_SHARE {
            return Transformed::no(plan);
        }
        Transformed::yes(Arc::new(LocalLimitExec::new(Arc::new(sort.with_fetch(None)), rows)))
    }
}

/// Returns the assumed bytes of a row of a sort, in its heap.
fn row_bytes(sort: &SortExec) -> usize {
    let schema = sort.schema();
    let values: usize = schema.fields().iter().map(|field| width(field.data_type())).sum();
    let keys =
        sort.expr().iter().map(|key| key.expr.data_type(&schema).map_or(NESTED_BYTES, |key| width(&key)));
    values + keys.sum::<usize>() + PLACE_BYTES
}

fn width(data_type: &DataType) -> usize {
    match data_type {
        DataType::Null | DataType::Boolean => 1,
        other if other.is_nested() => NESTED_BYTES,
        other => other.primitive_width().unwrap_or(TEXT_BYTES),
    }
}

impl PhysicalOptimizerRule for SortsForLargeLimits {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        let Some(bytes) = self.memory else { return Ok(plan) };
        plan.transform_up(|node| Ok(Self::sort(node, bytes))).data()
    }

    fn name(&self) -> &str {
        "sorts_for_large_limits"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests;
