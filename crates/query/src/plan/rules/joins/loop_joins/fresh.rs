//! Copies of plans that were executed, to be executed again.

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::datasource::source::DataSourceExec;
use datafusion::error::Result as DataFusionResult;
use datafusion::physical_plan::ExecutionPlan;

use crate::scan::PeltonSource;

/// A copy of a plan, as it was before it was executed. Its scans have no dynamic filters: those of
/// the plan hold what the plan's own operators learnt, and the copies of the operators don't know
/// them.
pub(super) fn fresh(plan: &Arc<dyn ExecutionPlan>) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
    let reset = |node: Arc<dyn ExecutionPlan>| {
        let source = node.downcast_ref::<DataSourceExec>();
        Ok(Transformed::yes(
            match source.and_then(|exec| exec.data_source().downcast_ref::<PeltonSource>()) {
                Some(source) => DataSourceExec::from_data_source(source.clone().without_dynamic_filters()),
                None => node.reset_state()?,
            },
        ))
    };
    plan.clone().transform_up(reset).map(|transformed| transformed.data)
}
