//! Planning of a query with an accelerator: its nodes, and the operators that run them.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::catalog::Session;
use datafusion::error::Result as DataFusionResult;
use datafusion::execution::SessionState;
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::logical_expr::{ExplainFormat, LogicalPlan, UserDefinedLogicalNode};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_planner::{DefaultPhysicalPlanner, ExtensionPlanner, PhysicalPlanner};

use super::exec::AcceleratedExec;
use super::report;
use crate::plan::Plan;
use crate::plan::accelerator::{AcceleratedNode, Accelerator, Reason, Rewritten};
use crate::plan::executable::executable;
use crate::plan::rows::RowsExec;

/// Makes an optimised plan executable, with the accelerator's parts in it. EXPLAIN gets a row about
/// the accelerator's parts.
pub(in crate::plan) async fn plan(
    accelerator: &Arc<dyn Accelerator>,
    state: &SessionState,
    optimised: LogicalPlan,
) -> DataFusionResult<Plan> {
    let optimised = executable(optimised)?;
    let planner = Nodes::new(accelerator.clone());
    let planner = DefaultPhysicalPlanner::with_extension_planners(vec![Arc::new(planner)]);
    let (plan, report) = match optimised {
        LogicalPlan::Explain(mut explain) if explain.logical_optimization_succeeded => {
            let rewritten = rewrite(accelerator, explain.plan.as_ref().clone());
            let report = report::report(&rewritten);
            // the other formats are for programs, which expect DataFusion's text alone
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

/// Returns the accelerator's answer, or the unchanged plan with the error as the reason.
pub(in crate::plan) fn rewrite(accelerator: &Arc<dyn Accelerator>, plan: LogicalPlan) -> Rewritten {
    accelerator.rewrite(plan.clone()).unwrap_or_else(|error| {
        let why = report::one_line(&error.strip_backtrace());
        let reasons = vec![Reason { at: "the whole plan".to_owned(), why }];
        Rewritten { plan, nodes: Vec::new(), reasons }
    })
}

/// Plans [`AcceleratedNode`]s.
struct Nodes {
    accelerator: Arc<dyn Accelerator>,
}

impl Nodes {
    pub fn new(accelerator: Arc<dyn Accelerator>) -> Self {
        Self { accelerator }
    }
}

#[async_trait]
impl ExtensionPlanner for Nodes {
    async fn plan_extension(
        &self,
        planner: &dyn PhysicalPlanner,
        node: &dyn UserDefinedLogicalNode,
        _: &[&LogicalPlan],
        _: &[Arc<dyn ExecutionPlan>],
        session: &dyn Session,
        _: &PhysicalPlanningContext,
    ) -> DataFusionResult<Option<Arc<dyn ExecutionPlan>>> {
        let Some(node) = node.as_any().downcast_ref::<AcceleratedNode>() else { return Ok(None) };
        // planned by itself, with all physical rules and with its scalar subqueries
        let cpu = planner.create_physical_plan(&node.cpu, session).await?;
        let exec = AcceleratedExec::new(&self.accelerator, node, cpu);
        let ordering = exec.ordering().cloned();
        let exec: Arc<dyn ExecutionPlan> = Arc::new(exec);
        // Rules infer the order of a query's rows from its sorts. A later rule removes this sort,
        // since the rows have that order already.
        Ok(Some(match ordering {
            Some(ordering) => Arc::new(SortExec::new(ordering, exec)),
            None => exec,
        }))
    }
}
