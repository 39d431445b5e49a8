//! Sorts by keys that fit into one number.
//!
//! DataFusion sorts each batch, and merges the batches by comparing rows. Here the keys of a row,
//! and its number, become one number of up to 128 bits, in the order of the rows. The numbers are
//! sorted, and the rows taken in their order. Texts have the first bytes in which they differ, and
//! are compared where these are equal.

mod exec;
mod keys;
mod texts;
mod words;

use std::sync::Arc;

use arrow::datatypes::DataType;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::error::Result;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::sorts::sort::SortExec;

use crate::tree::Tree;
use exec::PackedSortExec;
use keys::is_packable;

/// Replaces sorts by numbers, times and texts by a [`PackedSortExec`].
#[derive(Debug)]
pub(in crate::plan) struct PackedSorts {
    /// Off, DataFusion sorts all rows.
    pub is_on: bool,
}

impl PhysicalOptimizerRule for PackedSorts {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        if !self.is_on {
            return Ok(plan);
        }
        plan.transform_up(|node| {
            let Some(sort) = node.downcast_ref::<SortExec>() else { return Ok(Transformed::no(node)) };
            let schema = sort.input().schema();
            for key in sort.expr() {
                if !is_packable(&key.expr.data_type(&schema)?) {
                    return Ok(Transformed::no(node));
                }
            }
            let can_take = schema.fields().iter().all(|field| is_flat(field.data_type()));
            if sort.fetch().is_some() || !can_take {
                return Ok(Transformed::no(node));
            }
            Ok(Transformed::yes(Arc::new(PackedSortExec::new(node)) as Arc<dyn ExecutionPlan>))
        })
        .data()
    }

    fn name(&self) -> &str {
        "packed_sorts"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// Returns whether any number of values fits into one array.
fn is_flat(data_type: &DataType) -> bool {
    let has_wide_offsets = matches!(
        data_type,
        DataType::Utf8View | DataType::BinaryView | DataType::LargeUtf8 | DataType::LargeBinary
    );
    has_wide_offsets || data_type.is_primitive() || *data_type == DataType::Boolean
}

#[cfg(test)]
mod tests;
