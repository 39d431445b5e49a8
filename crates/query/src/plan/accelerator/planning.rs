//! Plans of which an accelerator runs parts.

use std::sync::Arc;

use datafusion::error::Result as DataFusionResult;
use datafusion::execution::SessionState;
use datafusion::logical_expr::{ExplainFormat, LogicalPlan};
use datafusion::physical_planner::{DefaultPhysicalPlanner, PhysicalPlanner};

use super::{planner, report};
use crate::plan::Plan;
use crate::plan::accelerator::{Accelerator, Reason, Rewritten};
use crate::plan::executable::executable;
use crate::plan::statement::RowsExec;

/// Makes an optimised plan executable, with the accelerator's parts in it. EXPLAIN gets a row that
/// says what runs where.
pub(in crate::plan) async fn plan(
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
            let report = report::report(&rewritten);
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
        Some(text) => {
            let row = report::row(&physical.schema(), accelerator.name(), &text)?;
            Ok(Arc::new(RowsExec::after(physical, row)))
        }
        None => Ok(physical),
    }
}

/// The accelerator's answer; where it has none, the plan as it was, and the error as the reason.
pub(in crate::plan) fn rewrite(accelerator: &Arc<dyn Accelerator>, plan: LogicalPlan) -> Rewritten {
    accelerator.rewrite(plan.clone()).unwrap_or_else(|error| {
        let why = report::one_line(&error.strip_backtrace());
        let reasons = vec![Reason { at: "the whole plan".to_owned(), why }];
        Rewritten { plan, nodes: Vec::new(), reasons }
    })
}
