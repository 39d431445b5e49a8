//! Plans of which an accelerator runs parts.

mod exec;
mod explain;
mod notes;
mod planner;
mod replace;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use datafusion::error::Result as DataFusionResult;
use datafusion::execution::SessionState;
use datafusion::logical_expr::{ExplainFormat, LogicalPlan};
use datafusion::physical_planner::{DefaultPhysicalPlanner, PhysicalPlanner};

use super::Plan;
use super::accelerator::{Accelerator, Reason, Rewritten};
use super::executable::executable;
use super::rows::RowsExec;
pub(super) use exec::AcceleratedExec;
pub use notes::{Notes, notes};

/// Makes an optimised plan executable, with the accelerator's parts in it. EXPLAIN gets a row that
/// says what runs where.
pub(super) async fn plan(
    accelerator: &Arc<dyn Accelerator>,
    state: &SessionState,
    optimised: LogicalPlan,
) -> DataFusionResult<Plan> {
    let optimised = executable(optimised)?;
    let planner = planner::Nodes::new(accelerator.clone());
    let planner = DefaultPhysicalPlanner::with_extension_planners(vec![Arc::new(planner)]);
    let (plan, report) = match optimised {
        LogicalPlan::Explain(mut explain) if explain.logical_optimization_succeeded => {
            let rewritten = rewrite(accelerator, explain.plan.as_ref().clone());
            let report = explain::report(&rewritten);
            // the other formats are for programs, which expect what DataFusion writes
            let is_text = matches!(explain.explain_format, ExplainFormat::Indent | ExplainFormat::Tree);
            explain.plan = Arc::new(rewritten.plan);
            (LogicalPlan::Explain(explain), is_text.then_some(report))
        }
        LogicalPlan::Analyze(mut analyze) => {
            analyze.input = Arc::new(rewrite(accelerator, analyze.input.as_ref().clone()).plan);
            (LogicalPlan::Analyze(analyze), None)
        }
        other => (rewrite(accelerator, other).plan, None),
    };
    let physical = planner.create_physical_plan(&plan, state).await?;
    match report {
        Some(report) => {
            let row = explain::row(&physical.schema(), accelerator.name(), &report)?;
            Ok(Arc::new(RowsExec::after(physical, row)))
        }
        None => Ok(physical),
    }
}

/// The accelerator's answer; where it has none, the plan as it was, and the error as the reason.
pub(super) fn rewrite(accelerator: &Arc<dyn Accelerator>, plan: LogicalPlan) -> Rewritten {
    accelerator.rewrite(plan.clone()).unwrap_or_else(|error| {
        let why = explain::one_line(&error.strip_backtrace());
        let reasons = vec![Reason { at: "the whole plan".to_owned(), why }];
        Rewritten { plan, nodes: Vec::new(), reasons }
    })
}
