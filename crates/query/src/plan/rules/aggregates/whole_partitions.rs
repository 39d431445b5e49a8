//! Windows that are computed when all rows of a partition are there.

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::error::Result;
use datafusion::logical_expr::{WindowFrameBound, WindowFrameUnits};
use datafusion::physical_expr::window::WindowExpr;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::windows::{BoundedWindowAggExec, WindowAggExec};

/// Computes windows so whose frame ends some distance before the current row.
///
/// DataFusion gives a value out as soon as it has the row, since the frame ends before it. The
/// frame of a NULL is all rows with NULL, of which more can follow.
#[derive(Debug)]
pub(in crate::plan::rules) struct WholePartitions;

impl PhysicalOptimizerRule for WholePartitions {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|plan| match plan.downcast_ref::<BoundedWindowAggExec>() {
            Some(window) if window.window_expr().iter().any(ends_before) => {
                let expressions = window.window_expr().to_vec();
                let can_repartition = !window.partition_keys().is_empty();
                let whole = WindowAggExec::try_new(expressions, window.input().clone(), can_repartition)?;
                Ok(Transformed::yes(Arc::new(whole) as Arc<dyn ExecutionPlan>))
            }
            _ => Ok(Transformed::no(plan)),
        })
        .data()
    }

    fn name(&self) -> &str {
        "whole_partitions"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// Returns whether a frame ends at a distance before its row.
fn ends_before(window: &Arc<dyn WindowExpr>) -> bool {
    let frame = window.get_window_frame();
    frame.units == WindowFrameUnits::Range
        && matches!(&frame.end_bound, WindowFrameBound::Preceding(distance) if !distance.is_null())
}
