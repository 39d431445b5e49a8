//! Copies of plans that run again.

use std::sync::Arc;

use datafusion::common::tree_node::Transformed;
use datafusion::datasource::source::DataSourceExec;
use datafusion::error::Result as DataFusionResult;
use datafusion::physical_plan::ExecutionPlan;

use crate::scan::PeltonSource;
use crate::tree::Tree;

/// Returns a copy of a plan in its state before execution. Its scans have no dynamic filters: the
/// plan's own operators filled them, and the copies of these operators don't know them.
pub(in crate::plan) fn fresh(plan: &Arc<dyn ExecutionPlan>) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
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
