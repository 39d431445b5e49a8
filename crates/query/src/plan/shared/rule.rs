//! Physical rule that shows the inputs of shared plans.

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::error::Result;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;

use super::SharedExec;
use crate::tree::Tree;

/// Gives one reader of each shared plan its input, for EXPLAIN and for the metrics of a plan. It
/// comes behind all rules that change plans.
#[derive(Debug)]
pub(in crate::plan) struct ShowSharedPlans;

impl PhysicalOptimizerRule for ShowSharedPlans {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_down(|node| {
            let showing = node.downcast_ref::<SharedExec>().and_then(SharedExec::showing_input);
            Ok(match showing {
                Some(showing) => Transformed::yes(Arc::new(showing) as Arc<dyn ExecutionPlan>),
                None => Transformed::no(node),
            })
        })
        .data()
    }

    fn name(&self) -> &str {
        "show_shared_plans"
    }

    fn schema_check(&self) -> bool {
        true
    }
}
