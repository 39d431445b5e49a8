//! Optimised logical plans, prepared for the physical planner.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::catalog::Session;
use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::execution::context::QueryPlanner;
use datafusion::execution::{SendableRecordBatchStream, SessionState};
use datafusion::logical_expr::{Expr, LogicalPlan};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_planner::{DefaultPhysicalPlanner, PhysicalPlanner};

use super::rules::{resolved, without_nodes};
use crate::tree::PlanTree;

/// A plan that can run.
pub type Plan = Arc<dyn ExecutionPlan>;

/// The rows of a running plan.
pub type RowStream = SendableRecordBatchStream;

/// DataFusion's physical planner, behind [`executable`].
#[derive(Debug)]
pub(super) struct Planner;

#[async_trait]
impl QueryPlanner for Planner {
    async fn create_physical_plan(
        &self,
        plan: &LogicalPlan,
        session: &dyn Session,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let plan = match session.as_any().downcast_ref::<SessionState>() {
            Some(state) => resolved(plan.clone(), state, executable).await?,
            None => plan.clone(),
        };
        let plan = executable(plan)?;
        DefaultPhysicalPlanner::default().create_physical_plan(&plan, session).await
    }
}

/// Removes the nodes that only the optimiser needs, and gives each computed key of a join a unique
/// name.
///
/// DataFusion computes such keys in a projection with all columns. A conversion has the name of its
/// argument, so the projection would have the name twice.
pub(super) fn executable(plan: LogicalPlan) -> Result<LogicalPlan> {
    without_nodes(plan)?.transform_all_up(name_keys).data()
}

fn name_keys(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let LogicalPlan::Join(mut join) = plan else { return Ok(Transformed::no(plan)) };
    let mut is_changed = false;
    let pairs = join.on.iter_mut().enumerate();
    for (at, key) in pairs.flat_map(|(at, (left, right))| [(at, left), (at, right)]) {
        if matches!(key, Expr::ScalarFunction(_)) {
            // casts to several types are written alike
            let name = format!("{key} {at}");
            *key = std::mem::take(key).alias(name);
            is_changed = true;
        }
    }
    Ok(Transformed::new_transformed(LogicalPlan::Join(join), is_changed))
}
