//! Window functions in vectors: ranks, running totals, totals of whole partitions, sliding frames,
//! and values of other rows.
//!
//! DataFusion calls a function row by row, or partition by partition on a copy of the rows. Here
//! the borders of partitions and of peers in a batch are found once, and each function is a loop
//! over the values between them. An operator with another function, or with rows that are not
//! sorted by all keys, stays DataFusion's.

mod exec;
mod frames;
mod functions;
mod groups;
mod held;

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::plan_err;
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::error::Result;
use datafusion::physical_expr::PhysicalSortExpr;
use datafusion::physical_expr::window::WindowExpr;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::windows::{BoundedWindowAggExec, WindowAggExec};
use datafusion::physical_plan::{ExecutionPlan, InputOrderMode};

use crate::tree::Tree;
use exec::RunningWindowExec;
use frames::Frame;
use functions::Function;

/// Replaces DataFusion's window operators by a [`RunningWindowExec`], and refuses those that would
/// be wrong.
#[derive(Debug)]
pub(in crate::plan) struct RunningWindows {
    /// Off, DataFusion computes all windows.
    pub is_on: bool,
}

impl PhysicalOptimizerRule for RunningWindows {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|node| {
            let functions = if self.is_on { functions(&node)? } else { None };
            let Some(functions) = functions else {
                check_frames(&node)?;
                return Ok(Transformed::no(node));
            };
            let running = RunningWindowExec::new(node, functions.into());
            Ok(Transformed::yes(Arc::new(running) as Arc<dyn ExecutionPlan>))
        })
        .data()
    }

    fn name(&self) -> &str {
        "running_windows"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// Returns the functions of a window operator; `None` for another operator, or one with a function
/// that only DataFusion computes.
fn functions(plan: &Arc<dyn ExecutionPlan>) -> Result<Option<Vec<Function>>> {
    let Some(windows) = sorted_windows(plan) else { return Ok(None) };
    let schema = plan.children()[0].schema();
    windows.iter().map(|window| Function::new(window, &schema).transpose()).collect::<Option<_>>().transpose()
}

/// Refuses frames to which DataFusion's operators give wrong rows.
fn check_frames(plan: &Arc<dyn ExecutionPlan>) -> Result<()> {
    for window in windows(plan).unwrap_or_default() {
        if Frame::new(window, &plan.children()[0].schema())?.is_some_and(|frame| frame.is_beyond_datafusion())
        {
            return plan_err!(
                "months before or after a timestamp, and hours before or after a date, are only supported in \
                 frames of common aggregates and values: ORDER BY a date, or write days"
            );
        }
    }
    Ok(())
}

/// Returns the functions of one of DataFusion's window operators.
fn windows(plan: &Arc<dyn ExecutionPlan>) -> Option<&[Arc<dyn WindowExpr>]> {
    match plan.downcast_ref::<BoundedWindowAggExec>() {
        Some(bounded) => Some(bounded.window_expr()),
        None => Some(plan.downcast_ref::<WindowAggExec>()?.window_expr()),
    }
}

/// Returns the functions of a window operator over rows that are sorted by the keys that all of
/// them have.
fn sorted_windows(plan: &Arc<dyn ExecutionPlan>) -> Option<&[Arc<dyn WindowExpr>]> {
    let bounded = plan.downcast_ref::<BoundedWindowAggExec>();
    if bounded.is_some_and(|bounded| bounded.input_order_mode != InputOrderMode::Sorted) {
        return None;
    }
    let windows = windows(plan)?;
    let first = windows.first()?;
    let has_same_keys = |window: &Arc<dyn WindowExpr>| {
        window.partition_by() == first.partition_by() && order(window).eq(order(first))
    };
    windows.iter().all(has_same_keys).then_some(windows)
}

/// Returns the order keys of a window that are not the same in each row of a partition.
fn order(window: &Arc<dyn WindowExpr>) -> impl Iterator<Item = &PhysicalSortExpr> {
    window.order_by().iter().filter(|key| !window.partition_by().contains(&key.expr))
}
