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
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::error::Result;
use datafusion::physical_expr::PhysicalSortExpr;
use datafusion::physical_expr::window::WindowExpr;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::windows::{BoundedWindowAggExec, WindowAggExec};
use datafusion::physical_plan::{ExecutionPlan, InputOrderMode};

use crate::tree::Tree;
use exec::RunningWindowExec;
use functions::Function;

/// Replaces DataFusion's window operators by a [`RunningWindowExec`].
#[derive(Debug)]
pub(in crate::plan) struct RunningWindows {
    /// Off, DataFusion computes all windows.
    pub is_on: bool,
}

impl PhysicalOptimizerRule for RunningWindows {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        if !self.is_on {
            return Ok(plan);
        }
        plan.transform_up(|node| {
            let Some(windows) = sorted_windows(&node) else { return Ok(Transformed::no(node)) };
            let schema = node.children()[0].schema();
            let functions = windows.iter().map(|window| Function::new(window, &schema).transpose());
            let functions = functions.collect::<Option<Result<Vec<Function>>>>().transpose()?;
            let Some(functions) = functions else { return Ok(Transformed::no(node)) };
            Ok(Transformed::yes(
                Arc::new(RunningWindowExec::new(node, functions.into())) as Arc<dyn ExecutionPlan>
            ))
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

/// Returns the functions of a window operator over rows that are sorted by the keys that all of
/// them have.
fn sorted_windows(plan: &Arc<dyn ExecutionPlan>) -> Option<&[Arc<dyn WindowExpr>]> {
    let windows = match plan.downcast_ref::<BoundedWindowAggExec>() {
        Some(bounded) if bounded.input_order_mode == InputOrderMode::Sorted => bounded.window_expr(),
        Some(_) => return None,
        None => plan.downcast_ref::<WindowAggExec>()?.window_expr(),
    };
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
