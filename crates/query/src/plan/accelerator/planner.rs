//! From the accelerator's nodes to what can be executed.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::catalog::Session;
use datafusion::error::Result as DataFusionResult;
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::logical_expr::{LogicalPlan, UserDefinedLogicalNode};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_planner::{ExtensionPlanner, PhysicalPlanner};

use super::exec::AcceleratedExec;
use crate::plan::accelerator::{AcceleratedNode, Accelerator};

/// Plans [`AcceleratedNode`]s.
pub(super) struct Nodes {
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
        // Planned by itself, with all of the physical rules, and with the scalar subqueries that
        // are in it.
        let cpu = planner.create_physical_plan(&node.cpu, session).await?;
        let exec = AcceleratedExec::new(&self.accelerator, node, cpu);
        let ordering = exec.ordering().cloned();
        let exec: Arc<dyn ExecutionPlan> = Arc::new(exec);
        // Rules take the order of a query's rows from the sorts that they see. This one is left out
        // again, as the rows are in that order already.
        Ok(Some(match ordering {
            Some(ordering) => Arc::new(SortExec::new(ordering, exec)),
            None => exec,
        }))
    }
}
