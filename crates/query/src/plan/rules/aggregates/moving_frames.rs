//! Aggregates of windows, which may move.

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::logical_expr::{Expr, LogicalPlan, WindowFunctionDefinition};
use datafusion::optimizer::AnalyzerRule;

use crate::functions::moving;
use crate::plan::rules::expressions::rewrite_expressions;

/// Has windows compute aggregates by ways that allow for a frame that moves.
#[derive(Debug)]
pub(in crate::plan::rules) struct MovingFrames;

impl AnalyzerRule for MovingFrames {
    fn name(&self) -> &str {
        "moving_frames"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        plan.transform_up_with_subqueries(|plan| rewrite_expressions(plan, |node| Ok(in_window(node))))
            .map(|transformed| transformed.data)
    }
}

fn in_window(node: Expr) -> Transformed<Expr> {
    let Expr::WindowFunction(mut call) = node else { return Transformed::no(node) };
    let function = match &call.fun {
        WindowFunctionDefinition::AggregateUDF(function) => moving(function),
        WindowFunctionDefinition::WindowUDF(_) => None,
    };
    let is_changed = function.is_some();
    call.fun = function.map_or(call.fun, WindowFunctionDefinition::AggregateUDF);
    Transformed::new_transformed(Expr::WindowFunction(call), is_changed)
}
